"""Correctness before any timing: a kernel against the ray walk, and perft against known counts."""

import msgspec

from slidebench import kernels
from slidebench.harness.positions.boards import side_by_side
from slidebench.harness.workloads import CPW_POSITIONS
from slidebench.kernels.position import square_name

RANDOM_BOARDS = 2_000
RANDOM_SEED = 1
MAX_NODES = 1_000_000  # per position: the check of all modules takes seconds


class Check(msgspec.Struct, frozen=True):
    """The verdict on one compiled kernel: `failure` is None, or says what went wrong with its boards."""

    choice: kernels.Choice
    failure: str | None


def check(choice: kernels.Choice) -> Check:
    """Load a kernel and check it: all relevant occupancies, random boards, perft of the six positions."""
    try:
        kernel = kernels.load_choice(choice)
    except kernels.DestructiveCollision as error:
        return Check(choice, f"{choice}: {error}")
    return Check(choice, _query_failure(kernel) or _perft_failure(kernel))


def _query_failure(kernel: kernels.Kernel) -> str | None:
    wrong = kernel.relevant_mismatch() or kernel.random_mismatch(RANDOM_SEED, RANDOM_BOARDS)
    if wrong is None:
        return None
    where = f"on {square_name(wrong.square)}" if wrong.square >= 0 else "of a set of sliders"
    return f"{kernel.choice}: wrong {wrong.query} {where}\n" + side_by_side(
        {"blockers": wrong.occupied, "right": wrong.expected, "kernel": wrong.got}
    )


def _perft_failure(kernel: kernels.Kernel) -> str | None:
    for position in CPW_POSITIONS:
        for depth, leaves in enumerate(position.leaves, start=1):
            if leaves > MAX_NODES:
                break
            for bulk in (True, False):
                counted = kernel.time_perft(position.fen, depth, bulk=bulk).nodes
                if counted != leaves:
                    return (
                        f"{kernel.choice}: perft {position.name} depth {depth} is {leaves}, counted {counted}"
                    )
    return None
