"""Records for other programs: each format takes what it can hold, and says what unit it has.

A record travels as it is: its own JSON. The rest are views of its medians.
"""

import csv
import io
import json
from collections.abc import Callable
from contextlib import suppress
from itertools import takewhile
from pathlib import Path

from slidebench.harness.analysis.stats import Estimate, perft_rates, rate
from slidebench.harness.machine.cpu import machine_name
from slidebench.harness.records.reader import RecordError, read_record
from slidebench.harness.records.schema import Record, Samples
from slidebench.harness.records.store import create_record, encode_record, numbered, record_path
from slidebench.harness.workloads import subtracted_workloads


def figures(record: Record) -> list[tuple[Samples, Estimate]]:
    """Every kernel and workload with its rate in operations per second; a difference has none."""
    added = subtracted_workloads(record.workloads)
    found = ((each, rate([each])) for each in record.samples if each.workload not in added)
    return [(samples, each) for samples, each in found if each is not None]


def as_csv(record: Record) -> str:
    """One row for each kernel and workload."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        [
            "machine", "brand", "microarchitecture", "kernel", "level", "popcount", "workload",
            "operations_per_second", "interval_low", "interval_high", "launches", "rounds",
        ]
    )  # fmt: skip
    for samples, each in figures(record):
        writer.writerow(
            [
                machine_name(record.machine),
                *map(_cell, (record.machine.brand, record.machine.microarchitecture)),
                *map(_cell, (samples.kernel, samples.level, samples.popcount, samples.workload)),
                each.median, each.low, each.high, each.launches, each.rounds,
            ]
        )  # fmt: skip
    return text.getvalue()


def as_markdown(record: Record) -> str:
    """Perft nodes/s by kernel and level."""
    lines = [
        f"Million perft nodes/s on {_escaped(record.machine.brand)} "
        f"({_escaped(record.machine.microarchitecture)}), one thread, bulk counted: "
        "geometric mean of the positions, ± half the 95 % interval.",
        "",
        "| kernel | popcount | level | million nodes/s |",
        "|---|---|---|---:|",
    ]
    lines += [
        f"| {_escaped(choice.kernel)} | {_escaped(choice.popcount)} | {_escaped(choice.level)} "
        f"| {rate.median / 1e6:.0f} ± {100 * rate.relative_half_width:.1f} % |"
        for choice, rate in perft_rates(record).items()
    ]
    return "\n".join(lines) + "\n"


def as_pyperf(record: Record) -> str:
    """A pyperf suite: seconds per operation, one run for each launch."""
    benchmarks = []
    for samples, _ in figures(record):
        runs = [
            {
                "values": [
                    nanoseconds / 1e9 / samples.operations
                    for each, nanoseconds in zip(samples.launches, samples.cpu_nanoseconds, strict=True)
                    if each == launch and nanoseconds > 0
                ]
            }
            for launch in sorted(set(samples.launches))
        ]
        metadata = {"name": _name(samples), "unit": "second", "loops": samples.operations}
        benchmarks.append({"metadata": metadata, "runs": [run for run in runs if run["values"]]})
    common = {"cpu_model_name": record.machine.brand, "python_version": record.python}
    return json.dumps({"version": "1.0", "metadata": common, "benchmarks": benchmarks}, indent=1)


def as_github_action_benchmark(record: Record) -> str:
    """The custom "bigger is better" form of github-action-benchmark: operations per second."""
    rows = [
        {
            "name": _name(samples),
            "unit": "operations/s",
            "value": each.median,
            "range": f"± {each.relative_half_width:.2%}",
        }
        for samples, each in figures(record)
    ]
    return json.dumps(rows, indent=1)


def as_bencher(record: Record) -> str:
    """Bencher Metric Format: operations per second with the interval."""
    rows = {
        _name(samples): {
            "operations_per_second": {"value": each.median, "lower_value": each.low, "upper_value": each.high}
        }
        for samples, each in figures(record)
    }
    return json.dumps(rows, indent=1)


FORMATS: dict[str, Callable[[Record], str]] = {
    "json": lambda record: encode_record(record).decode(),
    "csv": as_csv,
    "markdown": as_markdown,
    "pyperf": as_pyperf,
    "github": as_github_action_benchmark,
    "bencher": as_bencher,
}


def import_record(source: Path, results: Path) -> Path:
    """Check a record from elsewhere and put it where this project's records lie; returns its new path.

    Only the record's own content decides the place, and every part of that is made safe for a path. Raises
    RecordError for what is not a record.
    """
    record = read_record(source)
    for other in takewhile(Path.exists, numbered(record_path(results, record))):
        with suppress(RecordError):
            if read_record(other) == record:
                return other
    return create_record(results, record)


def _name(samples: Samples) -> str:
    return f"{samples.kernel} {samples.level} {samples.popcount}: {samples.workload}"


def _escaped(text: str) -> str:
    """Text from a record, harmless in Markdown."""
    return "".join(f"\\{letter}" if letter in r"\`*[]<>()!|" else letter for letter in text)


def _cell(text: str) -> str:
    """Text from a record, harmless in a spreadsheet: no formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text
