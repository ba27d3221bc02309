"""The part of the UCI protocol (Stefan Meyer-Kahlen, 2000) that perft tools use, answered as Stockfish does.

    position startpos|fen FEN [moves ...]    go perft DEPTH    setoption name UCI_Chess960 value true
    uci    isready    ucinewgame    d    quit

Whatever else comes is answered with `info string` and changes nothing.
"""

from collections.abc import Iterator
from importlib.metadata import version

from slidebench.harness.positions.notation import DepthError, MoveError, parse_depth, play_moves
from slidebench.harness.positions.parallel_perft import PerftRunner
from slidebench.kernels import Kernel
from slidebench.kernels.position import START, FenError, parse_fen, quoted


class Session:
    """One conversation: it keeps the position and the spelling of castling."""

    def __init__(self, kernel: Kernel, *, lenient: bool = False) -> None:
        self.kernel = kernel
        self.lenient = lenient  # whether more than 16 pieces a side are accepted
        self.position = parse_fen(START)
        self.chess960 = False

    def replies(self, line: str) -> Iterator[str]:
        """The lines that answer one command, as they become known."""
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
                yield f"info string unknown command {quoted(line.strip())}"

    def _set_position(self, words: list[str]) -> Iterator[str]:
        """Set the position, or say why it stays as it is."""
        end = words.index("moves") if "moves" in words else len(words)
        match words[:end]:
            case ["startpos"]:
                fen = START
            case ["fen", *fields]:
                fen = " ".join(fields)
            case _:
                yield "info string position needs startpos or fen; the position stays as it was"
                return
        try:
            self.position = play_moves(self.kernel, parse_fen(fen, lenient=self.lenient), words[end + 1 :])
        except FenError as error:
            yield f"info string {error}; the position stays as it was"
            yield from (f"info string {line}" for line in error.marked().splitlines())
        except MoveError as error:
            yield f"info string {error}; the position stays as it was"

    def _perft(self, text: str) -> Iterator[str]:
        try:
            depth = parse_depth(text)
        except DepthError as error:
            yield f"info string {error}"
            return
        total = 0 if depth else 1
        for move, part in PerftRunner(self.kernel).divide(self.position, depth):
            total += part.nodes
            yield f"{move.uci(chess960=self.chess960)}: {part.nodes}"
        yield ""
        yield f"Nodes searched: {total}"
        yield ""
