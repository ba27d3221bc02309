"""Query streams: (square, occupancy) pairs from game trees played by a compiled kernel, and random pairs."""

import random
import struct

from slidebench import kernels
from slidebench.harness.workloads import CPW_POSITIONS, STREAMS, Stream
from slidebench.kernels.catalogue import BUILTIN
from slidebench.kernels.position import Position, parse_fen

STREAM_PAIRS = 32_768  # 1,024 pairs understate the cost of large tables by up to 60 %
STREAM_SEED = 20_260_101


def query_streams() -> dict[tuple[str, str], Stream]:
    """Streams by (stream, piece), identical on every machine."""
    trees = _tree_pairs(random.Random(STREAM_SEED))
    random_pairs = _random_pairs(random.Random(STREAM_SEED))
    return {
        (stream, piece): _packed(trees[piece] if stream == "tree" else random_pairs)
        for stream in STREAMS
        for piece in kernels.PIECES
    }


def _packed(pairs: list[tuple[int, int]]) -> Stream:
    return Stream(
        squares=bytes(square for square, _ in pairs),
        occupancies=struct.pack(f"<{len(pairs)}Q", *(occupied for _, occupied in pairs)),
    )


def _tree_pairs(rng: random.Random) -> dict[str, list[tuple[int, int]]]:
    """Sliders and occupancies from the trees of the six positions, siblings next to each other.

    Perft queries families of positions that differ by one move, and so does this stream.
    """
    kernel = kernels.load("magic_fancy", kernels.levels()[0], BUILTIN)
    roots = [parse_fen(position.fen) for position in CPW_POSITIONS]
    pairs: dict[str, list[tuple[int, int]]] = {piece: [] for piece in kernels.PIECES}
    while any(len(collected) < STREAM_PAIRS for collected in pairs.values()):
        position = rng.choice(roots)
        for _ in range(rng.randint(1, 6)):
            moves = kernel.moves(position)
            if not moves:
                break
            position = rng.choice(moves).after
        for move in kernel.moves(position):
            for piece, squares in _sliders(move.after).items():
                pairs[piece] += [(square, move.after.white | move.after.black) for square in squares]
    return {piece: collected[:STREAM_PAIRS] for piece, collected in pairs.items()}


def _sliders(position: Position) -> dict[str, list[int]]:
    """Squares of the mover's sliders by query; a queen counts as a rook and as a bishop too."""
    own = position.white if position.white_to_move else position.black
    bitboards = {
        "rook": (position.rooks | position.queens) & own,
        "bishop": (position.bishops | position.queens) & own,
        "queen": position.queens & own,
    }
    return {
        piece: [square for square in range(64) if bits >> square & 1] for piece, bits in bitboards.items()
    }


def _random_pairs(rng: random.Random) -> list[tuple[int, int]]:
    """Random squares and occupancies; the density of each occupancy is drawn from 5 % to 60 %."""
    pairs = []
    for _ in range(STREAM_PAIRS):
        density = rng.uniform(0.05, 0.60)
        occupied = sum(1 << square for square in range(64) if rng.random() < density)
        pairs.append((rng.randrange(64), occupied))
    return pairs
