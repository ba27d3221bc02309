"""No argument crashes the process: compiled code trusts its arguments, so Kernel and Queries check them."""

import pickle
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slidebench import kernels
from slidebench.kernels.position import START, Position, parse_fen

KERNEL = kernels.load("magic_fancy", kernels.levels()[0])
STREAM = bytes(range(64)), bytes(8 * 64)
REJECTED = (ValueError, TypeError, OverflowError)  # UnavailableError and FenError are ValueErrors

integers = st.integers(-2, 70) | st.integers(-(2**70), 2**70)
odd = st.none() | st.booleans() | st.floats() | st.text(max_size=3) | st.binary(max_size=9) | integers
pieces = st.sampled_from(["rook", "bishop", "queen", "knight", "king", "pawn"]) | odd
squares = st.sampled_from(["a1", "h8", "e9"]) | odd
# Deep ones are never counted: every position below has a reason to be rejected, or a small depth.
depths = st.integers(-2, 2) | st.integers(65, 2**70) | st.integers(max_value=-1) | st.just("2") | st.floats()
iterations = st.integers(-2, 3) | st.integers(min_value=2**63) | st.floats() | st.none()
positions: st.SearchStrategy[Any] = (
    st.sampled_from([START, "8/8/8/8/8/8/8/8 w - - 0 1"])
    | odd
    | st.builds(
        lambda changes: replace(parse_fen(START), **changes),
        st.dictionaries(st.sampled_from(Position.__slots__), odd | st.just((1 << 64) - 1), max_size=3),
    )
)


def accepts_or_rejects(function: Callable[..., object], *arguments: object, **options: object) -> None:
    with suppress(*REJECTED):
        function(*arguments, **options)


@settings(deadline=None, max_examples=300)
@given(pieces, squares, squares, odd)
def test_no_attack_query_does_more_than_answer_or_reject(
    piece: Any, square: Any, other: Any, occupied: Any
) -> None:
    for function in (KERNEL.attacks, KERNEL.oracle):
        accepts_or_rejects(function, piece, square, occupied)
    for function in (KERNEL.rook_attacks, KERNEL.bishop_attacks, KERNEL.queen_attacks):
        accepts_or_rejects(function, square, occupied)
    for function in (KERNEL.between, KERNEL.line):
        accepts_or_rejects(function, square, other)
    accepts_or_rejects(KERNEL.leaper_attacks, piece, square)


@settings(deadline=None, max_examples=300)
@given(positions, depths, odd, odd)
def test_no_position_or_depth_does_more_than_count_or_be_rejected(
    position: Any, depth: Any, bulk: Any, table: Any
) -> None:
    for function in (KERNEL.perft, KERNEL.divide, KERNEL.statistics, KERNEL.descendants):
        accepts_or_rejects(function, position, depth)
    accepts_or_rejects(KERNEL.time_perft, position, depth, bulk=bulk, table=table)
    for function in (KERNEL.moves, KERNEL.legal_moves):
        accepts_or_rejects(function, position)


@settings(deadline=None)
@given(st.integers(max_value=2) | st.integers(min_value=2**20 + 1) | st.floats() | st.text(max_size=2))
def test_no_hash_size_does_more_than_allocate_or_be_rejected(mebibytes: Any) -> None:
    accepts_or_rejects(KERNEL.hash_table, mebibytes)


@settings(deadline=None)
@given(odd, iterations)
def test_no_random_check_does_more_than_run_or_be_rejected(seed: Any, boards: Any) -> None:
    accepts_or_rejects(KERNEL.random_mismatch, seed, boards)


@settings(deadline=None, max_examples=300)
@given(st.binary(max_size=4) | odd, st.integers(0, 33).map(bytes) | odd)
def test_no_stream_does_more_than_be_timed_or_rejected(square_bytes: Any, occupancies: Any) -> None:
    with suppress(*REJECTED):
        stream = KERNEL.queries(square_bytes, occupancies)
        for mode in ("throughput", "latency"):
            assert stream.time("queen", mode, 1) >= 0


@settings(deadline=None, max_examples=300)
@given(
    pieces,
    st.sampled_from(["throughput", "latency", "order"]) | odd,
    iterations,
    st.integers(0, 300).map(bytearray) | odd,
)
def test_no_sample_does_more_than_be_taken_or_rejected(piece: Any, mode: Any, count: Any, data: Any) -> None:
    stream = KERNEL.queries(*STREAM)
    accepts_or_rejects(stream.time, piece, mode, count)
    accepts_or_rejects(stream.time_beside, data, count)
    accepts_or_rejects(stream.time_cold, data, count)


def test_a_stream_is_timed_in_every_way() -> None:
    stream = KERNEL.queries(*STREAM)
    for piece in kernels.PIECES:
        for mode in ("throughput", "latency"):
            assert stream.time(piece, mode, 100) > 0
    assert isinstance(stream.time_beside(bytearray(64), 10), int)
    assert stream.time_cold(bytearray(1), 10) > 0


@pytest.mark.parametrize(
    ("squares", "occupancies", "message"),
    [
        (b"", b"", "empty stream: expected one or more squares"),
        (b"\x00\x40", bytes(16), r"invalid square 64 in a stream: expected 0 \(a1\) to 63 \(h8\)"),
        (b"\xff" * 64, b"\xff" * 512, "invalid square 255"),
        (b"\x00", bytes(7), "7 bytes of occupancies for 1 squares: expected 8 per square"),
    ],
)  # fmt: skip
def test_a_malformed_stream_is_rejected_with_the_reason(
    squares: bytes, occupancies: bytes, message: str
) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        KERNEL.queries(squares, occupancies)


@pytest.mark.parametrize("size", [0, 32, 63, 65, 96, 192])
def test_a_working_set_of_any_other_size_than_a_power_of_two_is_rejected(size: int) -> None:
    with pytest.raises(ValueError, match="working set"):
        KERNEL.queries(*STREAM).time_beside(bytearray(size), 1)


def test_an_empty_working_set_evicts_nothing_and_is_rejected() -> None:
    with pytest.raises(ValueError, match="empty working set"):
        KERNEL.queries(*STREAM).time_cold(bytearray(), 1)


@pytest.mark.parametrize("count", [0, -1])
def test_less_than_one_iteration_is_rejected(count: int) -> None:
    stream = KERNEL.queries(*STREAM)
    samples = (
        lambda: stream.time("rook", "latency", count),
        lambda: stream.time_beside(bytearray(64), count),
        lambda: stream.time_cold(bytearray(64), count),
    )
    for sample in samples:
        with pytest.raises(ValueError, match=f"iterations {count}: expected 1 or more"):
            sample()


def test_a_position_without_a_king_is_rejected_before_anything_is_counted() -> None:
    for kings in (0, 1 << 4, 3 << 4 | 1 << 60):
        with pytest.raises(ValueError, match="expected"):
            KERNEL.perft(replace(parse_fen(START), kings=kings), 3)


def test_positions_after_moves_are_accepted() -> None:
    for fen in (START, "4k3/P7/8/8/8/8/8/4K2R w K - 0 1", "8/8/3p4/KPp4r/1R3pPk/8/4P3/8 w - c6 0 9999"):
        for position in KERNEL.descendants(fen, 2):
            assert KERNEL.perft(pickle.loads(pickle.dumps(position)), 1) == len(KERNEL.moves(position))
