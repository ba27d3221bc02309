"""Options that several verbs share."""

import json
import os
import re
import resource
import sys
from collections.abc import Callable, Mapping, Sequence
from inspect import cleandoc
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.console import Console
from rich.table import Table

from slidebench.kernels.catalogue import GENERIC, LEVELS
from slidebench.kernels.position import START

_LEVEL_NAMES = ", ".join(each.name for each in LEVELS)
kernel = click.option("--kernel", metavar="K", help="Only this kernel (see `slidebench kernels`).")
level = click.option("--level", metavar="L", help=f"Only this level: {_LEVEL_NAMES} or {GENERIC.name}.")
popcount = click.option("--popcount", metavar="P", help="Only this popcount: builtin, swar, ...")
lenient = click.option("--lenient", is_flag=True, help="Accept more than 16 pieces a side.")
chess960 = click.option("--chess960", is_flag=True, help="Write castling as king takes rook.")
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
results = click.option(
    "--results",
    type=click.Path(path_type=Path),
    default=Path("results"),
    show_default=True,
    help="Folder for records and charts.",
)


class Duration(click.ParamType[float]):
    """A time such as 90s, 3m or 1h, in seconds."""

    name = "time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        found = re.fullmatch(r"([0-9]{1,6}(?:\.[0-9]+)?)([smh])", str(value))
        if not found or not float(found[1]):
            what = ((param and param.name) or "time").replace("_", " ")
            self.fail(f"{what} {str(value)!r}; give a time such as 90s, 3m or 1h")
        return float(found[1]) * {"s": 1, "m": 60, "h": 3600}[found[2]]


time_limit = click.option(
    "--time-limit", type=Duration(), metavar="TIME", help="Give up after this long, such as 10s."
)


def _limit_memory(_: click.Context, __: click.Parameter, mebibytes: int | None) -> None:
    if mebibytes:
        try:
            resource.setrlimit(resource.RLIMIT_DATA, (mebibytes << 20, mebibytes << 20))
        except (ValueError, OSError):
            raise click.ClickException(
                f"memory cannot be limited to {mebibytes} MiB here: a lower limit is set already; give less"
            ) from None


memory_limit = click.option(
    "--memory-limit",
    type=click.IntRange(128, 1 << 40),
    metavar="MIB",
    callback=_limit_memory,
    expose_value=False,
    is_eager=True,
    help="Give up rather than take more memory than this, in MiB.",
)


class _Output(Console):
    """Where nobody reads on, the program ends as it does for `print`."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


class _Notes(Console):
    """Where nobody reads notes, there are none; what is measured goes on."""

    def on_broken_pipe(self) -> None:
        self.quiet = True


def fen(words: Sequence[str]) -> str:
    """The FEN that a command line's words make, the start position's if there are none."""
    return " ".join(words) if words else START


# Data goes to standard output, progress and notes to standard error, so that output can be piped.
# Only a terminal has a width: what is piped is not cut.
output = _Output(width=None if sys.stdout.isatty() or "COLUMNS" in os.environ else 160)
notes = _Notes(stderr=True)


def print_table(table: Table) -> None:
    """Print a table; its title and caption are not wrapped to the width of a narrow one."""
    output.print(table, width=max(output.width, 120), soft_wrap=True)


def print_json(data: Any) -> None:
    """Print plain data or msgspec structures as indented JSON."""
    print(json.dumps(msgspec.to_builtins(data), indent=1, allow_nan=False))


def print_count(nodes: int, summary: str, divide: Mapping[str, int] | None) -> None:
    """Print a summary of a count; after a divided one what perftree parses, and the summary as a note.

    That is a move and its count on each line, a blank line, the total alone.
    """
    if divide is None:
        print(summary)
        return
    for move, leaves in divide.items():
        print(f"{move} {leaves}")
    print(f"\n{nodes}")
    print(summary, file=sys.stderr)


def example(text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add an example to a verb's help; lines stay as they are."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        lines = "\n".join(f"  {line}" for line in text.strip().splitlines())
        function.__doc__ = f"{cleandoc(function.__doc__ or '')}\n\n\b\nExample:\n{lines}\n"
        return function

    return add
