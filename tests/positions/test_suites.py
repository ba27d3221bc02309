"""Whole files of counts: every one is checked, every fault named with its file and line."""

import json
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from command import slidebench
from paths import PUBLISHED, TESTS
from toys import Toy

from slidebench import kernels
from slidebench.harness.positions import suites
from slidebench.harness.positions.epd import EpdFault, EpdLine, read_epd
from slidebench.harness.workloads import CPW_POSITIONS
from slidebench.kernels.position import START, parse_fen

OWN = TESTS / "perft"
LOWEST = kernels.levels()[0]
KIWIPETE = CPW_POSITIONS[1].fen


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Two right lines, a wrong count and two lines to refuse."""
    path = tmp_path / "mixed.epd"
    path.write_text(
        "# two right lines, a wrong count, two lines to refuse\n"
        f"{START} ;D1 20 ;D2 400 ;D3 8902\n"
        "\n"
        f"{KIWIPETE} ;D1 48; D2 2039\n"
        f"{START} ;D2 401 ;D1 20\n"
        "8/8/8/8/8/8/8/8 w - - 0 1 ;D1 0\n"
        f"{START} ;D1 1_000\n"
    )
    return path


def outcome(fen: str, depth: int, expected: int, counted: int) -> suites.CaseResult:
    """A kernel's count, true or not."""
    line = EpdLine(7, fen, parse_fen(fen), {depth: expected})
    case = suites.Case(Path("x.epd"), line, depth, expected)
    return suites.CaseResult(case, kernels.Selection().best(), depth, counted, 1)


