"""Chess positions as text: the one place that reads and writes FEN.

Squares count from a1 = 0 along the ranks to h8 = 63; bit n of a bitboard is square n.

The text form is FEN as the PGN standard defines it (Steven J. Edwards, 1994). For Chess960, castling rights
may also be rook files: X-FEN (Reinhard Scharnagl, 2003) or Shredder-FEN (Stefan Meyer-Kahlen). docs/input.md
lists every fault with its message.
"""

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

START: Final = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

FILES = "abcdefgh"
FIELDS = ("board", "side to move", "castling", "en passant", "halfmove clock", "fullmove number")
KINDS = {"p": "pawns", "n": "knights", "b": "bishops", "r": "rooks", "q": "queens", "k": "kings"}
CASTLING = "-, KQkq, or rook files A to H and a to h"
HOME_RANK = {True: 0xFF, False: 0xFF << 56}
MAX_PIECES_PER_SIDE = 16  # a side starts with 16 and never gains one
MAX_CLOCK = 9999  # four digits hold any game: the 75-move rule ends each within 8,849 moves

ORTHOGONAL = ((1, 0), (-1, 0), (0, 1), (0, -1))
DIAGONAL = ((1, 1), (1, -1), (-1, 1), (-1, -1))
KNIGHT = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))


class FenError(ValueError):
    """An invalid FEN. The message is one line: the field, what is wrong with it, and what was expected.

    Attributes: `field`, one of FIELDS or "end"; `reason`, the message without the field; `text`, the FEN;
    `column`, the 0-based offset of the fault in it.
    """

    def __init__(self, field: str, reason: str, text: str, column: int) -> None:
        super().__init__(field, reason, text, column)
        self.field = field
        self.reason = reason
        self.text = text
        self.column = column

    def __str__(self) -> str:
        return f"{self.field}: {self.reason}"

    def marked(self) -> str:
        """The text, cut to 120 characters, and on a second line a caret under the fault."""
        begin = max(0, self.column - 100)
        shown = "".join(c if " " <= c <= "~" else "?" for c in self.text[begin : begin + 120])
        return f"{shown}\n{' ' * (self.column - begin)}^"


@dataclass(frozen=True, slots=True)
class Position:
    """A chess position. `parse_fen` returns valid ones only; the constructor checks nothing.

    The bitboard of a kind of piece holds both colours. `castling_rooks` are the rooks that may still castle;
    `en_passant` is the square behind a pawn that has just made a double push, even if no pawn can capture it.
    """

    pawns: int
    knights: int
    bishops: int
    rooks: int
    queens: int
    kings: int
    white: int
    black: int
    white_to_move: bool
    castling_rooks: int
    en_passant: int | None
    halfmove_clock: int
    fullmove_number: int

    def fen(self, *, chess960: bool = False) -> str:
        """The FEN of this position, with all six fields.

        Castling rights are written KQkq, or as the rook's file if another rook is nearer the edge (X-FEN);
        with `chess960`, always as the rook's file (Shredder-FEN).
        """
        ranks = ("".join(self._letter(8 * rank + file) for file in range(8)) for rank in reversed(range(8)))
        board = re.sub("1+", lambda ones: str(len(ones.group())), "/".join(ranks))
        castling = self._castling(True, chess960).upper() + self._castling(False, chess960)
        en_passant = "-" if self.en_passant is None else square_name(self.en_passant)
        side = "w" if self.white_to_move else "b"
        return f"{board} {side} {castling or '-'} {en_passant} {self.halfmove_clock} {self.fullmove_number}"

    def _letter(self, square: int) -> str:
        """The FEN letter of the piece on `square`, "1" for an empty one."""
        for letter, kind in KINDS.items():
            if getattr(self, kind) >> square & 1:
                return letter.upper() if self.white >> square & 1 else letter
        return "1"

    def _castling(self, white: bool, chess960: bool) -> str:
        own = (self.white if white else self.black) & HOME_RANK[white]
        letters = ""
        for wing in "kq":
            rooks = _wing(self.rooks & own, self.kings & own, wing)
            right = self.castling_rooks & rooks
            if right and (chess960 or right != _outermost(rooks, wing)):
                letters += FILES[(right.bit_length() - 1) % 8]
            elif right:
                letters += wing
        return letters


