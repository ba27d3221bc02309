"""The calibration finds a slowdown nobody could miss, and none where there is none."""

import pytest

from slidebench.harness.run.calibrate import PAIRS, trial_outcome


@pytest.mark.slow
def test_a_kernel_that_wastes_three_tenths_of_its_time_is_found_every_time() -> None:
    *_, found = trial_outcome(0.3, busy=False, trials=PAIRS)
    assert (found.trials, found.faster, found.slower) == (PAIRS, PAIRS, 0)


@pytest.mark.slow
def test_equal_kernels_are_seldom_called_different() -> None:
    *_, found = trial_outcome(0.0, busy=True, trials=PAIRS)
    assert found.differences <= 5  # at 5 % each, more than that comes up once in 3,000 times