class TestVerb:
    def test_right_suites_give_status_0(self) -> None:
        result = slidebench("suite", *map(str, sorted(OWN.glob("*.epd"))), "--max-nodes", "20000")
        assert result.returncode == 0, result.stdout
        assert re.match(r"(\d{4}) of \1 counts are right: 819 positions \(", result.stdout)

    def test_every_fault_is_named_with_file_and_line_and_gives_status_1(self, suite: Path) -> None:
        result = slidebench("suite", str(suite))
        assert result.returncode == 1
        assert result.stdout.splitlines()[:5] == [
            f"REFUSED {suite}:6: board: no kings: expected one per side",
            "    8/8/8/8/8/8/8/8 w - - 0 1",
            "    ^",
            f"REFUSED {suite}:7: invalid operation 'D1 1_000': expected D1 to D64 and a node count "
            "below 2^64",
            f"WRONG {suite}:5 D2: expected 401, {kernels.Selection().best()} counts 400",
        ]
        assert "python-chess counts 400 too: the number in the suite is wrong" in result.stdout
        total = f"6 of 7 counts are right: 3 positions (2 distinct), {kernels.Selection().best()}\nlines refused: 2;"
        assert total in result.stdout

    def test_a_line_to_refuse_alone_gives_status_1(self, tmp_path: Path) -> None:
        (tmp_path / "bad.epd").write_text("8/8/8/8/8/8/8/8 w - - 0 1 ;D1 0\n")
        assert slidebench("suite", "bad.epd", cwd=tmp_path).returncode == 1

    def test_counts_above_the_limit_are_left_out_and_counted(self, suite: Path) -> None:
        data = json.loads(slidebench("suite", str(suite), "--max-nodes", "48", "--json").stdout)
        assert (data["checks"], data["beyond_limit"], data["nodes"]) == (3, 4, 20 + 48 + 20)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("# nothing\n", "nothing to check: no line has counts such as ;D1 20"),
            (f"{START}\n", "nothing to check: no line has counts such as ;D1 20"),
            (f"{START} ;D2 400\n", "nothing to check: 1 counts are above 300 nodes; raise --max-nodes"),
        ],
    )
    def test_a_suite_that_checks_nothing_is_no_success(self, text: str, message: str, tmp_path: Path) -> None:
        (tmp_path / "empty.epd").write_text(text)
        result = slidebench("suite", "empty.epd", "--max-nodes", "300", cwd=tmp_path)
        assert (result.returncode, result.stderr) == (2, f"slidebench: {message}\n")

    def test_more_than_16_pieces_a_side_are_counted_when_lenient(self, tmp_path: Path) -> None:
        fen = "kBQQQQQQ/BR5Q/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1"
        (tmp_path / "many.epd").write_text(f"{fen} ;D1 270 ;D2 0\n")
        assert slidebench("suite", "many.epd", cwd=tmp_path).returncode == 1
        assert slidebench("suite", "many.epd", "--lenient", cwd=tmp_path).returncode == 0

    def test_all_spreads_over_what_this_machine_can_run(self, tmp_path: Path) -> None:
        (tmp_path / "start.epd").write_text(f"{START} ;D1 20\n")
        everything = ("--kernel", "all", "--level", "all", "--popcount", "all", "--json")
        data = json.loads(slidebench("suite", "start.epd", *everything, cwd=tmp_path).stdout)
        assert data["kernels"] == [vars(choice) for choice in kernels.Selection().runnable()]
        assert data["checks"] == len(data["kernels"])
        data = json.loads(
            slidebench(
                "suite", "start.epd", "--level", "all", "--kernel", "rotated", "--json", cwd=tmp_path
            ).stdout
        )
        assert data["kernels"] == [
            vars(choice) for choice in kernels.Selection("rotated", None, "builtin").runnable()
        ]

    def test_a_wrong_kernel_is_divided_against_the_oracle(self, toy: Toy, tmp_path: Path) -> None:
        # The blind kernel sees no pawn on e4: its rook goes on to e5, e6, e7 and e8.
        path = tmp_path / "blind.epd"
        path.write_text("8/3k4/8/8/4P3/8/8/4R1K1 w - - 0 1 ;D1 13\n")
        result = toy.run("suite", str(path), "--kernel", "blind", "--level", LOWEST)
        assert result.returncode == 1
        assert f"WRONG {path}:1 D1: expected 13, blind {LOWEST} builtin counts 17" in result.stdout
        assert (
            "python-chess counts 13; below these moves the counts differ:\n  move       kernel"
            in result.stdout
        )
        assert re.search(r"^  e1e5 +1 +-$", result.stdout, re.MULTILINE)

    def test_junit_xml_holds_every_count_and_every_fault(self, suite: Path) -> None:
        report = suite.with_suffix(".xml")
        result = slidebench("suite", str(suite), "--junit", str(report))
        assert result.returncode == 1
        root = ElementTree.parse(report).getroot()
        assert root.attrib == {"name": "slidebench suite", "tests": "9", "failures": "1", "errors": "2"}
        (group,) = root
        assert group.get("name") == str(suite)
        cases = [(case.get("classname"), case.get("name")) for case in group]
        assert cases[0] == ("input", "line 6")
        assert (str(kernels.Selection().best()), f"line 4 D2: {KIWIPETE}") in cases
        failure = group.find("./testcase/failure")
        assert failure is not None and failure.get("message", "").endswith(
            ":5 D2: expected 401, " + str(kernels.Selection().best()) + " counts 400"
        )

    def test_the_time_limit_covers_all_kernels(self, tmp_path: Path) -> None:
        (tmp_path / "deep.epd").write_text(f"{START} ;D12 62854969236701747\n")
        result = slidebench(
            "suite", "deep.epd", "--max-nodes", "9" * 18, "--time-limit", "0.2s", cwd=tmp_path
        )
        assert result.returncode == 2
        assert result.stderr.startswith("slidebench: the time limit is over; lower --max-nodes")

    def test_what_was_counted_before_the_time_limit_is_shown(self, tmp_path: Path) -> None:
        (tmp_path / "deep.epd").write_text(f"{START} ;D1 20 ;D2 401 ;D12 62854969236701747\n")
        options = ("--max-nodes", "9" * 18, "--time-limit", "3s", "--junit", "report.xml")
        result = slidebench("suite", "deep.epd", *options, cwd=tmp_path)
        report = ElementTree.parse(tmp_path / "report.xml").getroot()
        assert (report.get("failures"), report.get("errors")) == ("1", "1")
        assert result.returncode == 1
        assert "expected 401" in result.stdout
        assert "1 of 2 counts are right" in result.stdout
        assert "UNFINISHED: 1 counts were not made" in result.stdout

    def test_the_time_limit_covers_reading(self, tmp_path: Path) -> None:
        (tmp_path / "long.epd").write_text(f"{START} ;D1 20\n" * 100_000)
        result = slidebench("suite", "long.epd", "--time-limit", "0.1s", cwd=tmp_path)
        assert result.returncode == 2
        assert re.search(r"the time limit is over at long.epd, line \d+; give a longer", result.stderr)

    def test_a_count_that_falls_with_depth_is_right(self, tmp_path: Path) -> None:
        (tmp_path / "mate.epd").write_text("k7/2K5/8/8/8/8/8/6Q1 w - - 0 1 ;D2 23\n")
        assert slidebench("suite", "mate.epd", "--max-nodes", "23", cwd=tmp_path).returncode == 0

    @pytest.mark.parametrize("depth", [9, 64])
    def test_a_number_far_too_deep_is_not_counted_for_years(self, depth: int, tmp_path: Path) -> None:
        (tmp_path / "deep.epd").write_text(f"{START} ;D{depth} 1\n")
        result = slidebench("suite", "deep.epd", "--junit", "report.xml", cwd=tmp_path)
        assert result.returncode == 2
        place = f"deep.epd:1 D{depth}: expected 1"
        assert (
            f"STOPPED {place}, {kernels.Selection().best()} counts 119060324 at depth 6 already"
            in result.stdout
        )
        assert result.stderr == "slidebench: some counts were not made: too many nodes; raise --max-nodes\n"
        assert ElementTree.parse(tmp_path / "report.xml").getroot().get("errors") == "1"

    def test_the_place_of_a_fault_is_shown(self, tmp_path: Path) -> None:
        (tmp_path / "bad.epd").write_text("4k3/8/8/8/8/8/8/4K2x w - - 0 1 ;D1 5\n")
        lines = slidebench("suite", "bad.epd", cwd=tmp_path).stdout.splitlines()
        assert lines[0].startswith("REFUSED bad.epd:1: board: invalid character 'x' on rank 1: ")
        assert lines[1].strip() == "4k3/8/8/8/8/8/8/4K2x w - - 0 1"
        assert lines[1][lines[2].index("^")] == "x"

    def test_a_report_that_cannot_be_written_is_one_line_and_loses_no_result(self, suite: Path) -> None:
        result = slidebench("suite", str(suite), "--junit", str(suite / "report.xml"))
        assert result.returncode == 2
        assert "6 of 7 counts are right" in result.stdout
        assert re.fullmatch(r"slidebench: cannot write \S+: .*; choose another --junit file\n", result.stderr)

    @pytest.mark.slow
    def test_all_published_suites_are_right_at_the_default_limit(self) -> None:
        paths = sorted(PUBLISHED.glob("*.epd"))
        if not paths:
            pytest.skip("no published suites here; set SLIDEBENCH_PUBLISHED_PERFT to their folder")
        data = json.loads(slidebench("suite", *map(str, paths), "--lenient", "--json").stdout)
        assert data["wrong"] == data["faults"] == []
        assert data["checks"] > 16_000


