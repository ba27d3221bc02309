"""Estimates from raw samples: how fast, how sure, and whether two differ.

A launch is a process (pyperf calls it a run, JMH a fork). Where its tables lie in memory and in the caches
differs from launch to launch, so the launch is the statistical unit: rounds are reduced to a median within
their launch, and intervals and verdicts come from the scatter of launches. docs/method.md has the reasons and
the calibration.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import stats as scipy_stats
from scipy.stats import mstats

from slidebench.harness.records.schema import Record, Samples
from slidebench.harness.workloads import Perft
from slidebench.kernels import Choice
from slidebench.kernels.catalogue import level_order

CONFIDENCE_LEVEL = 0.95
FAMILYWISE_ALPHA = 0.05  # the probability of any wrong verdict among the comparisons of one table
RESAMPLES = 2_000
TRIM_FRACTION = 0.1  # of the launches at each end, in verdicts
MIN_VERDICT_LAUNCHES = 3  # with fewer, launches cannot show how much they scatter: no verdict is given

Floats = NDArray[np.float64]
Round = tuple[int, int]  # launch, round
Verdict = Literal["faster", "slower", "no difference shown"]
SIGNS: dict[Verdict, str] = {"faster": "+", "slower": "-", "no difference shown": "="}


class Estimate(NamedTuple):
    """The median of launch medians with its 95 % interval, and the numbers of launches and rounds behind it."""

    median: float
    low: float
    high: float
    launches: int
    rounds: int

    @property
    def relative_half_width(self) -> float:
        """Half the interval, as a fraction of the median: the x of "± x"."""
        return (self.high - self.low) / 2 / self.median


class Comparison(NamedTuple):
    """How many times as fast one side is as the other, with its interval and verdict.

    The interval covers 95 % for this ratio alone, while `p_value` is adjusted for all comparisons judged with
    it. Where the verdict is "no difference shown", the interval is extended to include 1, so that it never
    contradicts the verdict.
    """

    ratio: float
    low: float
    high: float
    p_value: float
    verdict: Verdict

    @property
    def sign(self) -> str:
        """The verdict as one character: + faster, - slower, = no difference shown."""
        return SIGNS[self.verdict]


class LogRatio(Protocol):
    """The logarithm of a ratio of two rates, as samples show it; false where there are none to compare."""

    def __bool__(self) -> bool: ...
    def median(self) -> float: ...
    def interval(self) -> tuple[float, float]: ...
    def p_value(self) -> float:
        """The probability of a difference at least this large if the rates are equal, unadjusted."""


@dataclass(frozen=True)
class Paired:
    """Log ratios within rounds that both sides share, by launch."""

    launches: list[Floats]

    def __bool__(self) -> bool:
        return bool(self.launches)

    def median(self) -> float:
        return _median_of_medians(self.launches)

    def interval(self) -> tuple[float, float]:
        return _interval(self.launches)

    def p_value(self) -> float:
        """From a t test on the launches' trimmed medians (Tukey and McLaughlin, 1963).

        In one launch in ten or twenty a kernel has an unlucky memory layout and runs 5 % slower: the outermost
        launches are trimmed, their scatter is kept.
        """
        if len(self.launches) < MIN_VERDICT_LAUNCHES:
            return 1.0
        medians = np.array([np.median(launch) for launch in self.launches])
        limits = (TRIM_FRACTION, TRIM_FRACTION)
        mean = float(mstats.trimmed_mean(medians, limits))
        kept = len(medians) - 2 * int(TRIM_FRACTION * len(medians))
        # SciPy divides by the nominal share kept; with fewer than ten launches none is trimmed.
        correction = (1 - 2 * TRIM_FRACTION) * len(medians) / kept
        standard_error = float(mstats.trimmed_stde(medians, limits)) * correction
        if standard_error == 0:
            return 1.0 if mean == 0 else 0.0
        degrees_of_freedom = kept - 1
        return float(2 * scipy_stats.t.sf(abs(mean / standard_error), degrees_of_freedom))


@dataclass(frozen=True)
class Unpaired:
    """Log medians of the launches of two records, which share no round."""

    first: Floats
    second: Floats

    def __bool__(self) -> bool:
        return len(self.first) > 0 and len(self.second) > 0

    def median(self) -> float:
        return float(np.median(self.first) - np.median(self.second))

    def interval(self) -> tuple[float, float]:
        """Percentile bootstrap interval: resample the launches of either side."""
        rng = np.random.default_rng(0)
        first, second = (
            np.median(rng.choice(medians, (RESAMPLES, len(medians))), axis=1)
            for medians in (self.first, self.second)
        )
        return _central(first - second)

    def p_value(self) -> float:
        """From a trimmed t test with unequal variances (Yuen, 1974)."""
        if min(len(self.first), len(self.second)) < MIN_VERDICT_LAUNCHES:
            return 1.0
        if np.ptp(self.first) == 0 and np.ptp(self.second) == 0:
            return 1.0 if self.first[0] == self.second[0] else 0.0
        test = scipy_stats.ttest_ind(self.first, self.second, equal_var=False, trim=TRIM_FRACTION)
        return float(test.pvalue)


def rates(samples: Samples) -> dict[Round, float]:
    """Operations per second by (launch, round); samples without a positive time are omitted."""
    return {
        (launch, round_): samples.operations * 1e9 / nanoseconds
        for launch, round_, nanoseconds in zip(
            samples.launches, samples.rounds, samples.cpu_nanoseconds, strict=True
        )
        if nanoseconds > 0
    }


def rate(group: Sequence[Samples]) -> Estimate | None:
    """Operations per second of several workloads together: their geometric mean in each round.

    None unless at least one round has a sample of every workload.
    """
    logs = _log_means(group)
    if not logs:
        return None
    estimate = _estimate(logs)
    return estimate._replace(
        median=float(np.exp(estimate.median)),
        low=float(np.exp(estimate.low)),
        high=float(np.exp(estimate.high)),
    )


def nanoseconds(samples: Samples, *, subtracted: bool = False) -> Estimate | None:
    """Nanoseconds per operation; None without a usable sample.

    With `subtracted`, a sample is the difference of two measurements and may be negative.
    """
    times = {
        (launch, round_): elapsed / samples.operations
        for launch, round_, elapsed in zip(
            samples.launches, samples.rounds, samples.cpu_nanoseconds, strict=True
        )
        if samples.operations and (subtracted or elapsed > 0)
    }
    return _estimate(times) if times else None


def compare(pairs: Sequence[tuple[Sequence[Samples], Sequence[Samples]]]) -> list[Comparison | None]:
    """Compare the first group of each pair with its second, within rounds; None where they share no round.

    All comparisons are judged together (Holm, 1979): the probability of one or more wrong verdicts among them
    is at most FAMILYWISE_ALPHA.
    """
    return _judged([Paired(_log_ratios(first, second)) for first, second in pairs])


def compare_records(pairs: Sequence[tuple[Sequence[Samples], Sequence[Samples]]]) -> list[Comparison | None]:
    """Compare groups of different records, which share no round, launch medians with launch medians.

    Judged together as in `compare`.
    """
    return _judged([Unpaired(_launch_medians(first), _launch_medians(second)) for first, second in pairs])


def holm(p_values: Sequence[float]) -> list[float]:
    """P values adjusted for their number (Holm, 1979), in the given order."""
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = largest
    return adjusted


def levels_of(choices: Iterable[Choice]) -> list[str]:
    """The levels of the choices, lowest first."""
    return sorted({choice.level for choice in choices}, key=lambda level: (level_order(level), level))


def perft_groups(record: Record, *, bulk: bool = True) -> dict[Choice, list[Samples]]:
    """Perft samples by choice, with or without bulk counting, for choices that timed every position."""
    perfts = {
        workload.name
        for workload in record.workloads
        if isinstance(workload, Perft) and workload.bulk == bulk
    }
    groups: dict[Choice, list[Samples]] = {}
    for samples in record.samples:
        if samples.workload in perfts:
            groups.setdefault(samples.choice, []).append(samples)
    return {choice: group for choice, group in groups.items() if len(group) == len(perfts)}


def perft_rates(record: Record, *, bulk: bool = True) -> dict[Choice, Estimate]:
    """Nodes/s by choice, over all perft workloads of the record, with or without bulk counting."""
    estimates = {choice: rate(group) for choice, group in perft_groups(record, bulk=bulk).items()}
    return {choice: estimate for choice, estimate in estimates.items() if estimate is not None}


def _log_means(group: Sequence[Samples]) -> dict[Round, float]:
    """The logarithm of the geometric mean rate by round, for rounds that have every workload."""
    by_workload = [rates(samples) for samples in group]
    if not by_workload:
        return {}
    return {
        round_: float(np.mean([np.log(by_round[round_]) for by_round in by_workload]))
        for round_ in by_workload[0]
        if all(round_ in by_round for by_round in by_workload)
    }


def _log_ratios(first: Sequence[Samples], second: Sequence[Samples]) -> list[Floats]:
    """Log ratios in rounds that both groups have, by launch."""
    numerators, denominators = _log_means(first), _log_means(second)
    return _by_launch(
        {
            round_: value - denominators[round_]
            for round_, value in numerators.items()
            if round_ in denominators
        }
    )


def _launch_medians(group: Sequence[Samples]) -> Floats:
    return np.array([np.median(launch) for launch in _by_launch(_log_means(group))])


def _by_launch(values: dict[Round, float]) -> list[Floats]:
    launches: dict[int, list[float]] = {}
    for (launch, _), value in values.items():
        launches.setdefault(launch, []).append(value)
    return [np.array(values) for _, values in sorted(launches.items())]


def _estimate(values: dict[Round, float]) -> Estimate:
    launches = _by_launch(values)
    return Estimate(_median_of_medians(launches), *_interval(launches), len(launches), len(values))


def _median_of_medians(launches: Sequence[Floats]) -> float:
    return float(np.median([np.median(launch) for launch in launches]))


def _interval(launches: Sequence[Floats]) -> tuple[float, float]:
    """Percentile bootstrap interval of the median of medians: resample launches, and rounds within them."""
    rng = np.random.default_rng(0)  # the same record gives the same interval
    medians = np.stack([_resampled_medians(launch, rng) for launch in launches], axis=1)
    picks = rng.integers(len(launches), size=medians.shape)
    return _central(np.median(np.take_along_axis(medians, picks, axis=1), axis=1))


def _resampled_medians(launch: Floats, rng: np.random.Generator) -> Floats:
    """RESAMPLES medians of resampled rounds, computed a few million numbers at a time."""
    rows = max((1 << 22) // len(launch), 1)
    parts = [min(rows, RESAMPLES - start) for start in range(0, RESAMPLES, rows)]
    return np.concatenate([np.median(rng.choice(launch, (part, len(launch))), axis=1) for part in parts])


def _central(values: Floats) -> tuple[float, float]:
    """The quantiles between which CONFIDENCE_LEVEL of the values lie."""
    low, high = np.quantile(values, [(1 - CONFIDENCE_LEVEL) / 2, (1 + CONFIDENCE_LEVEL) / 2])
    return float(low), float(high)


def _judged(log_ratios: Sequence[LogRatio]) -> list[Comparison | None]:
    """Comparisons judged together, in the given order; None for those without samples."""
    present = {index: log_ratio for index, log_ratio in enumerate(log_ratios) if log_ratio}
    p_values = holm([log_ratio.p_value() for log_ratio in present.values()])
    comparisons = {
        index: _comparison(log_ratio, p_value)
        for (index, log_ratio), p_value in zip(present.items(), p_values, strict=True)
    }
    return [comparisons.get(index) for index in range(len(log_ratios))]


def _comparison(log_ratio: LogRatio, p_value: float) -> Comparison:
    """The verdict takes both a small p value and an interval without 1; else the interval is made to hold 1."""
    middle, (low, high) = log_ratio.median(), log_ratio.interval()
    verdict: Verdict
    if p_value < FAMILYWISE_ALPHA and not low <= 0 <= high:
        verdict = "faster" if middle > 0 else "slower"
    else:
        verdict = "no difference shown"
        low, high = min(low, 0.0), max(high, 0.0)
    return Comparison(float(np.exp(middle)), float(np.exp(low)), float(np.exp(high)), p_value, verdict)
