"""Bulk-counted perft on two of the six positions of the Chess Programming Wiki's page of perft results."""

from typing import NamedTuple

from asvbench import KERNELS, LEVELS, PerOperation, load


class Position(NamedTuple):
    fen: str
    depth: int
    nodes: int


POSITIONS = {
    # One has many moves of every piece; the other is an open endgame with discovered checks by en passant.
    "kiwipete": Position(
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4, 4_085_603
    ),
    "position 3": Position("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 5, 674_624),
}


class Perft(PerOperation):
    version = "1"
    params = (KERNELS, LEVELS, tuple(POSITIONS))
    param_names = ("kernel", "level", "position")

    def setup(self, kernel: str, level: str, position: str) -> None:
        self.kernel = load(kernel, level)

    def time_per_node(self, kernel: str, level: str, position: str) -> None:
        fen, depth, nodes = POSITIONS[position]
        timed = self.kernel.time_perft(fen, depth)
        if timed.nodes != nodes:
            raise RuntimeError(
                f"{kernel} at {level}: {position} has {nodes} leaves at depth {depth}, counted {timed.nodes}"
            )
        self.spend(timed.cpu_nanoseconds, nodes)
