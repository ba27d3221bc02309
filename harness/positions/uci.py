"""The part of the UCI protocol (Stefan Meyer-Kahlen, 2000) that perft tools use, with Stockfish's replies.

    position startpos|fen FEN [moves ...]    go perft DEPTH    setoption name UCI_Chess960 value true
    uci    isready    ucinewgame    d    quit

Any other command is answered with `info string` and changes nothing.
"""

from collections.abc import Iterator
from importlib.metadata import version

from slidebench.harness.positions.notation import DepthError, MoveError, parse_depth, play_moves
from slidebench.harness.positions.parallel_perft import PerftRunner
from slidebench.kernels import Kernel
from slidebench.kernels.position import START, FenError, parse_fen, quoted

COMMANDS = "uci, isready, ucinewgame, position, go perft DEPTH, setoption name UCI_Chess960, d or quit"
UNCHANGED = " (position unchanged)"


class Session:
    """The state of a UCI session: the position, and how castling moves are written.

    `lenient` accepts positions with more than 16 pieces per side.
    """

    def __init__(self, kernel: Kernel, *, lenient: bool = False) -> None:
        self.kernel = kernel
        self.lenient = lenient
        self.position = parse_fen(START)
        self.chess960 = False

    def replies(self, line: str) -> Iterator[str]:
        """The lines of the reply to a command, each as soon as it is known. No command raises."""
        command, *words = line.split() or [""]
        match command, words:
            case "uci", []:
                yield f"id name slidebench {version('slidebench')} {self.kernel.choice}"
                yield "id author the slidebench authors"
                yield "option name UCI_Chess960 type check default false"
                yield "uciok"
            case "isready", []:
                yield "readyok"
            case "ucinewgame", []:
                self.position = parse_fen(START)
            case "setoption", ["name", name, "value", ("true" | "false") as value] if (
                name.lower() == "uci_chess960"
            ):
                self.chess960 = value == "true"
            case "position", _:
                yield from self._set_position(words)
            case "go", ["perft", depth]:
                yield from self._perft(depth)
            case "d", []:
                yield f"Fen: {self.position.fen(chess960=self.chess960)}"
            case "" | "stop", []:
                return
            case _:
                yield f"info string unknown command {quoted(line.strip())}: expected {COMMANDS}"

    def _set_position(self, words: list[str]) -> Iterator[str]:
        """Set the position; on an error, keep the old one and reply with the reason."""
        end = words.index("moves") if "moves" in words else len(words)
        match words[:end]:
            case ["startpos"]:
                fen = START
            case ["fen", *fields]:
                fen = " ".join(fields)
            case _:
                yield f"info string invalid position command: expected startpos or fen{UNCHANGED}"
                return
        try:
            self.position = play_moves(self.kernel, parse_fen(fen, lenient=self.lenient), words[end + 1 :])
        except FenError as error:
            yield f"info string {error}{UNCHANGED}"
            yield from (f"info string {line}" for line in error.marked().splitlines())
        except MoveError as error:
            yield f"info string {error}{UNCHANGED}"

    def _perft(self, text: str) -> Iterator[str]:
        """Count the leaves below each move and in total, in the form of Stockfish's `go perft`."""
        try:
            depth = parse_depth(text)
        except DepthError as error:
            yield f"info string {error}"
            return
        total = 0 if depth else 1
        for move, count in PerftRunner(self.kernel).divide(self.position, depth):
            total += count.nodes
            yield f"{move.uci(chess960=self.chess960)}: {count.nodes}"
        yield ""
        yield f"Nodes searched: {total}"
        yield ""