class _Field(NamedTuple):
    """One field of a FEN; `value` is empty if the field is missing."""

    name: str
    value: str
    column: int
    text: str

    def fault(self, reason: str, offset: int = 0) -> FenError:
        return FenError(self.name, reason, self.text, self.column + offset)

    def invalid(self, expected: str) -> FenError:
        problem = f"invalid value {quoted(self.value)}" if self.value else "missing"
        return self.fault(f"{problem}: expected {expected}")


def parse_fen(text: str, *, lenient: bool = False) -> Position:
    """The position of a FEN with six fields, or with four (clocks 0 and 1); "startpos" means START.

    `lenient` accepts more than 16 pieces per side.

    Raises FenError for any other text, and for the impossible positions that docs/input.md lists.
    """
    if text.strip(" \t\r\n") == "startpos":
        text = START
    board, side, castling, en_passant, halfmoves, fullmoves = _fields(text)
    pieces = _pieces(board, lenient)
    if side.value not in ("w", "b"):
        raise side.invalid("w or b")
    white_to_move = side.value == "w"
    _check_kings_safety(board, pieces, white_to_move)
    return Position(
        **{kind: _bitboard(pieces, letter + letter.upper()) for letter, kind in KINDS.items()},
        white=_bitboard(pieces, "PNBRQK"),
        black=_bitboard(pieces, "pnbrqk"),
        white_to_move=white_to_move,
        castling_rooks=_castling_rooks(castling, pieces),
        en_passant=_en_passant(en_passant, pieces, white_to_move),
        halfmove_clock=_clock(halfmoves),
        fullmove_number=_clock(fullmoves),
    )


@lru_cache(maxsize=1024)  # it takes 0.1 ms, and the same few positions are counted again and again
def check_position(position: Position) -> None:
    """Raise ValueError for a Position that `parse_fen` could not have returned, even if lenient.

    Compiled kernels trust what they are given: without a king, for one, they would read beyond their tables.
    """
    fen = position.fen()
    if parse_fen(fen, lenient=True) != position:
        raise ValueError(f"invalid Position, not the same as its FEN {fen}: expected fields that agree")


def square_name(square: int) -> str:
    """The name of a square: 0 is a1, 63 is h8. Raises ValueError outside 0 to 63."""
    if not 0 <= square <= 63:
        raise ValueError(f"invalid square {square}: expected 0 (a1) to 63 (h8)")
    return f"{FILES[square % 8]}{square // 8 + 1}"


def parse_square(name: str) -> int:
    """The number of a square: a1 is 0, h8 is 63. Raises ValueError for any other name."""
    if not re.fullmatch("[a-h][1-8]", name):
        raise ValueError(
            f"invalid square {quoted(name)}: expected a file a to h and a rank 1 to 8, such as e4"
        )
    return FILES.index(name[0]) + 8 * (int(name[1]) - 1)


def quoted(text: str) -> str:
    """The text in quotes, in ASCII on one line, cut after 20 characters."""
    return ascii(text if len(text) <= 20 else f"{text[:20]}...")


def _fields(text: str) -> list[_Field]:
    """The six fields of a FEN; missing ones are empty and lie at the end of the text."""
    words = [(word.group(), word.start()) for word in re.finditer(r"[^ \t\r\n]+", text)]
    if len(words) > len(FIELDS):
        extra, column = words[len(FIELDS)]
        raise FenError(
            "end", f"unexpected seventh field {quoted(extra)}: expected four fields or six", text, column
        )
    end = len(text.rstrip(" \t\r\n"))
    words += [("", end)] * (4 - len(words))
    words += [("0", end), ("1", end)] if len(words) == 4 else [("", end)] * (6 - len(words))
    return [_Field(name, value, column, text) for name, (value, column) in zip(FIELDS, words, strict=True)]


