"""slidebench recommend: which kernel to use here."""

from pathlib import Path

import click

from slidebench.harness.analysis.recommend import Recommendation, recommendations
from slidebench.harness.analysis.stats import perft_groups
from slidebench.harness.machine.cpu import describe
from slidebench.harness.records.reader import RecordError, read_record
from slidebench.harness.records.schema import Record
from slidebench.harness.records.store import representative, runs
from slidebench.harness.verbs import options


@click.command()
@click.argument("record", required=False, metavar="[RECORD]", type=click.Path(path_type=Path))
@options.results
@options.as_json
@options.example("slidebench recommend")
def command(record: Path | None, results: Path, as_json: bool) -> None:
    """Name the fastest kernel of each level, from a record of this machine.

    Without RECORD the machine's fullest one is taken. Kernels from which no difference was shown
    stand beside the fastest.
    """
    read = read_record(record) if record else _representative(results)
    found = recommendations(read)
    if not found:
        raise RecordError("that record has no perft figures; make one with `slidebench run`")
    if as_json:
        options.print_json(
            [
                each._asdict()
                | {
                    "rate": each.rate._asdict(),
                    "faster_popcount": each.faster_popcount and each.faster_popcount._asdict(),
                }
                for each in found
            ]
        )
        return
    print(f"{read.machine.brand} ({read.machine.microarchitecture}), record {read.started_utc}")
    for each in found:
        print(_sentence(each))


def _representative(results: Path) -> Record:
    folder = runs(results, describe())
    records = [read_record(path) for path in sorted(folder.glob("*.json"))]
    several = [
        each
        for each in records
        if each.complete and len({choice.kernel for choice in perft_groups(each)}) > 1
    ]
    if not several:
        raise RecordError(
            f"no complete record of several kernels in {folder}; make one with `slidebench run`"
        )
    return representative(several)


def _sentence(each: Recommendation) -> str:
    rate = f"{each.rate.median / 1e6:.0f} ± {100 * each.rate.relative_half_width:.1f} % million nodes/s"
    equals = f"; no difference shown from {', '.join(each.equals)}" if each.equals else ""
    without = f"; without PEXT {each.without_pext}" if each.without_pext else ""
    faster = each.faster_popcount
    popcount = (
        f"; popcount {faster.popcount} makes {faster.kernel} {faster.ratio:.2f} times as fast"
        if faster
        else ""
    )
    return f"{each.level}: {each.kernel}, {rate}{equals}{without}{popcount}"
