"""slidebench verify: whether the answers are right."""

import sys

import click
from rich.progress import track

from slidebench import kernels
from slidebench.harness.positions.verify import check
from slidebench.harness.verbs import options


@click.command()
@options.kernel
@options.level
@options.popcount
@options.as_json
@options.example("slidebench verify --kernel pext --level v3")
def command(kernel: str | None, level: str | None, popcount: str | None, as_json: bool) -> None:
    """Check kernels against the ray walk and known perft counts; exit status 1 on a mismatch."""
    chosen = kernels.Selection(kernel, level, popcount).runnable()
    checks = [
        check(choice)
        for choice in track(chosen, "verifying", console=options.notes, transient=True, disable=as_json)
    ]
    failed = [each for each in checks if each.failure]
    if as_json:
        options.print_json(checks)
    else:
        for each in failed:
            print(f"FAILED {each.failure}")
        print(f"{len(checks) - len(failed)} of {len(checks)} kernels are right")
    sys.exit(1 if failed else 0)
