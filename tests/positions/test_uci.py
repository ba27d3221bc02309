"""slidebench uci answers like an engine: to what perft tools send, and to anything else."""

import signal
import subprocess

import chess.engine
import pytest
from command import SLIDEBENCH, running, slidebench
from hypothesis import given, settings
from hypothesis import strategies as st

from slidebench import kernels
from slidebench.harness.positions.uci import Session
from slidebench.harness.workloads import CPW_POSITIONS
from slidebench.kernels.position import START

KIWIPETE = CPW_POSITIONS[1].fen
STAYS = " (position unchanged)"
KERNEL = kernels.load("magic_fancy", kernels.levels()[0])


def answers(*commands: str) -> list[str]:
    """All replies of one session."""
    session = Session(KERNEL)
    return [reply for command in commands for reply in session.replies(command)]


def test_the_handshake_names_the_program_and_its_one_option() -> None:
    first, *_, last = answers("uci")
    assert first.startswith("id name slidebench ")
    assert "option name UCI_Chess960 type check default false" in answers("uci")
    assert last == "uciok"
    assert answers("isready") == ["readyok"]


def test_go_perft_is_answered_in_stockfishs_form() -> None:
    replies = answers("position startpos", "go perft 3")
    assert replies[-3:] == ["", "Nodes searched: 8902", ""]
    assert "e2e4: 600" in replies
    assert len(replies) == 20 + 3


@pytest.mark.parametrize(("depth", "nodes"), [("0", 1), ("1", 20), ("2", 400), ("4", 197281)])
def test_counts_start_at_depth_0(depth: str, nodes: int) -> None:
    assert f"Nodes searched: {nodes}" in answers(f"go perft {depth}")


def test_moves_are_played_before_counting() -> None:
    moves = "position fen 4k2r/8/8/6R1/6r1/2K5/8/8 b k - 0 1 moves g4g2 g5g8 g2g8 c3d3 g8g5 d3e3"
    replies = answers(moves, "go perft 2")
    assert any(reply.startswith("e8g8: ") for reply in replies)
    assert "Nodes searched: 202" in replies


def test_castling_is_king_takes_rook_once_uci_chess960_is_set() -> None:
    kiwipete = f"position fen {KIWIPETE}"
    assert "e1g1: 43" in answers(kiwipete, "go perft 2")
    on = "setoption name UCI_Chess960 value true"
    assert "e1h1: 43" in answers(kiwipete, on, "go perft 2")
    assert "e1g1: 43" in answers(kiwipete, on, "setoption name UCI_Chess960 value false", "go perft 2")
    assert answers(on, "d") == ["Fen: " + START.replace("KQkq", "HAha")]


def test_a_new_game_starts_at_the_start_position() -> None:
    assert answers(f"position fen {KIWIPETE}", "ucinewgame", "d") == [f"Fen: {START}"]


@pytest.mark.parametrize(
    ("command", "reply"),
    [
        ("dance", "unknown command 'dance': "),
        ("go", "unknown command 'go': "),
        ("go depth 5", "unknown command 'go depth 5': "),
        ("go perft", "unknown command 'go perft': "),
        ("go perft -1", "invalid depth '-1': "),
        ("go perft 65", "invalid depth '65': "),
        ("go perft 1_0", "invalid depth '1_0': "),
        ("go perft \u0663", r"invalid depth '\u0663': "),
        ("setoption name Hash value 16", "unknown command 'setoption name Hash ...': "),
        ("position", "invalid position command: "),
        ("position startpos e2e4", "invalid position command: "),
        ("\0", r"unknown command '\x00': "),
    ],
)  # fmt: skip
def test_an_invalid_command_gets_a_reply_and_changes_nothing(command: str, reply: str) -> None:
    first, second = answers(f"position fen {KIWIPETE}", command, "d")
    assert first.startswith(f"info string {reply}expected ")
    assert second == f"Fen: {KIWIPETE}"


def test_an_invalid_fen_is_shown_with_a_caret_and_changes_nothing() -> None:
    assert answers(f"position fen {KIWIPETE}", "position fen 4k3/8/8/8/8/8/8/4K2x w - - 0 1", "d") == [
        f"info string board: invalid character 'x' on rank 1: expected PNBRQKpnbrqk, 1 to 8 or /{STAYS}",
        "info string 4k3/8/8/8/8/8/8/4K2x w - - 0 1",
        "info string " + "4k3/8/8/8/8/8/8/4K2x".index("x") * " " + "^",
        f"Fen: {KIWIPETE}",
    ]


def test_an_illegal_move_leaves_the_position_unchanged() -> None:
    first, second = answers(f"position fen {KIWIPETE}", "position startpos moves e2e4 e2e4", "d")
    assert first.startswith("info string illegal move 'e2e4' in rnbqkbnr/")
    assert first.endswith(STAYS)
    assert second == f"Fen: {KIWIPETE}"


@pytest.mark.parametrize("command", ["", "   ", "\t\n", "stop"])
def test_nothing_to_do_needs_no_reply(command: str) -> None:
    assert answers(command) == []


@settings(deadline=None)
@given(st.text() | st.lists(st.sampled_from([
    "position", "startpos", "fen", "moves", "go", "perft", "1", "2", "e2e4", "setoption", "name", "value",
    "UCI_Chess960", "true", "d", "isready", *START.split(),
])).map(" ".join))  # fmt: skip
def test_no_command_raises(command: str) -> None:
    assert all("\n" not in reply for reply in answers(command, command))


class TestProgram:
    def test_the_end_of_the_input_ends_it(self) -> None:
        result = slidebench("uci", typed="isready\nbad\xff \0\n\nisready")
        assert result.returncode == 0
        assert result.stdout.splitlines()[0] == result.stdout.splitlines()[-1] == "readyok"
        assert result.stderr == ""

    def test_quit_ends_it_at_once(self) -> None:
        result = slidebench("uci", typed="quit\nisready\n")
        assert (result.returncode, result.stdout) == (0, "")

    def test_each_reply_comes_before_the_next_command_is_sent(self) -> None:
        with subprocess.Popen(
            [*SLIDEBENCH, "uci"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdin and process.stdout
            for _ in range(2):
                process.stdin.write("isready\n")
                process.stdin.flush()
                assert process.stdout.readline() == "readyok\n"
            process.stdin.close()
            assert process.wait() == 0

    def test_python_chess_drives_it_as_an_engine(self) -> None:
        with chess.engine.SimpleEngine.popen_uci([*SLIDEBENCH, "uci"], timeout=60) as engine:
            assert engine.id["name"].startswith("slidebench ")
            assert "UCI_Chess960" in engine.options
            engine.ping()


def test_a_count_ends_once_its_output_is_closed() -> None:
    with running("uci", stdin=subprocess.PIPE) as process:
        assert process.stdin and process.stdout
        process.stdin.write("go perft 12\nisready\n")
        process.stdin.close()
        process.stdout.close()
        assert process.wait(timeout=60) == 128 + signal.SIGPIPE
