"""Estimates from raw samples: how fast, how sure, and whether two differ.

A launch is a process: where its tables lie in memory and in the caches is drawn anew with each. So the launch
is the unit of chance: rounds are reduced to a median within their launch, and intervals and verdicts come
from how the launches scatter. docs/method.md has the reasons and the calibration.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats as scipy_stats
from scipy.stats import mstats

from slidebench.harness.records.schema import Record, Samples
from slidebench.harness.workloads import Perft
from slidebench.kernels import Choice
from slidebench.kernels.catalogue import level_rank

CONFIDENCE = 0.95
SIGNIFICANCE = 0.05  # of all comparisons of one table together
RESAMPLES = 2_000
TRIMMED = 0.1  # of the launches at each end, in verdicts
MIN_VERDICT_LAUNCHES = 3  # with fewer, launches cannot show how much they scatter: no verdict is given

Floats = NDArray[np.float64]
Round = tuple[int, int]  # launch, round
Verdict = Literal["faster", "slower", "no difference shown"]
SIGNS: dict[Verdict, str] = {"faster": "+", "slower": "-", "no difference shown": "="}


class Rate(NamedTuple):
    """Operations per second: the median of launch medians and its 95 % interval."""

    median: float
    low: float
    high: float
    launches: int
    rounds: int

    @property
    def relative_half_width(self) -> float:
        """Half the interval, as a fraction of the median: the x of "± x"."""
        return (self.high - self.low) / 2 / self.median


class Nanoseconds(NamedTuple):
    """Time of one operation: the median of launch medians and its 95 % interval."""

    median: float
    low: float
    high: float


class Comparison(NamedTuple):
    """How many times as fast one is as another, its 95 % interval, and what may be said of it."""

    ratio: float
    low: float
    high: float
    p_value: float
    verdict: Verdict

    @property
    def sign(self) -> str:
        """The verdict in one letter: + faster, - slower, = no difference shown."""
        return SIGNS[self.verdict]


def rates(samples: Samples) -> dict[Round, float]:
    """Operations per second by (launch, round); samples without positive time are left out."""
    return {
        (launch, round_): samples.operations * 1e9 / nanoseconds
        for launch, round_, nanoseconds in zip(
            samples.launches, samples.rounds, samples.cpu_nanoseconds, strict=True
        )
        if nanoseconds > 0
    }


def rate(group: Sequence[Samples]) -> Rate | None:
    """The rate of several workloads together: their geometric mean in each round.

    None unless at least one round has a sample of every workload.
    """
    logs = _log_means(group)
    if not logs:
        return None
    launches = _by_launch(logs)
    low, high = _interval(launches)
    middle = _middle(launches)
    return Rate(float(np.exp(middle)), float(np.exp(low)), float(np.exp(high)), len(launches), len(logs))


def nanoseconds(samples: Samples, *, added: bool = False) -> Nanoseconds | None:
    """The time of one operation; None unless a sample has a time.

    With `added`, samples are what the operations add to other work: a difference, which may be negative.
    """
    times = {
        (launch, round_): elapsed / samples.operations
        for launch, round_, elapsed in zip(
            samples.launches, samples.rounds, samples.cpu_nanoseconds, strict=True
        )
        if samples.operations and (added or elapsed > 0)
    }
    if not times:
        return None
    launches = _by_launch(times)
    return Nanoseconds(_middle(launches), *_interval(launches))


def compare(pairs: Sequence[tuple[Sequence[Samples], Sequence[Samples]]]) -> list[Comparison | None]:
    """Each first group against its second, by the ratios within rounds both have; None where there are none.

    All comparisons are judged together (Holm, 1979): the chance of one or more wrong verdicts among them is
    at most SIGNIFICANCE.
    """
    return _judged([_log_ratios(first, second) for first, second in pairs], _middle, _interval, _p_value)


def compare_records(
    pairs: Sequence[tuple[Sequence[Samples], Sequence[Samples]]],
) -> list[Comparison | None]:
    """As `compare`, for groups of different records: they share no round, so launch stands against launch."""
    return _judged(
        [tuple(_launch_medians(group) for group in pair) for pair in pairs],
        lambda medians: float(np.median(medians[0]) - np.median(medians[1])),
        _unpaired_interval,
        _unpaired_p_value,
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """P values adjusted for their number (Holm, 1979), in the order given."""
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = largest
    return adjusted


def levels_of(choices: Iterable[Choice]) -> list[str]:
    """The levels of some choices, lowest first."""
    return sorted({choice.level for choice in choices}, key=lambda level: (level_rank(level), level))


def perft_groups(record: Record, *, bulk: bool = True) -> dict[Choice, list[Samples]]:
    """The perft samples by choice, bulk counted or not, where every position was timed."""
    perfts = {each.name for each in record.workloads if isinstance(each, Perft) and each.bulk == bulk}
    groups: dict[Choice, list[Samples]] = {}
    for samples in record.samples:
        if samples.workload in perfts:
            groups.setdefault(samples.choice, []).append(samples)
    return {choice: group for choice, group in groups.items() if len(group) == len(perfts)}


def perft_rates(record: Record, *, bulk: bool = True) -> dict[Choice, Rate]:
    """Nodes/s by choice, over all perft workloads of the record, bulk counted or not."""
    found = {key: rate(group) for key, group in perft_groups(record, bulk=bulk).items()}
    return {key: value for key, value in found.items() if value is not None}


def _log_means(group: Sequence[Samples]) -> dict[Round, float]:
    """The logarithm of the geometric mean rate by round, in the rounds that have every workload."""
    by_round = [rates(samples) for samples in group]
    keys = [key for key in by_round[0] if all(key in other for other in by_round)] if by_round else []
    return {key: float(np.mean([np.log(each[key]) for each in by_round])) for key in keys}


def _log_ratios(first: Sequence[Samples], second: Sequence[Samples]) -> list[Floats]:
    """Logarithms of the ratio in each round both have, by launch."""
    one, other = _log_means(first), _log_means(second)
    return _by_launch({key: value - other[key] for key, value in one.items() if key in other})


def _by_launch(values: dict[Round, float]) -> list[Floats]:
    launches: dict[int, list[float]] = {}
    for (launch, _), value in values.items():
        launches.setdefault(launch, []).append(value)
    return [np.array(each) for _, each in sorted(launches.items())]


def _middle(launches: list[Floats]) -> float:
    """The median of the launch medians."""
    return float(np.median([np.median(each) for each in launches]))


def _interval(launches: list[Floats]) -> tuple[float, float]:
    """Bootstrap interval of the middle: launches are drawn anew, and rounds within each."""
    chance = np.random.default_rng(0)  # the same record gives the same interval
    redrawn = np.stack([_redrawn_medians(each, chance) for each in launches], axis=1)

    def middles(drawn: NDArray[np.int64], axis: int) -> Any:
        rows = np.arange(len(drawn))[:, None] % RESAMPLES if drawn.ndim > 1 else 0
        return np.median(redrawn[rows, drawn], axis=axis)

    if len(launches) == 1:
        low, high = np.quantile(redrawn[:, 0], [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
        return float(low), float(high)
    found = scipy_stats.bootstrap(
        (np.arange(len(launches)),),
        middles,
        n_resamples=RESAMPLES,
        confidence_level=CONFIDENCE,
        method="percentile",
        vectorized=True,
        rng=chance,
    )
    return float(found.confidence_interval.low), float(found.confidence_interval.high)


def _redrawn_medians(launch: Floats, chance: np.random.Generator) -> Floats:
    """RESAMPLES medians of the rounds drawn anew, a few million numbers at a time."""
    rows = max((1 << 22) // len(launch), 1)
    parts = [min(rows, RESAMPLES - start) for start in range(0, RESAMPLES, rows)]
    return np.concatenate([np.median(chance.choice(launch, (part, len(launch))), axis=1) for part in parts])


def _p_value(launches: list[Floats]) -> float:
    """How probable so large a difference is if there is none, by a t test on the launches' trimmed medians.

    In one launch of ten or twenty a kernel lies badly in memory and is 5 % slower: the outermost launches are
    left out and their scatter kept (Tukey and McLaughlin, 1963).
    """
    if len(launches) < MIN_VERDICT_LAUNCHES:
        return 1.0
    medians = np.array([np.median(each) for each in launches])
    mean = float(mstats.trimmed_mean(medians, (TRIMMED, TRIMMED)))
    kept = len(medians) - 2 * int(TRIMMED * len(medians))
    # SciPy divides by the share to be kept, which is not the share kept where so few launches have no tenth.
    error = float(mstats.trimmed_stde(medians, (TRIMMED, TRIMMED))) * (1 - 2 * TRIMMED) * len(medians) / kept
    if error == 0:
        return 1.0 if mean == 0 else 0.0
    freedom = kept - 1
    return float(2 * scipy_stats.t.sf(abs(mean / error), freedom))


def _launch_medians(group: Sequence[Samples]) -> Floats:
    return np.array([np.median(each) for each in _by_launch(_log_means(group))])


def _unpaired_interval(medians: Sequence[Floats]) -> tuple[float, float]:
    if min(len(each) for each in medians) < 2:
        middle = float(np.median(medians[0]) - np.median(medians[1]))
        return middle, middle
    found = scipy_stats.bootstrap(
        tuple(medians),
        lambda first, second, axis: np.median(first, axis=axis) - np.median(second, axis=axis),
        n_resamples=RESAMPLES,
        confidence_level=CONFIDENCE,
        method="percentile",
        vectorized=True,
        rng=np.random.default_rng(0),
    )
    return float(found.confidence_interval.low), float(found.confidence_interval.high)


def _unpaired_p_value(medians: Sequence[Floats]) -> float:
    """The same for launches that are no pairs, with unequal variances (Yuen, 1974)."""
    if min(len(each) for each in medians) < MIN_VERDICT_LAUNCHES:
        return 1.0
    if max(np.ptp(each) for each in medians) == 0:
        return 1.0 if medians[0][0] == medians[1][0] else 0.0
    return float(scipy_stats.ttest_ind(*medians, equal_var=False, trim=TRIMMED).pvalue)


def _judged(
    differences: Sequence[Any],
    middle: Callable[[Any], float],
    interval: Callable[[Any], tuple[float, float]],
    p_value: Callable[[Any], float],
) -> list[Comparison | None]:
    """Comparisons of log differences, judged together; None for those without launches."""
    present = [len(each) > 0 and all(len(part) > 0 for part in each) for each in differences]
    adjusted = iter(holm([p_value(each) for each, there in zip(differences, present, strict=True) if there]))
    found: list[Comparison | None] = []
    for each, there in zip(differences, present, strict=True):
        if not there:
            found.append(None)
            continue
        p, (low, high), difference = next(adjusted), interval(each), middle(each)
        verdict: Verdict = "no difference shown"
        if p < SIGNIFICANCE and not low <= 0 <= high:
            verdict = "faster" if difference > 0 else "slower"
        found.append(
            Comparison(float(np.exp(difference)), float(np.exp(low)), float(np.exp(high)), p, verdict)
        )
    return found
