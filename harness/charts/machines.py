"""Charts across records: machines and compilers against the first, and one machine's history."""

from collections.abc import Callable, Hashable, Sequence
from itertools import pairwise

from matplotlib.figure import Figure

from slidebench.harness.analysis.compare import LIKE, compilers, record_labels, records_table
from slidebench.harness.analysis.stats import levels_of
from slidebench.harness.analysis.summary import RecordSummary
from slidebench.harness.charts.captions import basis, machine_line, million
from slidebench.harness.charts.frame import Dot, framed, left_out, printable, scaled
from slidebench.harness.charts.lines import draw_lines, label_lines
from slidebench.harness.charts.ratios import ratio_rows
from slidebench.harness.charts.theme import DASHES, MARKERS, muted
from slidebench.harness.machine.cpu import machine_name
from slidebench.harness.records.schema import Record
from slidebench.harness.records.store import representative
from slidebench.kernels import Choice

MAX_COMMITS = 40
MAX_LINES = len(MARKERS) * len(DASHES)  # more would share marker and dash with another
Point = tuple[float, Dot]  # index of the run, and the rate


def machine_ratios(records: Sequence[RecordSummary]) -> Figure | None:
    """How many times as fast each kernel is on other machines, or from other compilers, as on the first.

    Of several records of one machine and compiler, the representative one is shown.
    """
    chosen = _representatives(
        records, lambda each: (machine_name(each.record.machine), compilers(each.record))
    )
    if len(chosen) < 2:
        return None
    return ratio_rows(records_table([each.record for each in chosen]), chosen)


def history(records: Sequence[RecordSummary]) -> Figure | None:
    """Perft nodes/s of each kernel over the commits that a machine measured with one compiler, oldest first.

    The compiler is that of the most commits, or the newest of equals; the fullest of several runs of a commit
    stands for it.
    """
    if len({machine_name(each.record.machine) for each in records}) != 1:
        return None
    ordered = _of_one_compiler([each for each in records if each.nodes])[-MAX_COMMITS:]
    if len({each.record.commit for each in ordered}) < 2:
        return None
    level, popcount = levels_of(choice for each in ordered for choice in each.nodes)[-1], ordered[-1].popcount
    lines, unusable = _lines(ordered, popcount, level)
    if not lines:
        return None
    fastest = sorted(lines, key=lambda kernel: _last(lines[kernel]), reverse=True)
    shown = {kernel: lines[kernel] for kernel in fastest[:MAX_LINES]}
    breaks = [
        place
        for place in range(1, len(ordered))
        if any(like(ordered[place].record) != like(ordered[place - 1].record) for like in LIKE.values())
    ]
    height = max(4.2, 1.0 + 0.14 * len(shown))
    notes = left_out(unusable)
    if len(lines) > len(shown):
        notes.append(
            f"The {len(shown)} fastest kernels by the last run; {len(lines) - len(shown)} more are omitted."
        )
    if others := sum(compilers(each.record) != compilers(ordered[-1].record) for each in records):
        notes.append(f"Runs of other compilers omitted: {others}.")
    if breaks:
        notes.append("Vertical lines: generator or positions changed here; do not compare across them.")
    figure = framed(height, _basis(ordered, level, popcount), notes)
    axes = figure.subplots()
    parts = {kernel: _parts(line, breaks) for kernel, line in shown.items()}
    draw_lines(axes, parts)
    for place in breaks:
        axes.axvline(place - 0.5, color=muted(), linewidth=1, linestyle=(0, (4, 3)))
    ticks = [_tick(each.record) for each in ordered]
    axes.set_xticks(range(len(ordered)), ticks, rotation=50, ha="right", fontsize=8)
    axes.set_xlim(-0.4, len(ordered) - 0.6)
    scaled(axes.yaxis, [value for line in shown.values() for _, dot in line for value in dot[:3]], log=True)
    label_lines(axes, parts, height - 1.0)
    axes.set_xlabel("commit and day of the run")
    axes.set_ylabel("million perft nodes per second")
    return figure


def _representatives(
    records: Sequence[RecordSummary], key: Callable[[RecordSummary], Hashable]
) -> list[RecordSummary]:
    """The fullest of the records that share a key, in order of the first of each."""
    groups: dict[Hashable, list[RecordSummary]] = {}
    for each in records:
        groups.setdefault(key(each), []).append(each)
    chosen = [representative([each.record for each in group]) for group in groups.values()]
    return [
        next(each for each in group if each.record is one)
        for group, one in zip(groups.values(), chosen, strict=True)
    ]


def _of_one_compiler(records: Sequence[RecordSummary]) -> list[RecordSummary]:
    """A run of each commit by the compiler with the most commits, oldest first; of equals, the newest's."""
    by_compiler: dict[str, list[RecordSummary]] = {}
    for each in _representatives(records, lambda each: (compilers(each.record), _commit(each.record))):
        by_compiler.setdefault(compilers(each.record), []).append(each)
    ordered = [
        sorted(runs, key=lambda each: (each.record.started_utc, _commit(each.record)))
        for runs in by_compiler.values()
    ]
    return max(ordered, key=lambda runs: (len(runs), runs[-1].record.started_utc), default=[])


def _lines(ordered: Sequence[RecordSummary], popcount: str, level: str) -> tuple[dict[str, list[Point]], int]:
    """Every kernel's drawable points, and how many are not."""
    lines: dict[str, list[Point]] = {}
    unusable = 0
    for place, each in enumerate(ordered):
        for kernel in each.kernels:
            rate = each.nodes.get(Choice(kernel, level, popcount))
            if rate and million(rate).drawable:
                lines.setdefault(kernel, []).append((place, million(rate)))
            elif rate:
                unusable += 1
    return lines, unusable


def _last(line: list[Point]) -> tuple[float, float]:
    """Later runs before earlier ones, then by speed."""
    place, dot = line[-1]
    return place, dot.value


def _parts(line: list[Point], breaks: Sequence[int]) -> list[list[Point]]:
    """The points between one change of questions and the next."""
    bounds = [0, *breaks, MAX_COMMITS]
    parts = [[point for point in line if low <= point[0] < high] for low, high in pairwise(bounds)]
    return [part for part in parts if part]


def _commit(record: Record) -> str:
    return f"{record.commit[:8]}{'+' if record.dirty else ''}"


def _tick(record: Record) -> str:
    day = f"{record.started_utc[:4]}-{record.started_utc[4:6]}-{record.started_utc[6:8]}"
    return printable(f"{_commit(record)}  {day}", 30)


def _basis(ordered: Sequence[RecordSummary], level: str, popcount: str) -> list[str]:
    (label,) = record_labels([ordered[-1].record])
    measured = (
        f"level {level}, {printable(popcount, 20)} popcount; representative run of each commit "
        "(+: uncommitted changes)"
    )
    subject = f"{machine_line(ordered[-1].record)} [{printable(label, 30)}]"
    return basis([subject], measured, [rate for summary in ordered for rate in summary.nodes.values()])
