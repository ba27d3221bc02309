"""The command line: kernel x level x workload -> record, in the order the data flows.

A fault the user can mend gives one line and exit status 2; a wrong answer found gives exit status 1.
"""

import sys
from importlib import import_module

import click

from slidebench.harness.errors import CompareError, LaunchError
from slidebench.harness.records import RecordError
from slidebench.kernels import DestructiveCollision, UnavailableError, catalogue, features
from slidebench.kernels.position import FenError

VERBS = {
    "cpu": "cpu.cpu",  # what this machine is
    "probe": "probe.probe",  # what its instructions cost
    "kernels": "kernels.kernels",  # what it can run
    "show": "show.show",  # what a kernel answers
    "verify": "verify.verify",  # whether the answers are right
    "perft": "perft.perft",  # one count, one time
    "run": "run.run",  # everything measured, one record
    "recommend": "recommend.recommend",  # which kernel to use here
    "compare": "compare.compare",  # records, levels or kernels against each other
    "plot": "plot.plot",  # charts of records
    "export": "exchange.export_verb",  # records to other machines and programs
    "import": "exchange.import_verb",  # and from them
    "calibrate": "calibrate.calibrate",  # whether the verdicts can be trusted here
    "model": "model.model",  # estimates for CPUs that are not here
    "published": "published.published",  # what others measured
}
NEED_NUMPY = {"run", "recommend", "compare", "plot", "export", "import", "calibrate"}


class Verbs(click.Group):
    """Verbs, each imported when asked for: NumPy, which some need, crashes on CPUs that others run on."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS or (cmd_name in NEED_NUMPY and _no_numpy()):
            return None
        module, _, name = VERBS[cmd_name].partition(".")
        command: click.Command = getattr(import_module(f"slidebench.harness.verbs.{module}"), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] in NEED_NUMPY and (reason := _no_numpy()):
            raise click.ClickException(f"{args[0]} needs NumPy, which needs level v2: {reason}")
        return super().resolve_command(ctx, args)


def _no_numpy() -> str:
    """Why NumPy cannot run on this CPU; "" if it can. It is built for level v2 and what is not x86-64."""
    here = features.detect()
    needed = catalogue.level_features("v2") if here.vendor else ()
    return next((reason for reason in map(here.why_missing, needed) if reason), "")


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="slidebench")
def slidebench() -> None:
    """Measure how chess programs compute sliding-piece attacks, on any x86-64 CPU."""


def main() -> None:
    """Entry point of the console script."""
    try:
        sys.exit(slidebench.main(standalone_mode=False))
    except click.exceptions.Abort:
        sys.exit(fault("interrupted", 130))
    except FenError as error:
        sys.exit(fault(f"{error}\n{error.marked()}"))
    except (UnavailableError, RecordError, CompareError) as error:
        sys.exit(fault(str(error)))
    except (DestructiveCollision, LaunchError) as error:
        sys.exit(fault(str(error), 1))
    except click.ClickException as error:
        sys.exit(fault(error.format_message()))


def fault(message: str, status: int = 2) -> int:
    """Print what went wrong on standard error; returns the exit status."""
    print(f"slidebench: {message}", file=sys.stderr)
    return status
