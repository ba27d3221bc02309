"""slidebench probe: what single instructions cost on this CPU."""

import sys

import click
from rich.table import Table

from slidebench.harness.machine.probes import Report
from slidebench.harness.machine.probes import probe as measured
from slidebench.harness.verbs import options


@click.command()
@click.argument("instructions", nargs=-1, metavar="[INSTRUCTION...]")
@options.as_json
@options.example("slidebench probe pext")
def command(instructions: tuple[str, ...], as_json: bool) -> None:
    """Measure latency and throughput of instructions, and judge PEXT: fast, microcoded, emulated or absent.

    INSTRUCTION is one or more of those that kernels lean on, all if left out. Exit status 1 if the figures
    are not valid.
    """
    report = measured(instructions)
    if as_json:
        options.print_json(report)
    else:
        options.output.print(_table(report))
        for name, reason in report.absent.items():
            print(f"{name}: {reason}")
        print(f"pext is {report.pext.speed}: {report.pext.reason}")
        if report.not_valid:
            print(report.not_valid)
    sys.exit(1 if report.not_valid else 0)


def _table(report: Report) -> Table:
    table = Table(
        "instruction",
        "mask bits",
        "latency",
        "throughput",
        box=None,
        pad_edge=False,
        title="Core cycles of one instruction",
        title_justify="left",
    )
    for reading in report.readings:
        table.add_row(
            reading.instruction,
            "" if reading.mask_bits is None else str(reading.mask_bits),
            f"{reading.latency_cycles:.2f}",
            f"{reading.throughput_cycles:.2f}",
        )
    return table
