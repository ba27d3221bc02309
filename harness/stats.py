"""Estimates from raw samples: medians, spreads, geometric means."""

import statistics
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from slidebench.harness.records import Record, Samples
from slidebench.harness.workloads import Perft
from slidebench.kernels.catalogue import level_order


class Rate(NamedTuple):
    """Operations per second: the median over rounds, and the quartiles around it."""

    median: float
    low: float
    high: float
    rounds: int

    @property
    def spread(self) -> float:
        """Half the distance of the quartiles, as a fraction of the median."""
        return (self.high - self.low) / 2 / self.median


def geometric_mean(values: Iterable[float]) -> float:
    """The n-th root of the product: no position weighs more than another."""
    return statistics.geometric_mean(values)


def rates(samples: Samples) -> dict[tuple[int, int], float]:
    """Operations per second by (launch, round); samples without positive time are left out."""
    return {
        (launch, round_): samples.operations * 1e9 / nanoseconds
        for launch, round_, nanoseconds in zip(
            samples.launches, samples.rounds, samples.cpu_nanoseconds, strict=True
        )
        if nanoseconds > 0
    }


def rate(group: Sequence[Samples]) -> Rate | None:
    """The rate of several workloads together: the geometric mean within each round, then the median.

    None unless at least one round has a sample of every workload.
    """
    by_round = [rates(samples) for samples in group]
    if not by_round:
        return None
    complete = [key for key in by_round[0] if all(key in other for other in by_round)]
    if not complete:
        return None
    means = [geometric_mean(each[key] for each in by_round) for key in complete]
    if len(means) == 1:
        return Rate(means[0], means[0], means[0], 1)
    low, median, high = statistics.quantiles(means, n=4, method="inclusive")
    return Rate(median, low, high, len(means))


def levels_of(rates_found: Iterable[tuple[str, str, str]]) -> list[str]:
    """The levels among (kernel, popcount, level) keys, lowest first."""
    return sorted({level for _, _, level in rates_found}, key=lambda level: (level_order(level), level))


def perft_rates(record: Record) -> dict[tuple[str, str, str], Rate]:
    """Nodes/s by (kernel, popcount, level), over all bulk-counted perft workloads of the record."""
    perfts = {workload.name for workload in record.workloads if isinstance(workload, Perft) and workload.bulk}
    groups: dict[tuple[str, str, str], list[Samples]] = {}
    for samples in record.samples:
        if samples.workload in perfts:
            groups.setdefault((samples.kernel, samples.popcount, samples.level), []).append(samples)
    found = {key: rate(group) for key, group in groups.items() if len(group) == len(perfts)}
    return {key: value for key, value in found.items() if value is not None}
