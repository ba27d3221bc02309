"""The command line: kernel x level x workload -> record, in the order the data flows.

A fault the user can mend gives one line and exit status 2; a wrong answer found gives exit status 1.
"""

import sys

import click

from slidebench.harness.compare import CompareError
from slidebench.harness.launches import LaunchError
from slidebench.harness.records import RecordError
from slidebench.harness.verbs import (
    calibrate,
    compare,
    cpu,
    exchange,
    perft,
    plot,
    recommend,
    report,
    run,
    show,
    verify,
)
from slidebench.harness.verbs import kernels as kernels_verb
from slidebench.kernels import DestructiveCollision, UnavailableError
from slidebench.kernels.position import FenError


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="slidebench")
def slidebench() -> None:
    """Measure how chess programs compute sliding-piece attacks, on any x86-64 CPU."""


for verb in (
    cpu.cpu,  # what this machine is
    kernels_verb.kernels,  # what it can run
    show.show,  # what a kernel answers
    verify.verify,  # whether the answers are right
    perft.perft,  # one count, one time
    run.run,  # everything measured, one record
    recommend.recommend,  # which kernel to use here
    compare.compare,  # records, levels or kernels against each other
    plot.plot,  # charts of records
    report.report,  # and all of it as a site
    exchange.export_verb,  # records to other machines and programs
    exchange.import_verb,  # and from them
    calibrate.calibrate,  # whether the verdicts can be trusted here
):
    slidebench.add_command(verb)


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
