"""Hashed and threaded counts equal plain ones."""

import pytest

from slidebench import kernels
from slidebench.harness.workloads import CPW_POSITIONS
from slidebench.kernels.position import parse_fen


@pytest.mark.parametrize("position", CPW_POSITIONS, ids=lambda position: position.name)
@pytest.mark.parametrize("bulk", [True, False], ids=["bulk", "no-bulk"])
def test_hashed_counts_are_right(position, bulk: bool) -> None:
    kernel = kernels.load()
    table = kernel.hash_table(8)
    for depth, leaves in enumerate(position.leaves, start=1):
        if leaves < (20_000_000 if bulk else 5_000_000):
            assert kernel.time_perft(position.fen, depth, bulk=bulk, table=table).nodes == leaves


def test_a_table_too_small_for_the_tree_changes_no_count() -> None:
    kernel = kernels.load()
    assert kernel.time_perft("startpos", 6, table=kernel.hash_table(1)).nodes == 119_060_324


@pytest.mark.slow
def test_start_depth_8_is_counted_right_with_a_table() -> None:
    kernel = kernels.load()
    assert kernel.time_perft("startpos", 8, table=kernel.hash_table(256)).nodes == 84_998_978_956


def test_colours_and_rights_and_en_passant_are_part_of_the_key() -> None:
    """One table for all: positions alike but for one of these must not answer for each other.

    Leaves as python-chess 1.11 counts them.
    """
    kernel = kernels.load()
    table = kernel.hash_table(1)
    for fen, leaves in (
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", 7059),
        ("4k3/8/8/8/8/8/8/4K2R b K - 0 1", 8290),
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", 6786),
        ("4k3/8/8/8/8/8/8/4K2r w - - 0 1", 6092),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", 314346),
        ("r3k2r/8/8/8/8/8/8/R3K2R w Kq - 0 1", 287755),
        ("r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1", 261282),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", 1786),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", 1672),
    ):
        assert kernel.time_perft(fen, 4, table=table).nodes == leaves, fen


@pytest.mark.parametrize("mebibytes", [-1, 0, 1 << 21, 1 << 43, 1 << 44, 10**20])
def test_tables_beyond_all_memory_are_refused(mebibytes: int) -> None:
    with pytest.raises(ValueError, match=f"invalid hash size {mebibytes} MiB: expected 1 to 1048576"):
        kernels.load().hash_table(mebibytes)


def test_counts_that_may_not_fit_64_bits_are_refused() -> None:
    """Bare kings repeat few positions, so a table reaches counts that would take centuries without."""
    kernel = kernels.load()
    with pytest.raises(OverflowError, match="may not fit 64 bits"):
        kernel.time_perft("8/8/4k3/8/8/4K3/8/8 w - - 0 1", 24, table=kernel.hash_table(64))


@pytest.mark.parametrize("plies", [0, 1, 2])
def test_descendants_count_as_the_whole(plies: int) -> None:
    kernel = kernels.load()
    parts = kernel.descendants("startpos", plies)
    assert len(parts) == (1, 20, 400)[plies]
    assert sum(kernel.perft(part, 4 - plies) for part in parts) == 197_281
    assert parts[0] == parse_fen("startpos") or plies
