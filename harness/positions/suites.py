"""Perft suites over kernels: every count of every line, a mismatch explained, JUnit XML.

Data flows one way: EPD files -> Suite -> CaseResult of each case -> report.
"""

import math
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as changed
from pathlib import Path
from xml.etree import ElementTree

from slidebench import kernels
from slidebench.harness.machine.system import usable_cpus
from slidebench.harness.positions.epd import EpdFault, EpdLine, read_epd
from slidebench.harness.positions.workers import TimeLimitError, in_threads
from slidebench.kernels.position import Position

DEFAULT_NODES = 10_000_000  # per count: the slowest kernel takes a tenth of a second
STOP = 10  # times the node limit: with so many leaves above its depth a count is not made
ORACLE_NODES = 2_000_000  # python-chess counts these in some ten seconds
ORACLE = "python-chess"


@dataclass(frozen=True, slots=True)
class Case:
    """One count of one line: `nodes` leaves are expected at `depth`."""

    path: Path
    line: EpdLine
    depth: int
    nodes: int

    @property
    def place(self) -> str:
        """Where the count is written, such as "cpw.epd:3"."""
        return f"{self.path}:{self.line.line_number}"


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What a kernel counted, and how long it took."""

    case: Case
    choice: kernels.Choice
    depth: int  # the case's, or one above it with so many leaves that no more were counted
    counted: int
    wall_nanoseconds: int

    @property
    def stopped(self) -> bool:
        """Whether the count was not made."""
        return self.depth < self.case.depth

    @property
    def wrong(self) -> bool:
        return not self.stopped and self.counted != self.case.nodes

    def __str__(self) -> str:
        case = self.case
        early = f" at depth {self.depth} already: expected a higher --max-nodes" if self.stopped else ""
        return (
            f"{case.place} D{case.depth}: expected {case.nodes}, {self.choice} counts {self.counted}{early}"
        )


@dataclass
class Suite:
    """What the files hold: cases within the node limit, how many are beyond it, and the lines refused."""

    most_nodes: int
    cases: list[Case] = field(default_factory=list)
    beyond_limit: int = 0
    positions: int = 0
    distinct: set[Position] = field(default_factory=set)
    faults: list[tuple[Path, EpdFault]] = field(default_factory=list)


def read_suite(
    paths: Iterable[Path], most_nodes: int, *, lenient: bool = False, seconds: float | None = None
) -> Suite:
    """All lines of EPD files. Raises EpdError if one cannot be opened, TimeLimitError when time is up."""
    suite = Suite(most_nodes)
    end = math.inf if seconds is None else time.monotonic() + seconds
    for path in paths:
        for line in read_epd(path, lenient=lenient):
            if time.monotonic() > end:
                place = f"{path}, line {line.line_number}"
                raise TimeLimitError(
                    f"time limit exceeded at {place}: expected a longer --time-limit or a shorter file"
                )
            if isinstance(line, EpdFault):
                suite.faults.append((path, line))
                continue
            suite.positions += 1
            suite.distinct.add(identity(line.position))
            for depth, nodes in sorted(line.depths.items()):
                if nodes <= most_nodes:
                    suite.cases.append(Case(path, line, depth, nodes))
                else:
                    suite.beyond_limit += 1
    return suite


def identity(position: Position) -> Position:
    """The position without what changes no count: clocks, and an en passant square next to no enemy pawn."""
    square = position.en_passant
    if square is not None:
        pawns = position.pawns & (position.white if position.white_to_move else position.black)
        behind = square + (-8 if position.white_to_move else 8)
        beside = (square % 8 > 0) << behind - 1 | (square % 8 < 7) << behind + 1
        square = square if pawns & beside else None
    return changed(position, en_passant=square, halfmove_clock=0, fullmove_number=1)


def outcomes(suite: Suite, choice: kernels.Choice, seconds: float | None = None) -> Iterator[CaseResult]:
    """Count every case with one kernel, on all CPUs this process may use, in no order.

    Raises TimeLimitError once `seconds` have passed.
    """
    kernel = kernels.load_choice(choice)

    def outcome(case: Case) -> CaseResult:
        # Depth by depth, or a wrong number such as ;D12 1 would be counted for years.
        for depth in range(1, case.depth + 1):
            timed = kernel.time_perft(case.line.position, depth)
            if timed.nodes > STOP * suite.most_nodes:
                break
        return CaseResult(case, choice, depth, timed.nodes, timed.wall_nanoseconds)

    return in_threads(outcome, suite.cases, threads=usable_cpus(), seconds=seconds)


def explanation(wrong: CaseResult) -> str:
    """The moves below which the kernel and python-chess count differently, or why that cannot be said."""
    case = wrong.case
    try:
        expected = _oracle_divide(case.line.position, case.depth)
    except ImportError:
        return f"{ORACLE} is not installed: pip install chess shows below which moves the counts differ"
    if expected is None:
        return f"more than {ORACLE_NODES} nodes: too many for {ORACLE}"
    total = sum(expected.values())
    if total == wrong.counted:
        return f"{ORACLE} counts {total} too: the number in the suite is wrong"
    counted = kernels.load_choice(wrong.choice).divide(case.line.position, case.depth, chess960=True)
    rows = [("move", "kernel", ORACLE)]
    for move in sorted({*expected, *counted}):
        if counted.get(move) != expected.get(move):
            rows.append((move, str(counted.get(move, "-")), str(expected.get(move, "-"))))
    return "\n".join(
        [f"{ORACLE} counts {total}; below these moves the counts differ:"]
        + [f"  {move:<6} {ours:>10} {theirs:>12}" for move, ours, theirs in rows]
    )


def _oracle_divide(position: Position, depth: int) -> dict[str, int] | None:
    """Leaves below each move as python-chess counts them; None if there are too many."""
    import chess  # noqa: PLC0415 - may be missing

    left = ORACLE_NODES

    def leaves(board: chess.Board, depth: int) -> int:
        nonlocal left
        if depth == 0:
            return 1
        if depth == 1:
            count = board.legal_moves.count()
            left -= count
            return count
        total = 0
        for move in board.legal_moves:
            if left < 0:
                break
            board.push(move)
            total += leaves(board, depth - 1)
            board.pop()
        return total

    board = chess.Board(position.fen(chess960=True), chess960=True)
    divide = {}
    for move in list(board.legal_moves):
        board.push(move)
        divide[move.uci()] = leaves(board, depth - 1)
        board.pop()
    return divide if left >= 0 else None


def junit_xml(suite: Suite, results: Sequence[CaseResult], missing: int = 0) -> bytes:
    """JUnit XML: a test suite for each file, with a case for each count by each kernel and each bad line.

    Counts that were not made, `missing` for lack of time, are errors.
    """
    root = ElementTree.Element("testsuites", name="slidebench verify")
    groups: dict[Path, ElementTree.Element] = {}

    def test_case(path: Path, name: str, kernel: str, seconds: float) -> ElementTree.Element:
        if path not in groups:
            groups[path] = ElementTree.SubElement(root, "testsuite", name=_printable(str(path)))
        return ElementTree.SubElement(
            groups[path], "testcase", classname=kernel, name=name, time=f"{seconds:.6f}"
        )

    for path, fault in suite.faults:
        case = test_case(path, f"line {fault.line_number}", "input", 0)
        ElementTree.SubElement(case, "error", message=_printable(fault.message))
    for outcome in in_order(results):
        line = outcome.case.line
        name = f"line {line.line_number} D{outcome.case.depth}: {line.position.fen()}"
        case = test_case(outcome.case.path, name, str(outcome.choice), outcome.wall_nanoseconds / 1e9)
        if outcome.wrong or outcome.stopped:
            kind = "failure" if outcome.wrong else "error"
            ElementTree.SubElement(case, kind, message=_printable(str(outcome)))
    if missing:
        case = test_case(Path("time limit"), f"{missing} counts", "time limit", 0)
        ElementTree.SubElement(case, "error", message="not counted: time limit exceeded")
    for group in [root, *groups.values()]:
        for attribute, element in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
            group.set(attribute, str(len(group.findall(f".//{element}"))))
    ElementTree.indent(root)
    report: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return report


def in_order(results: Iterable[CaseResult]) -> list[CaseResult]:
    """Outcomes in the order of the files."""
    return sorted(results, key=_order)


def _order(outcome: CaseResult) -> tuple[str, int, int, str]:
    case = outcome.case
    return str(case.path), case.line.line_number, case.depth, str(outcome.choice)


def _printable(text: str) -> str:
    """The text without what XML cannot hold."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
