"""Cycles per query of a timed loop on this CPU, under the conditions that a pipeline model assumes."""

import random
import struct

from slidebench import kernels
from slidebench.harness.workloads import Order
from slidebench.kernels.clock import add_chain_nanoseconds

RANDOM_SEED = 20_260_101
PAIRS = 32  # so few that their table entries fit the L1 cache and its TLB, as the model assumes
REPEATS = 32  # and a stream so long that the mispredicted branch at its end hardly counts
ITERATIONS = 100  # of the stream, about 100 microseconds: reading the clock takes 0.4
ADDITIONS = 64_000  # 15 microseconds
ROUNDS = 100


def cycles_per_query(choice: kernels.Choice, query: str, order: Order) -> float:
    """Time one loop of a kernel that this CPU can run; the least of ROUNDS samples, in core cycles."""
    source = random.Random(RANDOM_SEED)
    squares = bytes(source.randrange(64) for _ in range(PAIRS))
    occupancies = struct.pack(f"<{PAIRS}Q", *(source.getrandbits(64) for _ in range(PAIRS)))
    queries = kernels.load_choice(choice).queries(squares * REPEATS, occupancies * REPEATS)
    query_nanoseconds, add_nanoseconds = [], []
    for _ in range(ROUNDS):
        query_nanoseconds.append(queries.time(query, order, ITERATIONS))
        add_nanoseconds.append(add_chain_nanoseconds(ADDITIONS))
    cycle = min(add_nanoseconds) / ADDITIONS  # an addition that waits for the one before takes one cycle
    return float(min(query_nanoseconds) / (ITERATIONS * PAIRS * REPEATS) / cycle)
