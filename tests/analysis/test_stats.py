"""Estimates from made-up samples whose answers can be worked out by hand, or are known by construction."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from slidebench.harness.analysis.stats import Estimate, compare, compare_records, holm, nanoseconds, rate
from slidebench.harness.records.schema import Samples


def samples(
    workload: str, operations: int, nanoseconds: list[int], rounds: list[int] | None = None, launch: int = 0
) -> Samples:
    return Samples(
        kernel="k",
        level="v1",
        popcount="builtin",
        workload=workload,
        operations=operations,
        launches=[launch] * len(nanoseconds),
        rounds=list(range(len(nanoseconds))) if rounds is None else rounds,
        cpu_nanoseconds=nanoseconds,
    )


def launched(nanoseconds: list[list[float]]) -> list[Samples]:
    """One workload, one list for each launch."""
    return [
        Samples(
            kernel="k",
            level="v1",
            popcount="builtin",
            workload="a",
            operations=1000,
            launches=[launch for launch, each in enumerate(nanoseconds) for _ in each],
            rounds=[round_ for each in nanoseconds for round_ in range(len(each))],
            cpu_nanoseconds=[round(value) for each in nanoseconds for value in each],
        )
    ]


def _by_launch(samples: Samples) -> list[list[int]]:
    """The times of each launch."""
    found: dict[int, list[int]] = {}
    for launch, each in zip(samples.launches, samples.cpu_nanoseconds, strict=True):
        found.setdefault(launch, []).append(each)
    return list(found.values())


def noisy(rng: np.random.Generator, slowdown: float = 1.0, launches: int = 10) -> tuple:
    """Two groups on a machine that drifts by 5 % and scatters by 1 %, launches by 0.3 %."""
    drift = 1 + 0.05 * rng.standard_normal((launches, 12))
    groups = []
    for factor in (1.0, slowdown):
        launch = 1 + 0.003 * rng.standard_normal((launches, 1))
        scatter = 1 + 0.01 * rng.standard_normal((launches, 12))
        groups.append(launched((1e7 * factor * launch * drift * scatter).tolist()))
    return tuple(groups)


def test_a_million_nodes_in_a_quarter_second_are_four_million_nodes_per_second() -> None:
    assert rate([samples("a", 1_000_000, [250_000_000])]) == pytest.approx(Estimate(4e6, 4e6, 4e6, 1, 1))


@pytest.mark.parametrize(
    ("nanoseconds", "per_second"), [(10**9, 1), (5 * 10**8, 2), (10**8, 10), (10**7, 100)]
)
def test_one_call_of_a_known_length_gives_its_rate(nanoseconds: int, per_second: float) -> None:
    found = rate([samples("a", 1, [nanoseconds])])
    assert found is not None
    assert found.median == pytest.approx(per_second)


def test_the_median_is_not_moved_by_one_outlier() -> None:
    found = rate([samples("a", 10, [10, 10, 10, 10, 10_000])])
    assert found is not None
    assert found.median == pytest.approx(1e9)


def test_the_interval_of_two_peaked_samples_reaches_to_both_peaks() -> None:
    found = rate([samples("a", 100, [100, 50, 100, 50])])
    assert found is not None
    assert (found.low, found.high) == pytest.approx((1e9, 2e9))


def test_the_middle_is_the_median_of_launch_medians() -> None:
    found = rate(launched([[1000, 1000, 1000, 1000, 5000], [500], [250]]))
    assert found is not None
    assert found.median == pytest.approx(2e9)  # not the median of all seven samples
    assert (found.launches, found.rounds) == (3, 7)


def test_the_same_samples_give_the_same_interval() -> None:
    group, _ = noisy(np.random.default_rng(1))
    assert rate(group) == rate(group)


def test_nine_of_ten_intervals_or_more_hold_the_true_rate() -> None:
    rng = np.random.default_rng(2)
    held = 0
    for _ in range(200):
        launch = 1 + 0.01 * rng.standard_normal((10, 1))
        found = rate(launched((1e7 * launch * (1 + 0.01 * rng.standard_normal((10, 8)))).tolist()))
        assert found is not None
        held += found.low <= 1e5 <= found.high
    assert held >= 180


def test_workloads_weigh_alike_whatever_their_size() -> None:
    found = rate([samples("small", 1, [1]), samples("large", 4_000_000, [1_000_000])])
    assert found is not None
    assert found.median == pytest.approx(2e9)  # the geometric mean of 1 and 4 operations per nanosecond


def test_rounds_that_lack_a_workload_are_left_out() -> None:
    found = rate([samples("a", 1, [1, 2, 4]), samples("b", 1, [1, 4], rounds=[0, 2])])
    assert found is not None
    assert (found.launches, found.rounds) == (1, 2)


@pytest.mark.parametrize("nanoseconds", [[0], [-5], []])
def test_a_frozen_or_backward_clock_gives_no_rate(nanoseconds: list[int]) -> None:
    assert rate([samples("a", 1, nanoseconds)]) is None


def test_no_samples_give_no_rate() -> None:
    assert rate([]) is None


def test_an_operation_takes_the_median_of_its_times() -> None:
    found = nanoseconds(samples("a", 10, [100, 110, 120]))
    assert found is not None
    assert found.median == pytest.approx(11)
    assert 10 <= found.low <= 11 <= found.high <= 12


def test_of_what_is_added_to_other_work_no_negative_time_is_left_out() -> None:
    added = samples("a", 10, [-30, 10, 20, -10, 30])
    found = nanoseconds(added, subtracted=True)
    assert found is not None
    assert (found.median, found.low < 0) == (1, True)
    others = nanoseconds(added)  # where the clock ran backwards
    assert others is not None
    assert others.median == 2


class TestComparing:
    @pytest.mark.parametrize("launches", [5, 10])
    def test_equal_kernels_are_called_different_in_at_most_one_of_twenty_tables(self, launches: int) -> None:
        rng = np.random.default_rng(3)
        wrong = sum(
            any(
                found.verdict != "no difference shown"
                for found in compare([noisy(rng, launches=launches) for _ in range(5)])
                if found
            )
            for _ in range(200)
        )
        assert wrong <= scipy_stats.binom(200, 0.05).ppf(0.999)

    @pytest.mark.parametrize("launches", [3, 5, 9])
    def test_with_few_launches_none_is_left_out_and_the_test_is_student_s(self, launches: int) -> None:
        rng = np.random.default_rng(5)
        for _ in range(5):
            first, second = noisy(rng, 1.005, launches)
            (found,) = compare([(first, second)])
            medians = [
                np.median([np.log(other / one) for one, other in zip(*times, strict=True)])
                for times in zip(*(_by_launch(each[0]) for each in (first, second)), strict=True)
            ]
            assert found is not None
            assert found.p_value == pytest.approx(scipy_stats.ttest_1samp(medians, 0).pvalue)

    def test_equal_records_are_called_different_in_at_most_one_of_twenty(self) -> None:
        rng = np.random.default_rng(8)
        pairs = [(noisy(rng)[0], noisy(rng)[0]) for _ in range(200)]
        wrong = sum(
            each is not None and each.verdict != "no difference shown"
            for pair in pairs
            for each in compare_records([pair])
        )
        assert wrong <= scipy_stats.binom(200, 0.05).ppf(0.999)

    @pytest.mark.parametrize(("slowdown", "verdict"), [(1.02, "faster"), (0.98, "slower")])
    def test_two_percent_are_found_through_a_drift_of_five(self, slowdown: float, verdict: str) -> None:
        rng = np.random.default_rng(4)
        found = [compare([noisy(rng, slowdown)])[0] for _ in range(40)]
        assert sum(each is not None and each.verdict == verdict for each in found) >= 36

    def test_one_launch_with_an_unlucky_layout_hides_no_difference_of_two_percent(self) -> None:
        rng = np.random.default_rng(7)
        found = 0
        for _ in range(50):
            first, second = noisy(rng, 1.02)
            unlucky = rng.integers(10)
            for index, launch in enumerate(first[0].launches):
                if launch == unlucky:
                    first[0].cpu_nanoseconds[index] = round(first[0].cpu_nanoseconds[index] * 1.06)
            (verdict,) = compare([(first, second)])
            found += verdict is not None and verdict.verdict == "faster"
        assert found >= 45

    def test_the_ratio_is_how_many_times_as_fast_the_first_is(self) -> None:
        (found,) = compare([(launched([[100, 101]] * 4), launched([[200, 202]] * 4))])
        assert found is not None
        assert found.ratio == pytest.approx(2)

    def test_no_difference_is_shown_where_the_interval_holds_1(self) -> None:
        halves = [[1000.0]] * 5 + [[1010.0]] * 5
        (found,) = compare([(launched([[1000.0]] * 10), launched(halves))])
        assert found is not None
        assert (found.low, found.p_value < 0.05) == (1, True)
        assert found.verdict == "no difference shown"

    def test_no_interval_contradicts_its_verdict(self) -> None:
        # Too few launches for a verdict, and a small difference that Holm's adjustment for 20 pairs hides.
        rng = np.random.default_rng(11)
        few = [(launched([[100] * 5] * 2), launched([[200] * 5] * 2))]
        pairs = [noisy(rng, 1.003) for _ in range(20)]
        unpaired = [(first, noisy(rng, 1.003)[1]) for first, _ in pairs]
        comparisons = [*compare(few), *compare(pairs), *compare_records(few), *compare_records(unpaired)]
        for comparison in comparisons:
            assert comparison is not None
            holds_1 = comparison.low <= 1 <= comparison.high
            assert holds_1 == (comparison.verdict == "no difference shown")
        extended = [comparison for comparison in comparisons if comparison and 1 in comparison[1:3]]
        assert len(extended) > 2, "the cases must include intervals that had to be extended"

    def test_only_rounds_that_both_have_count(self) -> None:
        first = [samples("a", 1, [100, 999_999], rounds=[0, 1])]
        second = [samples("a", 1, [200, 1], rounds=[0, 2])]
        (found,) = compare([(first, second)])
        assert found is not None
        assert found.ratio == pytest.approx(2)

    def test_nothing_in_common_is_no_comparison(self) -> None:
        assert compare([([samples("a", 1, [1], rounds=[0])], [samples("a", 1, [1], rounds=[1])])]) == [None]

    def test_too_few_launches_show_no_difference(self) -> None:
        (found,) = compare([(launched([[100] * 50] * 2), launched([[200] * 50] * 2))])
        assert found is not None
        assert found.verdict == "no difference shown"

    def test_the_same_samples_under_two_names_do_not_differ(self) -> None:
        group = launched([[100, 110]] * 5)
        (found,) = compare([(group, group)])
        assert found is not None
        assert (found.ratio, found.verdict) == (1, "no difference shown")


def test_holm_multiplies_the_smallest_by_all_and_keeps_the_order() -> None:
    # Worked example: 0.01 * 4, then max(0.04, 0.02 * 3), then max(0.06, 0.03 * 2), then max(0.06, 0.5).
    assert holm([0.5, 0.01, 0.03, 0.02]) == pytest.approx([0.5, 0.04, 0.06, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []
