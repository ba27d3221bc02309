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

from slidebench import kernels
from slidebench.kernels.catalogue import GENERIC, LEVELS
from slidebench.kernels.position import START

_LEVEL_NAMES = ", ".join(each.name for each in LEVELS)


def _once(_: click.Context, parameter: click.Parameter, names: Sequence[str]) -> str | None:
    """The option's one value; None if it is not given."""
    if len(names) > 1:
        raise click.UsageError(f"{parameter.opts[0]} given twice: expected one")
    if names and not names[0].strip():
        raise click.UsageError(f"empty {parameter.opts[0]}: expected a name")
    return names[0] if names else None


def _name(flag: str, metavar: str, help_: str, names: Callable[[], Sequence[str]]) -> Callable[[Any], Any]:
    """An option that takes one name and completes it in the shell."""

    def complete(_: click.Context, __: click.Parameter, prefix: str) -> list[str]:
        return [name for name in names() if name.startswith(prefix)]

    return click.option(
        flag, metavar=metavar, multiple=True, callback=_once, shell_complete=complete, help=help_
    )


kernel = _name(
    "--kernel",
    "K",
    "Kernel to use (see `slidebench kernels`).  [default: the best for this CPU]",
    kernels.names,
)
kernel_filter = _name("--kernel", "K", "Only this kernel (see `slidebench kernels`).", kernels.names)
level = _name("--level", "L", f"Only this level: {_LEVEL_NAMES} or {GENERIC.name}.", kernels.levels)
popcount = _name("--popcount", "P", "Only this popcount: builtin, swar, ...", kernels.popcounts)
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
            self.fail(f"invalid {what} {str(value)!r}: expected a time such as 90s, 3m or 1h")
        return float(found[1]) * {"s": 1, "m": 60, "h": 3600}[found[2]]


time_limit = click.option(
    "--time-limit", type=Duration(), metavar="TIME", help="Stop after this time, such as 10s."
)


def _limit_memory(_: click.Context, __: click.Parameter, mebibytes: int | None) -> None:
    if mebibytes:
        try:
            resource.setrlimit(resource.RLIMIT_DATA, (mebibytes << 20, mebibytes << 20))
        except (ValueError, OSError):
            raise click.ClickException(
                f"cannot limit memory to {mebibytes} MiB, a lower limit is set already: expected less"
            ) from None


class Mebibytes(click.IntRange):
    """A range that help does not print: its upper bound is only there to refuse nonsense."""

    def _describe_range(self) -> str:
        return "at least 128"


memory_limit = click.option(
    "--memory-limit",
    type=Mebibytes(128, 1 << 40),
    metavar="MIB",
    callback=_limit_memory,
    expose_value=False,
    is_eager=True,
    help="Fail rather than use more memory than this, in MiB.",
)


class _Output(Console):
    """Standard output; a broken pipe ends the program, as it does for `print`."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


class _Notes(Console):
    """Standard error; after a broken pipe the program goes on without notes."""

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
