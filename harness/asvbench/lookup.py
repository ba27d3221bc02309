"""Attack queries on random occupancies, a quarter of the squares occupied."""

import random
import struct

from asvbench import KERNELS, LEVELS, PerOperation, load

PAIRS = 32_768
BATCH_NANOSECONDS = 1_200_000

_source = random.Random(20_260_101)
SQUARES = bytes(_source.randrange(64) for _ in range(PAIRS))
OCCUPANCIES = struct.pack(
    f"<{PAIRS}Q", *(_source.getrandbits(64) & _source.getrandbits(64) for _ in range(PAIRS))
)


class Lookup(PerOperation):
    version = "1"
    params = (KERNELS, LEVELS, ("rook", "bishop", "queen"), ("throughput", "latency"))
    param_names = ("kernel", "level", "piece", "order")

    def setup(self, kernel: str, level: str, piece: str, order: str) -> None:
        self.queries = load(kernel, level).queries(SQUARES, OCCUPANCIES)
        self.queries.time(piece, order, 1)  # the first pass is cold
        self.passes = -(-BATCH_NANOSECONDS // self.queries.time(piece, order, 1))

    def time_per_query(self, kernel: str, level: str, piece: str, order: str) -> None:
        self.spend(self.queries.time(piece, order, self.passes), self.passes * PAIRS)
