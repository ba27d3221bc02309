"""The fuzz targets: each takes bytes, and raises only if it has found a bug."""

import re
import tempfile
from pathlib import Path

import chess

from slidebench import kernels
from slidebench.harness.positions.epd import EpdFault, read_epd
from slidebench.harness.positions.uci import Session
from slidebench.harness.records.reader import RecordError, read_record
from slidebench.harness.records.schema import Record
from slidebench.harness.records.store import write_record
from slidebench.kernels.position import FenError, parse_fen

KERNEL = kernels.load("magic_fancy", kernels.levels()[0])
FOLDER = tempfile.TemporaryDirectory(prefix="slidebench-fuzz-")


def fen(data: bytes) -> None:
    """A FEN is refused in two printable lines, or read as by python-chess, with the same legal moves."""
    text = data.decode("utf-8", "replace")
    try:
        position = parse_fen(text)
    except FenError as error:
        assert str(error).isascii() and str(error).isprintable()
        shown, caret = error.marked().split("\n")
        assert len(shown) <= 120 and caret.strip(" ") == "^"
        return
    assert parse_fen(position.fen()) == parse_fen(position.fen(chess960=True)) == position
    board = chess.Board(position.fen(), chess960=True)
    moves = KERNEL.moves(position)
    assert {move.uci(chess960=True) for move in moves} == {move.uci() for move in board.legal_moves}
    assert len({move.uci() for move in moves}) == len(moves) == KERNEL.perft(position, 1)
    assert sum(KERNEL.divide(position, 2).values()) == KERNEL.time_perft(position, 2, bulk=False).nodes
    assert KERNEL.statistics(position, 2).nodes == KERNEL.perft(position, 2)


def epd(data: bytes) -> None:
    """Every line is a position with valid counts, or a fault in one printable line."""
    path = Path(FOLDER.name) / "suite.epd"
    path.write_bytes(data)
    lines = list(read_epd(path))
    numbers = [line.line_number for line in lines]
    assert numbers == sorted(set(numbers))
    for line in lines:
        if isinstance(line, EpdFault):
            assert line.message.isascii() and line.message.isprintable()
        else:
            assert line.position == parse_fen(line.fen)
            assert all(
                1 <= depth <= kernels.MAX_DEPTH and 0 <= nodes < 2**64 for depth, nodes in line.depths.items()
            )


def record(data: bytes) -> None:
    """A file is refused in one line, or is a record that is equal after it is written and read again."""
    path = Path(FOLDER.name) / "record.json"
    path.write_bytes(data)
    try:
        first = read_record(path)
    except RecordError as error:
        assert "\n" not in str(error)
        return
    assert isinstance(first, Record)
    write_record(first, path)
    assert read_record(path) == first


def uci(data: bytes) -> None:
    """Any input gets printable replies, and leaves a valid position."""
    session = Session(KERNEL)
    for line in data.decode("utf-8", "replace").splitlines():
        if not re.search(r"perft\s+0*([3-9]|[0-9]{2})", line):  # takes too long, and is right
            for reply in session.replies(line):
                assert reply.isascii() and "\n" not in reply
    parse_fen(session.position.fen())


TARGETS = {target.__name__: target for target in (fen, epd, record, uci)}
