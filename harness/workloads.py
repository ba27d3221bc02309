"""What is timed: perft positions and streams of attack queries. Every other module reads them from here."""

import hashlib
import random
import struct
from collections.abc import Iterable
from typing import Literal, get_args

import msgspec

from slidebench import kernels
from slidebench.harness.fields import Whole
from slidebench.kernels.catalogue import BUILTIN
from slidebench.kernels.position import START, Position, parse_fen

Order = Literal["throughput", "latency"]
ORDERS: tuple[Order, ...] = get_args(Order)
STREAMS = ("tree", "random")
STREAM_PAIRS = 32_768  # 1,024 pairs understate large tables by up to 60 %
STREAM_SEED = 20_260_101
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
    order: Order
    stream: str
    pairs: Whole
    sha256: str  # of the stream: the same questions in the same order
    # Other data touched before each query; the sample is what the queries add to the touching.
    working_set_bytes: Whole = 0
    # Data read through before every 256 queries, to evict the tables from the nearer caches.
    evicting_bytes: Whole = 0


Workload = Perft | Lookup


def differences(workloads: Iterable[Workload]) -> set[str]:
    """Names of those whose samples are what queries add to other work: noise may make some negative."""
    return {each.name for each in workloads if isinstance(each, Lookup) and each.working_set_bytes}


class CpwPosition(msgspec.Struct, frozen=True):
    """One of the six positions that perft figures are quoted for, with its leaves at depths 1, 2, ..."""

    name: str
    fen: str
    timed_depth: int  # a few milliseconds, so that a run has many rounds
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
    """The six positions at their timed depths, without bulk counting one ply less: moves made take longer."""
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
    """Operations in one pass over a workload: leaves or queries."""
    return workload.nodes if isinstance(workload, Perft) else workload.pairs


class Stream(msgspec.Struct, frozen=True):
    """(square, occupancy) pairs: `squares` one byte each, `occupancies` little-endian 64-bit words."""

    squares: bytes
    occupancies: bytes

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.squares + self.occupancies).hexdigest()


def streams() -> dict[tuple[str, str], Stream]:
    """Streams by (stream, piece); the same on every machine."""
    trees = _tree_pairs(random.Random(STREAM_SEED))
    random_pairs = _random_pairs(random.Random(STREAM_SEED))
    return {
        (stream, piece): _packed(trees[piece] if stream == "tree" else random_pairs)
        for stream in STREAMS
        for piece in kernels.PIECES
    }


def lookup_workloads(available: dict[tuple[str, str], Stream]) -> list[Lookup]:
    """Every stream and piece in both orders."""
    return [
        Lookup(
            name=f"lookup {piece} {order} {stream}",
            piece=piece,
            order=order,
            stream=stream,
            pairs=len(pairs.squares),
            sha256=pairs.sha256,
        )
        for (stream, piece), pairs in available.items()
        for order in ORDERS
    ]


def pressure_workloads(available: dict[tuple[str, str], Stream], level_2_bytes: int = 0) -> list[Lookup]:
    """Queen queries of the tree stream with cold tables, and beside working sets of 1 KiB to 2 MiB.

    Cold: evicted from a second-level cache of so many bytes, by reading EVICTING_MIB or twice as many.
    """
    (plain,) = (
        workload
        for workload in lookup_workloads(available)
        if (workload.piece, workload.order, workload.stream) == ("queen", "throughput", "tree")
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


def _packed(pairs: list[tuple[int, int]]) -> Stream:
    return Stream(
        squares=bytes(square for square, _ in pairs),
        occupancies=struct.pack(f"<{len(pairs)}Q", *(occupied for _, occupied in pairs)),
    )


def _tree_pairs(source: random.Random) -> dict[str, list[tuple[int, int]]]:
    """Sliders and occupancies from the trees of the six positions, siblings next to each other.

    A perft asks about a family of positions that differ by one move; so does this stream.
    """
    kernel = kernels.load("magic_fancy", kernels.levels()[0], BUILTIN)
    roots = [parse_fen(position.fen) for position in CPW_POSITIONS]
    pairs: dict[str, list[tuple[int, int]]] = {piece: [] for piece in kernels.PIECES}
    while any(len(found) < STREAM_PAIRS for found in pairs.values()):
        position = source.choice(roots)
        for _ in range(source.randint(1, 6)):
            moves = kernel.moves(position)
            if not moves:
                break
            position = source.choice(moves).after
        for move in kernel.moves(position):
            for piece, squares in _sliders(move.after).items():
                pairs[piece] += [(square, move.after.white | move.after.black) for square in squares]
    return {piece: found[:STREAM_PAIRS] for piece, found in pairs.items()}


def _sliders(position: Position) -> dict[str, list[int]]:
    """Squares of the mover's sliders that each query is asked for; queens are asked for in all three."""
    own = position.white if position.white_to_move else position.black
    bitboards = {
        "rook": (position.rooks | position.queens) & own,
        "bishop": (position.bishops | position.queens) & own,
        "queen": position.queens & own,
    }
    return {
        piece: [square for square in range(64) if bits >> square & 1] for piece, bits in bitboards.items()
    }


def _random_pairs(source: random.Random) -> list[tuple[int, int]]:
    """Any square, with each square occupied by a chance of 5 % to 60 %, new for every pair."""
    pairs = []
    for _ in range(STREAM_PAIRS):
        density = source.uniform(0.05, 0.60)
        occupied = sum(1 << square for square in range(64) if source.random() < density)
        pairs.append((source.randrange(64), occupied))
    return pairs