def _pieces(board: _Field, lenient: bool) -> dict[int, str]:
    """The FEN letter of every piece, by square, in the order written."""
    if not board.value:
        raise board.invalid(f"a position such as {START}")
    pieces: dict[int, str] = {}
    rank, file = 7, 0
    for offset, letter in enumerate(f"{board.value}/"):
        if letter == "/":
            if file != 8:
                squares = "1 square" if file == 1 else f"{file} squares"
                raise board.fault(f"rank {rank + 1} has {squares}: expected 8", offset)
            rank, file = rank - 1, 0
            if rank < 0 and offset < len(board.value):
                raise board.fault("more than 8 ranks: expected 8, separated by /", offset)
        elif letter in "12345678":
            if offset and board.value[offset - 1] in "12345678":
                raise board.fault(f"consecutive numbers on rank {rank + 1}: expected their sum", offset)
            file += int(letter)
        elif letter.lower() in KINDS and letter.isascii():
            pieces[8 * rank + file] = letter
            file += 1
        else:
            reason = f"invalid character {quoted(letter)} on rank {rank + 1}"
            raise board.fault(f"{reason}: expected PNBRQKpnbrqk, 1 to 8 or /", offset)
        if file > 8:
            raise board.fault(f"rank {rank + 1} has more than 8 squares: expected 8", offset)
    if rank >= 0:
        raise board.fault(f"only {7 - rank} ranks: expected 8, separated by /", len(board.value))
    _check_material(board, pieces, lenient)
    return pieces


def _check_material(board: _Field, pieces: dict[int, str], lenient: bool) -> None:
    count = Counter(pieces.values())
    if not count["K"] and not count["k"]:
        raise board.fault("no kings: expected one per side")
    for side, king, letters in (("white", "K", "PNBRQK"), ("black", "k", "pnbrqk")):
        if count[king] != 1:
            kings = f"{count[king]} {side} kings" if count[king] else f"no {side} king"
            raise board.fault(f"{kings}: expected one per side")
        total = sum(count[letter] for letter in letters)
        if total > MAX_PIECES_PER_SIDE and not lenient:
            raise board.fault(
                f"{total} {side} pieces: expected at most {MAX_PIECES_PER_SIDE} per side, unless lenient"
            )
    for square, piece in pieces.items():
        if piece in "Pp" and square // 8 in (0, 7):
            reason = f"pawn on {square_name(square)}: expected pawns on ranks 2 to 7 only"
            raise board.fault(reason, _offset(board, pieces, square))


def _check_kings_safety(board: _Field, pieces: dict[int, str], white_to_move: bool) -> None:
    king = next(square for square, piece in pieces.items() if piece == ("k" if white_to_move else "K"))
    attacker = _attacker(king, pieces, white_to_move)
    if attacker is not None:
        reason = f"the king on {square_name(king)} can be captured from {square_name(attacker)}"
        raise board.fault(f"{reason}: expected only the side to move in check", _offset(board, pieces, king))


def _attacker(target: int, pieces: dict[int, str], white: bool) -> int | None:
    """A square from which a piece of the given colour attacks `target`; None if there is none."""
    behind = -1 if white else 1
    for kinds, steps, reach in (
        ("rq", ORTHOGONAL, 7),
        ("bq", DIAGONAL, 7),
        ("n", KNIGHT, 1),
        ("k", ORTHOGONAL + DIAGONAL, 1),
        ("p", ((-1, behind), (1, behind)), 1),
    ):
        for file_step, rank_step in steps:
            for distance in range(1, reach + 1):
                file = target % 8 + distance * file_step
                rank = target // 8 + distance * rank_step
                if not (0 <= file < 8 and 0 <= rank < 8):
                    break
                piece = pieces.get(8 * rank + file)
                if piece and piece in (kinds.upper() if white else kinds):
                    return 8 * rank + file
                if piece:
                    break
    return None


