"""The workloads: perft positions, and streams of attack queries. The one place that lists them."""

import hashlib
from collections.abc import Iterable
from typing import Literal, get_args

import msgspec

from slidebench.harness.bounded_types import Whole
from slidebench.kernels.position import START

Mode = Literal["throughput", "latency"]
MODES: tuple[Mode, ...] = get_args(Mode)
STREAMS = ("tree", "random")
WORKING_SETS_KIB = (1, 4, 16, 64, 256, 1024, 2048)
EVICTING_MIB = 4  # at least; Penryn has 6 MiB of second-level cache


class Perft(msgspec.Struct, frozen=True, tag="perft", forbid_unknown_fields=True):
    """Leaves of one position at one depth; one operation is one node (a leaf)."""

    name: str
    position: str
    fen: str
    depth: Whole
    nodes: Whole
    bulk: bool


class Lookup(msgspec.Struct, frozen=True, tag="lookup", forbid_unknown_fields=True):
    """Attack queries on a stream of (square, occupancy) pairs; one operation is one query."""

    name: str
    piece: str
    mode: Mode = msgspec.field(name="order")  # records have called it "order" since schema 1
    stream: str
    pairs: Whole
    sha256: str  # of the stream: equal digests mean the same queries in the same order
    # Other data touched before each query; the sample is the time beyond that of the touching alone.
    working_set_bytes: Whole = 0
    # Data read before every 256 queries, to evict the tables from the caches close to the core.
    evicting_bytes: Whole = 0


Workload = Perft | Lookup


def subtracted_workloads(workloads: Iterable[Workload]) -> set[str]:
    """Names of workloads whose samples are differences of two times, which noise can make negative."""
    return {
        workload.name for workload in workloads if isinstance(workload, Lookup) and workload.working_set_bytes
    }


class CpwPosition(msgspec.Struct, frozen=True):
    """One of the six positions on the Chess Programming Wiki's page of perft results.

    `leaves` are its counts at depths 1, 2, ...
    """

    name: str
    fen: str
    timed_depth: int  # takes a few milliseconds, so that a run has many rounds
    leaves: tuple[int, ...]


# Leaves counted by Stockfish 15.1 and by this project's generator.
CPW_POSITIONS = (
    CpwPosition("start", START, 5, (20, 400, 8902, 197281, 4865609, 119060324, 3195901860)),
    CpwPosition("kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4,
                (48, 2039, 97862, 4085603, 193690690)),
    CpwPosition("position 3", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 6,
                (14, 191, 2812, 43238, 674624, 11030083, 178633661)),
    CpwPosition("position 4", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 5,
                (6, 264, 9467, 422333, 15833292, 706045033)),
    CpwPosition("position 5", "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 4,
                (44, 1486, 62379, 2103487, 89941194)),
    CpwPosition("position 6", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 4,
                (46, 2079, 89890, 3894594, 164075551)),
)  # fmt: skip


def perft_workloads(*, bulk: bool = True) -> list[Perft]:
    """The six positions at their timed depths; without bulk counting, which takes longer, one ply less."""
    plies = 0 if bulk else 1
    return [
        Perft(
            name=f"perft {position.name} d{position.timed_depth - plies}{'' if bulk else ' no-bulk'}",
            position=position.name,
            fen=position.fen,
            depth=position.timed_depth - plies,
            nodes=position.leaves[position.timed_depth - plies - 1],
            bulk=bulk,
        )
        for position in CPW_POSITIONS
    ]


def operations(workload: Workload) -> int:
    """Operations in one iteration of a workload: leaves or queries."""
    return workload.nodes if isinstance(workload, Perft) else workload.pairs


class Stream(msgspec.Struct, frozen=True):
    """(square, occupancy) pairs: `squares` one byte each, `occupancies` little-endian 64-bit words."""

    squares: bytes
    occupancies: bytes

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.squares + self.occupancies).hexdigest()


def lookup_workloads(available: dict[tuple[str, str], Stream]) -> list[Lookup]:
    """Queries of each piece on each stream in both modes; `available` has the streams by (stream, piece)."""
    return [
        Lookup(
            name=f"lookup {piece} {mode} {stream}",
            piece=piece,
            mode=mode,
            stream=stream,
            pairs=len(pairs.squares),
            sha256=pairs.sha256,
        )
        for (stream, piece), pairs in available.items()
        for mode in MODES
    ]


def pressure_workloads(available: dict[tuple[str, str], Stream], level_2_bytes: int = 0) -> list[Lookup]:
    """Queen queries of the tree stream under cache pressure: with cold tables, and with working sets.

    Cold tables have been evicted from a second-level cache of `level_2_bytes` (0 if not known), by reading
    EVICTING_MIB or twice its size, whichever is more.
    """
    (plain,) = (
        workload
        for workload in lookup_workloads(available)
        if (workload.piece, workload.mode, workload.stream) == ("queen", "throughput", "tree")
    )
    evicting_bytes = max(EVICTING_MIB << 20, 2 * level_2_bytes)
    cold = msgspec.structs.replace(plain, name=f"{plain.name} cold", evicting_bytes=evicting_bytes)
    return [
        cold,
        *(
            msgspec.structs.replace(plain, name=f"{plain.name} beside {kib} KiB", working_set_bytes=kib << 10)
            for kib in WORKING_SETS_KIB
        ),
    ]
