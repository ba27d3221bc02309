"""Perft suites: one EPD line a position, with the node count of each depth as operations `D<depth> <nodes>`.

The form is EPD (Steven J. Edwards, 1994) as perft suites write it: the position may keep its two clocks, and
a semicolon may stand before, between and after operations. docs/input.md lists what is a fault.
"""

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from slidebench.harness.errors import UserError
from slidebench.kernels import MAX_DEPTH
from slidebench.kernels.position import FenError, Position, parse_fen, quoted

# Up to a million lines, a minute to read; endless input is refused, not read until memory ends.
MAX_EPD_BYTES = 64 << 20
NODES_LIMIT = 2**64  # kernels count in 64 bits
# The standard's operations that change neither the position nor its counts.
PASSED_OVER = r"(acd|acn|acs|am|bm|c[0-9]|ce|dm|eco|id|nic|pm|pv|sm|v[0-9])[ \t]+[^ \t].*"


@dataclass(frozen=True, slots=True)
class EpdLine:
    """One position of a suite; `depths` maps a depth in plies to its number of leaf nodes."""

    line_number: int
    fen: str
    position: Position
    depths: dict[int, int]


@dataclass(frozen=True, slots=True)
class EpdFault:
    """One line that is refused, and why."""

    line_number: int
    message: str
    marked: str = ""  # of a faulty position: two lines, the text and a caret under the fault

    def __str__(self) -> str:
        return f"line {self.line_number}: {self.message}"


class EpdError(UserError):
    """A suite, or an operation of one of its lines, that cannot be read."""


def read_epd(source: Path | str, *, lenient: bool = False) -> Iterator[EpdLine | EpdFault]:
    """Every position of a suite, in order: a Path names a file, a str is the text itself.

    A line that is refused yields an EpdFault and reading goes on. Blank lines and lines that begin with # are
    left out; line numbers, from 1, count them. `lenient` allows more than 16 pieces a side.

    Raises EpdError if the file cannot be opened or is larger than MAX_EPD_BYTES.
    """
    text = _text(source) if isinstance(source, Path) else source
    lines = enumerate(io.StringIO(text, newline=None), start=1)
    return filter(None, (_read_line(number, line, lenient) for number, line in lines))


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_EPD_BYTES + 1)
    except OSError as error:
        raise EpdError(f"{path}: {error.strerror}; give a readable EPD file") from error
    if len(content) > MAX_EPD_BYTES:
        raise EpdError(f"{path}: larger than {MAX_EPD_BYTES >> 20} MiB; split it")
    return content.decode("utf-8-sig", errors="replace")


def _read_line(number: int, text: str, lenient: bool) -> EpdLine | EpdFault | None:
    """What a line holds, or None for a blank line or a comment."""
    if "\0" in text:
        return EpdFault(number, f"a NUL byte after {text.index(chr(0))} characters; give plain UTF-8 text")
    line = text.strip(" \t\n")
    if not line or line.startswith("#"):
        return None
    fen, operations = _halves(line)
    try:
        return EpdLine(number, fen, parse_fen(fen, lenient=lenient), _depths(operations))
    except FenError as error:
        return EpdFault(number, str(error), error.marked())
    except EpdError as error:
        return EpdFault(number, str(error))


def _halves(line: str) -> tuple[str, str]:
    """The position and the operations: these begin at a semicolon, or after four or six fields."""
    before_semicolon = line.partition(";")[0]
    words = list(re.finditer(r"[^ \t]+", before_semicolon))
    fields = 4 if len(words) > 4 and words[4].group()[0].isalpha() else 6
    end = words[fields].start() if len(words) > fields else len(before_semicolon)
    return line[:end].rstrip(" \t"), line[end:]


def _depths(operations: str) -> dict[int, int]:
    depths: dict[int, int] = {}
    # A semicolon inside quotes is data.
    for text in re.findall(r'(?:[^;"]|"[^"]*")+', operations):
        operation = text.strip(" \t")
        if not operation or re.fullmatch(PASSED_OVER, operation):
            continue
        count = re.fullmatch(r"D([0-9]{1,2})[ \t]+([0-9]{1,20})", operation)
        if not count or not 1 <= int(count[1]) <= MAX_DEPTH or int(count[2]) >= NODES_LIMIT:
            raise EpdError(
                f"operation {quoted(operation)}; give D1 to D{MAX_DEPTH} and a node count below 2^64"
            )
        depth, nodes = map(int, count.groups())
        if depth in depths:
            raise EpdError(f"D{depth} is given twice; give each depth once")
        depths[depth] = nodes
    return depths
