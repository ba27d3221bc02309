"""Estimates from made-up samples whose answers can be worked out by hand."""

import pytest

from slidebench.harness.records import Samples
from slidebench.harness.stats import Rate, geometric_mean, rate


def samples(
    workload: str, operations: int, nanoseconds: list[int], rounds: list[int] | None = None
) -> Samples:
    return Samples(
        kernel="k",
        level="v1",
        popcount="builtin",
        workload=workload,
        operations=operations,
        launches=[0] * len(nanoseconds),
        rounds=list(range(len(nanoseconds))) if rounds is None else rounds,
        cpu_nanoseconds=nanoseconds,
    )


def test_a_million_nodes_in_a_quarter_second_are_four_million_nodes_per_second() -> None:
    assert rate([samples("a", 1_000_000, [250_000_000])]) == pytest.approx(Rate(4e6, 4e6, 4e6, 1))


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


def test_quartiles_show_two_peaked_samples() -> None:
    found = rate([samples("a", 100, [100, 50, 100, 50])])
    assert found is not None
    assert (found.low, found.high) == pytest.approx((1e9, 2e9))
    assert found.spread == pytest.approx(1 / 3)


def test_workloads_weigh_alike_whatever_their_size() -> None:
    found = rate([samples("small", 1, [1]), samples("large", 4_000_000, [1_000_000])])
    assert found is not None
    assert found.median == pytest.approx(2e9)  # the geometric mean of 1 and 4 operations per nanosecond


def test_rounds_that_lack_a_workload_are_left_out() -> None:
    found = rate([samples("a", 1, [1, 2, 4]), samples("b", 1, [1, 4], rounds=[0, 2])])
    assert found is not None
    assert found.rounds == 2


@pytest.mark.parametrize("nanoseconds", [[0], [-5], []])
def test_a_frozen_or_backward_clock_gives_no_rate(nanoseconds: list[int]) -> None:
    assert rate([samples("a", 1, nanoseconds)]) is None


def test_no_samples_give_no_rate() -> None:
    assert rate([]) is None


def test_the_geometric_mean_is_the_root_of_the_product() -> None:
    assert geometric_mean([1, 10, 100]) == pytest.approx(10)
