"""The calibration detects a large slowdown every time, and seldom one where there is none."""

import pytest

from slidebench.harness.run.calibrate import PAIRS, trial_outcome


@pytest.mark.slow
def test_a_kernel_that_wastes_three_tenths_of_its_time_is_found_every_time() -> None:
    *_, outcome = trial_outcome(0.3, busy=False, trials=PAIRS)
    assert (outcome.trials, outcome.faster, outcome.slower) == (PAIRS, PAIRS, 0)


@pytest.mark.slow
def test_equal_kernels_are_seldom_called_different() -> None:
    *_, outcome = trial_outcome(0.0, busy=True, trials=PAIRS)
    assert outcome.differences <= 5  # at 5 % per trial, more than 5 of 20 have a probability of 1 in 3,000