def _castling_rooks(castling: _Field, pieces: dict[int, str]) -> int:
    """The bitboard of the rooks that may castle.

    K and Q name the outermost rook on that side of the king, a file letter the rook on that file.
    """
    if castling.value == "-":
        return 0
    if not castling.value:
        raise castling.invalid(CASTLING)
    rights = 0
    for offset, letter in enumerate(castling.value):
        if letter not in "KQABCDEFGHkqabcdefgh":
            raise castling.fault(f"invalid character {quoted(letter)}: expected {CASTLING}", offset)
        white = letter.isupper()
        side, first = ("white", 0) if white else ("black", 56)
        king = _bitboard(pieces, "K" if white else "k") & HOME_RANK[white]
        rooks = _bitboard(pieces, "R" if white else "r") & HOME_RANK[white]
        if letter in "KQkq":
            wing = letter.lower()
            rook = _outermost(_wing(rooks, king, wing), wing)
            home = f"the {'h' if wing == 'k' else 'a'}-file side of its king"
        else:
            square = first + FILES.index(letter.lower())
            rook = rooks & 1 << square
            wing = "k" if rook > king else "q"
            home = square_name(square)
        if not king:
            reason = f"{letter} without the {side} king on rank {first // 8 + 1}"
        elif not rook:
            reason = f"{letter} without a {side} rook on {home}"
        elif rights & _wing(rooks, king, wing):
            reason = f"{letter} is a second right on the same side of the king"
        else:
            rights |= rook
            continue
        raise castling.fault(f"{reason}: remove {letter}", offset)
    return rights


def _en_passant(en_passant: _Field, pieces: dict[int, str], white_to_move: bool) -> int | None:
    """The square behind a pawn that has just made a double push, or None for "-"."""
    if en_passant.value == "-":
        return None
    rank, forward, pawn, colour = (6, -8, "p", "black") if white_to_move else (3, 8, "P", "white")
    if not re.fullmatch(f"[a-h]{rank}", en_passant.value):
        raise en_passant.invalid(f"- or the square on rank {rank} that a {colour} pawn has just passed")
    square = parse_square(en_passant.value)
    if pieces.get(square + forward) != pawn:
        reason = f"no {colour} pawn on {square_name(square + forward)}"
    elif square in pieces:
        reason = f"{en_passant.value} is occupied"
    elif square - forward in pieces:
        reason = f"{square_name(square - forward)}, where the pawn came from, is occupied"
    else:
        return square
    raise en_passant.fault(f"{reason}, so no pawn has just passed {en_passant.value}: expected -")


def _clock(clock: _Field) -> int:
    if not re.fullmatch("[0-9]{1,4}", clock.value):
        raise clock.invalid(f"0 to {MAX_CLOCK}, or neither clock")
    return int(clock.value)


def _bitboard(pieces: dict[int, str], letters: str) -> int:
    return sum(1 << square for square, piece in pieces.items() if piece in letters)


def _wing(rooks: int, king: int, wing: str) -> int:
    """The rooks on the h-file side ("k") or the a-file side ("q") of the king, all on their first rank."""
    return rooks & (-king if wing == "k" else king - 1)


def _outermost(rooks: int, wing: str) -> int:
    """The rook nearest the h-file ("k") or the a-file ("q"); 0 if there is none."""
    return 1 << rooks.bit_length() >> 1 if wing == "k" else rooks & -rooks


def _offset(board: _Field, pieces: dict[int, str], square: int) -> int:
    """The offset in the board field of the piece on `square`."""
    letters = [offset for offset, letter in enumerate(board.value) if letter.isalpha()]
    return letters[list(pieces).index(square)]
