"""The instruction baseline: a committed table of instructions per operation, and what has risen since."""

import json
from collections.abc import Iterable
from pathlib import Path

import msgspec

from slidebench import kernels
from slidebench.harness.files import write_atomically
from slidebench.harness.valgrind.counting import Count, CountError

TOLERATED_RISE = 0.01

# Instructions per operation by workload, by compiler and major version, by kernel, level and popcount.
Baseline = dict[str, dict[str, dict[str, float]]]


def compiler_of(choice: kernels.Choice) -> str:
    """The compiler and major version that built a kernel, such as "gcc 12"."""
    return " ".join(kernels.load_choice(choice).compiler.partition(".")[0].split()[:2])


def read_baseline(path: Path) -> Baseline:
    """Read a baseline; empty if the file does not exist. Raises CountError if it is not a baseline."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Baseline)
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.DecodeError) as error:
        raise CountError(
            f"{path} is not an instruction baseline ({error}): choose another with --update-baseline"
        ) from None


def write_baseline(path: Path, counts: Iterable[Count]) -> None:
    """Replace the rows of counted kernels in a baseline, and remove rows of kernels that no longer exist."""
    baseline = read_baseline(path)
    for count in counts:
        rows = baseline.setdefault(count.workload, {}).setdefault(compiler_of(count.choice), {})
        rows[str(count.choice)] = round(count.per_operation, 3)
    for compilers in baseline.values():
        for rows in compilers.values():
            for removed in [row for row in rows if row.split()[0] not in kernels.names()]:
                del rows[removed]
    write_atomically(
        path,
        json.dumps(baseline, indent=1, sort_keys=True).encode() + b"\n",
        "choose another --update-baseline",
    )


def risen(baseline: Baseline, counts: Iterable[Count]) -> list[str]:
    """One line for every kernel that rose by more than TOLERATED_RISE above the baseline, or is not in it.

    Counts of compilers that the baseline does not have are ignored.
    """
    lines = []
    for count in counts:
        rows = baseline.get(count.workload, {}).get(compiler_of(count.choice))
        if rows is None:
            continue
        before, now = rows.get(str(count.choice)), count.per_operation
        if before is None:
            lines.append(f"{count.choice} is not in the baseline: add it with `make instructions`")
        elif now > before * (1 + TOLERATED_RISE):
            lines.append(
                f"{count.choice}: {count.workload} rose by {100 * (now / before - 1):.1f} %, "
                f"from {before:.3f} to {now:.3f} instructions per operation: "
                "if intended, run `make instructions`"
            )
    return lines
