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

from slidebench.harness.errors import UNREAD, Fault
from slidebench.kernels import DestructiveCollision, UnavailableError, catalogue, features
from slidebench.kernels.position import FenError

# Each is a file in verbs/, imported when it is asked for.
VERBS = (
    "cpu",  # what this machine is
    "probe",  # what its instructions cost
    "kernels",  # what it can run
    "show",  # what a kernel answers
    "verify",  # whether the answers are right
    "audit",  # which instructions they consist of
    "suite",  # whether whole files of counts are right
    "moves",  # what is legal
    "perft",  # one count, one time
    "uci",  # many counts, for a program that asks
    "run",  # everything measured, one record
    "count",  # instructions, which carry no noise
    "recommend",  # which kernel to use here
    "compare",  # records, levels or kernels against each other
    "plot",  # charts of records
    "report",  # and all of it as a site
    "export",  # records to other machines and programs
    "import",  # and from them
    "model",  # estimates for CPUs that are not here
    "published",  # what others measured
    "magics",  # factors for magic kernels
    "calibrate",  # whether the verdicts can be trusted here
)


@contextmanager
def _unread() -> Iterator[None]:
    """Ends where nobody reads on: click would give that the exit status of a wrong answer."""
    try:
        yield
    except BrokenPipeError:
        sys.exit(UNREAD)


class Verbs(click.Group):
    """The verbs in their order, each imported only when it is needed."""

    def make_context(self, *arguments: Any, **settings: Any) -> click.Context:
        with _unread():
            return super().make_context(*arguments, **settings)

    def invoke(self, context: click.Context) -> object:
        with _unread():
            return super().invoke(context)

    def list_commands(self, _: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, _: click.Context, name: str) -> click.Command | None:
        if name not in VERBS:
            return None
        module = "import_" if name == "import" else name  # a keyword
        no_numpy = _no_numpy()
        if no_numpy:
            sys.modules["numpy"] = None  # type: ignore[assignment]  # importing it is then an error, not a crash
        try:
            command = getattr(import_module(f"slidebench.harness.verbs.{module}"), module)
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
        raise Fault(f"{name} {reason}")

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
            sys.exit(UNREAD)
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
        sys.exit(told(f"cannot write the output: {error.strerror}" if full else str(error)))


def _run() -> NoReturn:
    """Run the verb; its faults become lines and exit statuses."""
    try:
        sys.exit(slidebench.main(standalone_mode=False))
    except click.exceptions.Abort:
        sys.exit(told("interrupted", 130))
    except FenError as error:
        sys.exit(told(f"{error}\n{error.marked()}"))
    except (UnavailableError, Fault, OverflowError) as error:
        sys.exit(told(str(error)))
    except MemoryError:
        sys.exit(told("out of memory; give a higher --memory-limit or a smaller --hash"))
    except DestructiveCollision as error:
        sys.exit(told(str(error), 1))
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message(), file=sys.stderr)
        sys.exit(2)
    except click.ClickException as error:
        message, way_out = error.format_message(), _way_out(error)
        sys.exit(told(message.removesuffix(".") + way_out if way_out else message))


def _way_out(error: click.ClickException) -> str:
    """Where to look after a word of the command line that click cannot place."""
    if isinstance(error, click.NoSuchOption) and re.fullmatch("-[0-9].*", error.option_name):
        return ": no number here is negative"
    unplaced = isinstance(error, click.NoSuchOption | click.MissingParameter)
    if isinstance(error, click.UsageError) and (unplaced or error.message.startswith("No such command")):
        return f" (see `{error.ctx.command_path if error.ctx else 'slidebench'} --help`)"
    return ""


def told(message: str, status: int = 2) -> int:
    """Print what went wrong on standard error; returns the exit status."""
    with suppress(OSError):
        print(f"slidebench: {message}", file=sys.stderr)
    return status
