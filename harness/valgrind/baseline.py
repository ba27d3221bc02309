"""The committed table of instructions per operation, and what has risen since."""

import json
from collections.abc import Iterable
from pathlib import Path

import msgspec

from slidebench import kernels
from slidebench.harness.files import write_atomically
from slidebench.harness.valgrind.counting import Count, CountError

TOLERATED_RISE = 0.01

# Workload: compiler and major version: kernel, level and popcount: instructions per operation.
Table = dict[str, dict[str, dict[str, float]]]


def compiler_of(choice: kernels.Choice) -> str:
    """Compiler and major version that built a kernel, such as "gcc 12"."""
    return " ".join(kernels.load_choice(choice).compiler.partition(".")[0].split()[:2])


def read_table(path: Path) -> Table:
    """Read the table; empty if there is no such file. Raises CountError if it is not one."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Table)
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.DecodeError) as error:
        raise CountError(
            f"{path} is no table of instructions: {error}; write a new one with --update-baseline"
        ) from None


def write_table(path: Path, counts: Iterable[Count]) -> None:
    """Put counts into the table, in place of the same kernels' before them; kernels that are no more go."""
    table = read_table(path)
    for each in counts:
        table.setdefault(each.workload, {}).setdefault(compiler_of(each.choice), {})[str(each.choice)] = (
            round(each.per_operation, 3)
        )
    for compilers in table.values():
        for rows in compilers.values():
            for gone in [row for row in rows if row.split()[0] not in kernels.names()]:
                del rows[gone]
    write_atomically(
        path, json.dumps(table, indent=1, sort_keys=True).encode() + b"\n", "choose another --update-baseline"
    )


def risen(table: Table, counts: Iterable[Count]) -> list[str]:
    """One line for each kernel that rose by more than TOLERATED_RISE since the table, or is not in it.

    Counts of compilers that the table does not have are passed over.
    """
    lines = []
    for each in counts:
        rows = table.get(each.workload, {}).get(compiler_of(each.choice))
        if rows is None:
            continue
        before = rows.get(str(each.choice))
        if before is None:
            lines.append(f"{each.choice} is not in the table; `make instructions` puts it there")
        elif each.per_operation > before * (1 + TOLERATED_RISE):
            rise = f"from {before:.3f} to {each.per_operation:.3f} instructions per operation"
            lines.append(
                f"{each.choice}: {each.workload} rose by {100 * (each.per_operation / before - 1):.1f} %, "
                f"{rise}; if intended, `make instructions`"
            )
    return lines
