"""Perft suites: an EPD line for each position, with the leaf counts as operations `D<depth> <nodes>`.

The format is EPD (Steven J. Edwards, 1994) as perft suites write it: the position may keep its two clocks,
and semicolons may precede, separate and follow operations. docs/input.md lists every fault with its message.
"""

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from slidebench.harness.errors import UserError
from slidebench.kernels import MAX_DEPTH
from slidebench.kernels.position import FenError, Position, parse_fen, quoted

# About a million lines, which take a minute to read; endless input would otherwise exhaust the memory.
MAX_EPD_BYTES = 64 << 20
NODES_LIMIT = 2**64  # kernels count in 64 bits
# The standard's operations that change neither the position nor its counts, with one string or plain words.
IGNORED = r'(acd|acn|acs|am|bm|c[0-9]|ce|dm|eco|id|nic|pm|pv|sm|v[0-9])[ \t]+("[^"]*"|[^ \t"][^"]*)'


@dataclass(frozen=True, slots=True)
class EpdLine:
    """A position of a suite; `depths` maps depths in plies to numbers of leaves."""

    line_number: int
    fen: str
    position: Position
    depths: dict[int, int]


@dataclass(frozen=True, slots=True)
class EpdFault:
    """A line that is rejected, and why."""

    line_number: int
    message: str
    marked: str = ""  # `FenError.marked`, if it is the position that is invalid

    def __str__(self) -> str:
        return f"line {self.line_number}: {self.message}"


class EpdError(UserError):
    """An invalid suite, or an invalid operation in a line of one."""


def read_epd(source: Path | str, *, lenient: bool = False) -> Iterator[EpdLine | EpdFault]:
    """The positions of a suite, in order; `source` is the Path of a file or the text itself.

    An invalid line yields an EpdFault, and reading continues. Blank lines and lines that begin with # are
    skipped, but count in line numbers, which start at 1. `lenient` accepts more than 16 pieces per side.

    Raises EpdError if the file cannot be read or is larger than MAX_EPD_BYTES.
    """
    text = _text(source) if isinstance(source, Path) else source
    lines = enumerate(io.StringIO(text, newline="\n"), start=1)
    return filter(None, (_read_line(number, line, lenient) for number, line in lines))


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_EPD_BYTES + 1)
    except OSError as error:
        raise EpdError(f"cannot read {path} ({error.strerror}): expected an EPD file") from error
    if len(content) > MAX_EPD_BYTES:
        raise EpdError(f"{path} is larger than {MAX_EPD_BYTES >> 20} MiB: split it")
    return content.decode("utf-8-sig", errors="replace")


def _read_line(number: int, text: str, lenient: bool) -> EpdLine | EpdFault | None:
    """The content of a line; None for a blank line or a comment."""
    content = text.rstrip("\r\n")
    for character, name, expected in (
        ("\0", "NUL byte", "plain UTF-8 text"),
        ("\r", "carriage return", "lines that end in LF or CR LF"),
    ):
        if character in content:
            where = f"after {content.index(character)} characters"
            return EpdFault(number, f"{name} {where}: expected {expected}")
    line = content.strip(" \t")
    if not line or line.startswith("#"):
        return None
    fen, operations = _split(line)
    try:
        return EpdLine(number, fen, parse_fen(fen, lenient=lenient), _depths(operations))
    except FenError as error:
        return EpdFault(number, str(error), error.marked())
    except EpdError as error:
        return EpdFault(number, str(error))


def _split(line: str) -> tuple[str, str]:
    """The position and the operations, which begin at a semicolon or after four or six fields."""
    before_semicolon = line.partition(";")[0]
    words = list(re.finditer(r"[^ \t]+", before_semicolon))
    fields = 4 if len(words) > 4 and words[4].group()[0].isalpha() else 6
    end = words[fields].start() if len(words) > fields else len(before_semicolon)
    return line[:end].rstrip(" \t"), line[end:]


def _depths(operations: str) -> dict[int, int]:
    """The number of leaves by depth. Raises EpdError unless every operation is valid."""
    if operations.count('"') % 2:
        raise EpdError("unclosed quote: expected an even number of quotes in the line")
    depths: dict[int, int] = {}
    # A semicolon inside quotes is part of the string.
    for text in re.findall(r'(?:[^;"]|"[^"]*")+', operations):
        operation = text.strip(" \t")
        if not operation or re.fullmatch(IGNORED, operation):
            continue
        count = re.fullmatch(r"D([0-9]{1,2})[ \t]+([0-9]{1,20})", operation)
        if not count or not 1 <= int(count[1]) <= MAX_DEPTH or int(count[2]) >= NODES_LIMIT:
            raise EpdError(
                f"invalid operation {quoted(operation)}: "
                f"expected D1 to D{MAX_DEPTH} and a node count below 2^64"
            )
        depth, nodes = map(int, count.groups())
        if depth in depths:
            raise EpdError(f"second count for D{depth}: expected one for each depth")
        depths[depth] = nodes
    return depths
