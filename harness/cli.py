"""The command line: kernel x level x workload -> record, in the order the data flows.

A fault the user can mend gives one line and exit status 2; a wrong answer found gives exit status 1.
"""

import errno
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from io import TextIOWrapper
from typing import Any, NoReturn

import click

from slidebench.harness.errors import EXIT_SIGPIPE, UserError
from slidebench.kernels import DestructiveCollision, UnavailableError, catalogue, features
from slidebench.kernels.position import FenError

# Headings of `slidebench --help`: the package under verbs/, and its verbs with their one-line help. A verb is the
# function `command` in the module of its name, imported when it is asked for.
HEADINGS = {
    "This CPU": ("machine", {
        "cpu": "Describe this CPU and the levels it can run.",
        "probe": "Measure what instructions such as PEXT cost here.",
        "kernels": "List kernels and levels: available, or why not.",
    }),
    "Correctness": ("correctness", {
        "attacks": "Draw the attacks of a rook, bishop or queen.",
        "verify": "Check kernels, or EPD perft suites.",
        "audit": "Check the instructions of the compiled kernels.",
        "moves": "List the legal moves of a position.",
        "perft": "Count the leaves of a position at a depth.",
        "uci": "Answer UCI commands such as go perft 5.",
    }),
    "Measuring": ("measuring", {
        "run": "Verify and time kernels; write a record and charts.",
        "instructions": "Count instructions per node and query (valgrind).",
        "calibrate": "Count the wrong verdicts on this machine.",
    }),
    "Results": ("results", {
        "recommend": "Name the fastest kernel of each level.",
        "compare": "Compare records, levels or kernels.",
        "plot": "Draw the charts of records.",
        "report": "Write a static site of records.",
        "export": "Convert a record for another program.",
        "import": "Check records and file them under results/.",
    }),
    "Elsewhere": ("elsewhere", {
        "model": "Model query loops on other CPUs (llvm-mca).",
        "published": "List figures measured by others.",
        "magics": "Search for magic factors.",
    }),
}  # fmt: skip
PACKAGES = {verb: package for package, verbs in HEADINGS.values() for verb in verbs}
SUMMARIES = {verb: summary for _, verbs in HEADINGS.values() for verb, summary in verbs.items()}


@contextmanager
def _unread() -> Iterator[None]:
    """Ends where nobody reads on: click would give that the exit status of a wrong answer."""
    try:
        yield
    except BrokenPipeError:
        sys.exit(EXIT_SIGPIPE)


class Verbs(click.Group):
    """The verbs in their order, each imported only when it is needed."""

    def make_context(self, *arguments: Any, **settings: Any) -> click.Context:
        with _unread():
            return super().make_context(*arguments, **settings)

    def invoke(self, context: click.Context) -> object:
        with _unread():
            return super().invoke(context)

    def list_commands(self, _: click.Context) -> list[str]:
        return list(PACKAGES)

    def get_command(self, _: click.Context, name: str) -> click.Command | None:
        if name not in PACKAGES:
            return None
        module = "import_" if name == "import" else name  # a keyword
        no_numpy = _no_numpy()
        if no_numpy:
            sys.modules["numpy"] = None  # type: ignore[assignment]  # importing it is then an error, not a crash
        try:
            command = import_module(f"slidebench.harness.verbs.{PACKAGES[name]}.{module}").command
        except ImportError as error:
            return _unavailable(
                name, f"needs NumPy, which needs level v2: {no_numpy}" if no_numpy else str(error)
            )
        assert isinstance(command, click.Command)
        return command


def _no_numpy() -> str:
    """Why NumPy cannot run on this CPU; "" if it can. It is built for level v2 and what is not x86-64."""
    here = features.detect()
    needed = catalogue.level_features("v2") if here.vendor else ()
    return next((reason for reason in map(here.why_missing, needed) if reason), "")


def _unavailable(name: str, reason: str) -> click.Command:
    """In place of a verb whose libraries cannot be loaded here; the others still work."""

    def refuse(**_: object) -> None:
        raise UserError(f"{name} {reason}")

    settings = {"ignore_unknown_options": True, "allow_extra_args": True}
    return click.Command(name, callback=refuse, help=f"Not here: {reason}.", context_settings=settings)


@click.command(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="slidebench")
def slidebench() -> None:
    """Measure how chess programs compute sliding-piece attacks, on any x86-64 CPU."""


def main() -> None:
    """Entry point of the console script."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us
            nothing = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(nothing, "r" if name == "stdin" else "w"))
        stream = getattr(sys, name)
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # an old locale may lack a letter
    try:
        try:
            _run()
        finally:
            sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or what is left would fail once more at the end
        if isinstance(error, BrokenPipeError):
            sys.exit(EXIT_SIGPIPE)
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
        sys.exit(report_error(f"cannot write the output: {error.strerror}" if full else str(error)))


def _run() -> NoReturn:
    """Run the verb; its faults become lines and exit statuses."""
    try:
        sys.exit(slidebench.main(standalone_mode=False))
    except click.exceptions.Abort:
        sys.exit(report_error("interrupted", 130))
    except FenError as error:
        sys.exit(report_error(f"{error}\n{error.marked()}"))
    except (UnavailableError, UserError, OverflowError) as error:
        sys.exit(report_error(str(error)))
    except MemoryError:
        sys.exit(report_error("out of memory; give a higher --memory-limit or a smaller --hash"))
    except DestructiveCollision as error:
        sys.exit(report_error(str(error), 1))
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message(), file=sys.stderr)
        sys.exit(2)
    except click.ClickException as error:
        message, way_out = error.format_message(), _way_out(error)
        sys.exit(report_error(message.removesuffix(".") + way_out if way_out else message))


def _way_out(error: click.ClickException) -> str:
    """Where to look after a word of the command line that click cannot place."""
    if isinstance(error, click.NoSuchOption) and re.fullmatch("-[0-9].*", error.option_name):
        return ": no number here is negative"
    unplaced = isinstance(error, click.NoSuchOption | click.MissingParameter)
    if isinstance(error, click.UsageError) and (unplaced or error.message.startswith("No such command")):
        return f" (see `{error.ctx.command_path if error.ctx else 'slidebench'} --help`)"
    return ""


def report_error(message: str, status: int = 2) -> int:
    """Print what went wrong on standard error; returns the exit status."""
    with suppress(OSError):
        print(f"slidebench: {message}", file=sys.stderr)
    return status
