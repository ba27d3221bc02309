"""Attack queries on random occupancies, a quarter of the squares occupied."""

import random
import struct

from asvbench import KERNELS, LEVELS, PerOperation, load

PAIRS = 32_768
BATCH_NANOSECONDS = 1_200_000

_rng = random.Random(20_260_101)
SQUARES = bytes(_rng.randrange(64) for _ in range(PAIRS))
OCCUPANCIES = struct.pack(f"<{PAIRS}Q", *(_rng.getrandbits(64) & _rng.getrandbits(64) for _ in range(PAIRS)))


class Lookup(PerOperation):
    version = "1"
    params = (KERNELS, LEVELS, ("rook", "bishop", "queen"), ("throughput", "latency"))
    param_names = ("kernel", "level", "piece", "order")  # "order" is the mode, as committed results call it

    def setup(self, kernel: str, level: str, piece: str, mode: str) -> None:
        self.queries = load(kernel, level).queries(SQUARES, OCCUPANCIES)
        self.queries.time(piece, mode, 1)  # the first iteration is cold
        self.iterations = -(-BATCH_NANOSECONDS // self.queries.time(piece, mode, 1))

    def time_per_query(self, kernel: str, level: str, piece: str, mode: str) -> None:
        self.spend(self.queries.time(piece, mode, self.iterations), self.iterations * PAIRS)