class TestExplanation:
    def test_it_names_the_moves_below_which_the_counts_differ(self, monkeypatch: pytest.MonkeyPatch) -> None:
        true = kernels.Kernel.divide
        monkeypatch.setattr(
            kernels.Kernel, "divide", lambda *given, **named: true(*given, **named) | {"e1h1": 42, "a1a8": 1}
        )
        assert suites.explanation(outcome(KIWIPETE, 2, 2039, 2040)).splitlines() == [
            "python-chess counts 2039; below these moves the counts differ:",
            "  move       kernel python-chess",
            "  a1a8            1            -",
            "  e1h1           42           43",
        ]

    def test_it_says_so_without_python_chess(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "chess", None)
        assert "python-chess is not installed" in suites.explanation(outcome(START, 1, 20, 21))

    def test_it_gives_up_on_what_takes_the_oracle_minutes(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(suites, "ORACLE_NODES", 1_000)
        assert "too many for python-chess" in suites.explanation(outcome(START, 3, 8902, 8903))


@pytest.mark.parametrize(
    ("fen", "same_as", "same"),
    [
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
         "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 5 9", True),
        ("4k3/8/8/8/4Pp2/8/8/4K3 b - e3 0 1", "4k3/8/8/8/4Pp2/8/8/4K3 b - - 0 1", False),
        ("4k3/8/8/7p/P7/8/8/4K3 b - a3 0 1", "4k3/8/8/7p/P7/8/8/4K3 b - - 0 1", True),
        ("4k3/8/8/P6p/8/8/8/4K3 w - h6 0 1", "4k3/8/8/P6p/8/8/8/4K3 w - - 0 1", True),
        ("r3k3/8/8/8/8/8/8/4K3 b q - 0 1", "r3k3/8/8/8/8/8/8/4K3 b - - 0 1", False),
    ],
)  # fmt: skip
def test_positions_are_one_if_only_clocks_or_a_useless_en_passant_square_differ(
    fen: str, same_as: str, same: bool
) -> None:
    assert (suites.identity(parse_fen(fen)) == suites.identity(parse_fen(same_as))) is same


def test_a_depth_beyond_what_kernels_take_is_refused() -> None:
    most, beyond = (f"k7/8/1Q6/8/8/8/8/K7 b - - 0 1 ;D{kernels.MAX_DEPTH + more} 0\n" for more in (0, 1))
    assert [type(line) for line in read_epd(most + beyond)] == [EpdLine, EpdFault]
