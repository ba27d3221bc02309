"""The command line: the verbs under their headings, and exit statuses.

A user error prints one line and exits with status 2; a wrong result exits with status 1.
"""

import re
import sys
from importlib import import_module
from typing import Any

import click

from slidebench.harness import streams
from slidebench.harness.errors import UserError
from slidebench.harness.streams import report_error
from slidebench.kernels import DestructiveCollision, UnavailableError, catalogue, features
from slidebench.kernels.position import FenError

# Headings of `slidebench --help`: the package under verbs/, and its verbs with their one-line help. A verb is
# the function `command` in the module of its name, imported when it is needed. 60 columns hold a summary of
# up to 42 letters.
HEADINGS = {
    "This CPU": ("machine", {
        "cpu": "Describe this CPU and its levels.",
        "probe": "Measure the cost of PEXT and others here.",
        "kernels": "List kernels and why some cannot run.",
    }),
    "Correctness": ("correctness", {
        "attacks": "Draw the attacks of a piece.",
        "verify": "Check kernels, or EPD perft suites.",
        "audit": "Check the machine code of the kernels.",
        "moves": "List the legal moves of a position.",
        "perft": "Count the leaves of a position.",
        "uci": "Answer UCI commands such as go perft 5.",
    }),
    "Measuring": ("measuring", {
        "run": "Verify and time kernels; write a record.",
        "instructions": "Count instructions per node (valgrind).",
        "calibrate": "Count wrong verdicts on this machine.",
    }),
    "Results": ("results", {
        "recommend": "Name the fastest kernel of each level.",
        "compare": "Compare records, levels or kernels.",
        "plot": "Draw the charts of records.",
        "report": "Write a static site of records.",
        "export": "Convert a record for another program.",
        "import": "File records of others under results/.",
    }),
    "Elsewhere": ("elsewhere", {
        "model": "Model queries on other CPUs (llvm-mca).",
        "published": "List figures measured by others.",
        "magics": "Search for magic factors.",
    }),
}  # fmt: skip
PACKAGES = {verb: package for package, verbs in HEADINGS.values() for verb in verbs}
SUMMARIES = {verb: summary for _, verbs in HEADINGS.values() for verb, summary in verbs.items()}
LONGEST_VERB = max(map(len, PACKAGES))


class Verbs(click.Group):
    """The verbs in their order, each imported only when it is needed."""

    def make_context(self, *arguments: Any, **settings: Any) -> click.Context:
        with streams.exit_on_broken_pipe():
            return super().make_context(*arguments, **settings)

    def invoke(self, context: click.Context) -> object:
        with streams.exit_on_broken_pipe():
            return super().invoke(context)

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs under their headings; no verb is imported for it."""
        for heading, (_package, verbs) in HEADINGS.items():
            with formatter.section(heading):
                formatter.write_dl([(f"{verb:<{LONGEST_VERB}}", summary) for verb, summary in verbs.items()])

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
    """A stand-in for a verb whose libraries cannot be loaded here; other verbs still work."""

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
    streams.repair()
    try:
        with streams.flushed_output():
            status = run()
    except UserError as error:  # output that cannot be written
        status = report_error(str(error))
    sys.exit(status)


def run(arguments: list[str] | None = None) -> int:
    """Run the verb; returns the exit status, after an error is reported in one line."""
    try:
        slidebench.main(arguments, prog_name="slidebench", standalone_mode=False)
    except SystemExit as exit_:
        return exit_.code if isinstance(exit_.code, int) else 0
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except click.exceptions.Abort:
        return report_error("interrupted", 130)
    except FenError as error:
        return report_error(f"{error}\n{error.marked()}")
    except (UnavailableError, UserError, OverflowError) as error:
        return report_error(str(error))
    except MemoryError:
        return report_error("out of memory: expected a higher --memory-limit or a smaller --hash")
    except DestructiveCollision as error:
        return report_error(str(error), 1)
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message(), file=sys.stderr)
        return 2
    except click.ClickException as error:
        return report_error(error.format_message().removesuffix(".") + hint(error))
    return 0


def hint(error: click.ClickException) -> str:
    """What to add to click's message about an unknown verb or option, or a missing argument."""
    if isinstance(error, click.NoSuchOption) and re.fullmatch("-[0-9].*", error.option_name):
        return ": no number here is negative"
    unknown = isinstance(error, click.NoSuchOption | click.MissingParameter)
    if isinstance(error, click.UsageError) and (unknown or error.message.startswith("No such command")):
        return f" (see `{error.ctx.command_path if error.ctx else 'slidebench'} --help`)"
    return ""
