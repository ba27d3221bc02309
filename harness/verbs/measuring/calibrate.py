"""slidebench calibrate: whether the verdicts can be trusted on this machine."""

import click
from rich.table import Table

from slidebench.harness.run.calibrate import TrialOutcome, trial_outcome
from slidebench.harness.verbs import options

# (share of time slowdown, busy process beside it, trials)
PLAN = ((0.0, False, 200), (0.0, True, 200), (0.02, False, 60), (0.05, True, 60))


@click.command()
@click.option("--trials", type=click.IntRange(20), help="Trials of each kind, in place of 200 and 60.")
@options.as_json
@options.example("slidebench calibrate --trials 40")
def command(trials: int | None, as_json: bool) -> None:
    """Compare a kernel with itself, and with itself slowed, and count the verdicts.

    Takes about seven minutes. Of equal kernels at most one in twenty may be called different; a slowdown
    of 2 % on a quiet machine, and of 5 % on a busy one, is to be found nine times in ten.
    """
    trial_outcomes = []
    for slowdown, busy, usual in PLAN:
        last: TrialOutcome | None = None
        for last in trial_outcome(slowdown, busy=busy, trials=trials or usual):
            options.notes.print(f"{_name(last)}: {last.differences} of {last.trials}", highlight=False)
        assert last is not None
        trial_outcomes.append(last)
    if as_json:
        options.print_json([each._asdict() for each in trial_outcomes])
        return
    table = Table("compared", "trials", "called different", "share", box=None, pad_edge=False)
    for each in trial_outcomes:
        share = f"{100 * each.differences / each.trials:.1f} %"
        table.add_row(_name(each), str(each.trials), str(each.differences), share)
    options.output.print(table)


def _name(each: TrialOutcome) -> str:
    kind = f"slowed by {100 * each.slowdown:.0f} %" if each.slowdown else "equal"
    return f"{kind}, {'a busy process beside' if each.busy else 'nothing beside'}"
