"""Attack queries on random occupancies, a quarter of the squares occupied."""

import random
import struct

from asvbench import KERNELS, LEVELS, PerOperation, load

PAIRS = 32_768
PASSES = 64  # over the stream: at least 1 ms at half a nanosecond for a query

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

    def time_per_query(self, kernel: str, level: str, piece: str, order: str) -> None:
        self.spend(self.queries.time(piece, order, PASSES), PASSES * PAIRS)
