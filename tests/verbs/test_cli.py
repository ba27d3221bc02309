"""What a user types, and what comes back."""

import json
import os
import re
import shlex
import signal
import subprocess
import time
from pathlib import Path

import pytest
from command import SLIDEBENCH, running, slidebench
from toys import Toy

from slidebench import kernels
from slidebench.harness.records.reader import read_record
from slidebench.kernels.position import START

LOWEST = kernels.levels()[0]


@pytest.fixture(scope="module")
def quick_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """A short real run of one kernel at the lowest level."""
    folder = tmp_path_factory.mktemp("run")
    return folder, slidebench(
        "run", "--kernel", "magic_fancy", "--level", LOWEST, "--budget", "1s", "--seed", "5", cwd=folder
    )


class TestFaults:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["perft", "3", "--kernel", "nosuch"], "no kernel is called 'nosuch'; there are .*pext"),
            (["perft", "3", "--level", "v7"], "no level is called 'v7'; there are "),
            (["perft", "3", "--popcount", "toes"], "no popcount is called 'toes'; there are builtin"),
            (["perft", "-1"], "-1"),
            (["perft", "deep"], "invalid depth 'deep': expected a whole number from 0 to 64"),
            (["perft", "1.5"], "invalid depth '1.5': "),
            (["perft", "9" * 5000], "invalid depth '9{20}...': "),
            (["perft", "65"], "invalid depth '65': "),
            (["perft", "8/8/8/8/8/8/8/8 w - - 0 1", "2"], "board: .*king"),
            (["perft"], "DEPTH"),
            (["show", "rook", "z9"], "square 'z9'; give a file a to h and a rank 1 to 8"),
            (["show", "rook", "d4", "--occupied", "d6,x"], "square 'x'"),
            (["show", "pawn", "d4"], "pawn"),
            (["verify", "--kernel", "nosuch"], "no kernel is called 'nosuch'"),
            (["run", "--budget", "soon"], "budget 'soon'; give a time such as 90s, 3m or 1h"),
            (["run", "--kernel", "nosuch"], "no kernel is called 'nosuch'"),
            (
                ["perft", "3", "--moves", "e2e5"],
                "illegal move 'e2e5' in rnbqkbnr/.*: expected one of a2a3 a2a4",
            ),
            (["perft", "3", "--divide", "--statistics"], "--divide and --statistics; give one of them"),
            (["perft", "3", "--statistics", "--threads", "2"], "leave --threads, --hash and --no-bulk out"),
            (["perft", "3", "--check-hash"], "--check-hash without --hash"),
            (["perft", "3", "--hash", str(10**20)], "'--hash': 1.* is not in the range"),
            (["run", "--quick", "--all"], "--quick and --all; give one of them"),
            (["run", "--budget", "2h"], "--budget above 1h; give at most 1h"),
            (
                [
                    "perft",
                    "--hash",
                    "4",
                    "--kernel",
                    "magic_fancy",
                    "8/8/4k3/8/8/4K3/8/8",
                    "w",
                    "-",
                    "-",
                    "24",
                ],
                "a position with more than 2.55 leaves: ",
            ),
            (["perft", "3", "--time-limit", "soon"], "time limit 'soon'; give a time such as 90s, 3m or 1h"),
            (
                ["perft", "14", "--time-limit", "0.1s"],
                "the time limit is over; give a lower depth or a longer",
            ),
            (
                ["perft", "3", "--hash", "1024", "--memory-limit", "512"],
                "not enough memory for a hash table of 1024 MiB: ",
            ),
            (["perft", "3", "--memory-limit", "3"], "'--memory-limit': 3 is not in the range"),
            (["perft", "14", "--divide", "--time-limit", "0.1s"], "the time limit is over"),
            (["perft", "14", "--statistics", "--time-limit", "0.1s"], "the time limit is over"),
            (["moves", "8/8/8/8/8/8/8/8 w - - 0 1"], "board: no kings"),
            (["uci", "--kernel", "nosuch"], "no kernel is called 'nosuch'"),
            (["suite", "/nonexistent/x.epd"], "/nonexistent/x.epd: No such file or directory; give a "),
            (["suite", "."], ".: Is a directory; give a readable EPD file"),
            (["suite"], "FILE..."),
            (["suite", "x.epd", "--max-nodes", "0"], "0"),
            (["suite", "x.epd", "--kernel", "nosuch"], "no kernel is called 'nosuch'"),
            (["plot", "/nonexistent/record.json"], "cannot read /nonexistent/record.json: No such file"),
            (["plot", "."], "cannot read .*: Is a directory"),
            (["dance"], "dance"),
        ],
        ids=" ".join,
    )
    def test_one_line_and_status_2(self, arguments: list[str], message: str, tmp_path: Path) -> None:
        result = slidebench(*arguments, cwd=tmp_path)
        assert result.returncode == 2
        first, *more = result.stderr.splitlines()
        assert first.startswith("slidebench: ")
        assert re.search(message, first), first
        assert len(more) in (0, 2)  # a FEN fault also shows the place
        assert "Traceback" not in result.stderr
        assert result.stdout == ""
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize(
        "arguments", [("perft", "", "5"), ("perft", " ", "5"), ("moves", ""), ("moves", " ")]
    )
    def test_an_empty_fen_is_not_the_start_position(self, arguments: tuple[str, ...]) -> None:
        result = slidebench(*arguments)
        assert (result.returncode, result.stdout) == (2, "")
        assert result.stderr.startswith("slidebench: board: missing: expected a position")

    @pytest.mark.parametrize("verb", ["perft 3", "kernels", "moves", "cpu --json", "uci"])
    def test_output_that_cannot_be_written_is_one_line(self, verb: str) -> None:
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(
                [*SLIDEBENCH, *verb.split()], stdout=full, stderr=subprocess.PIPE, input=b"uci\n", check=False
            )
        assert done.returncode == 2
        assert done.stderr == b"slidebench: cannot write the output: No space left on device\n"

    @pytest.mark.parametrize("verb", ["perft 3", "kernels", "uci"])
    def test_closed_streams_do_no_harm(self, verb: str) -> None:
        command = f"{shlex.join(SLIDEBENCH)} {verb} <&- >&-"
        done = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, check=False)
        assert (done.returncode, done.stderr.count(b"Traceback")) == (0, 0)

    @pytest.mark.parametrize(
        "verb",
        ["moves", "perft 3", "kernels", "cpu", "cpu --json", "published", "uci", "--help", "--version"],
    )
    def test_where_nobody_reads_the_status_is_that_of_the_signal(self, verb: str) -> None:
        reads, writes = os.pipe()
        os.close(reads)
        done = subprocess.run(
            [*SLIDEBENCH, *verb.split()], stdout=writes, stderr=subprocess.PIPE, input=b"uci\n", check=False
        )
        os.close(writes)
        assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, b"")

    def test_a_run_whose_notes_nobody_reads_goes_on(self, tmp_path: Path) -> None:
        reads, writes = os.pipe()
        os.close(reads)
        command = [*SLIDEBENCH, "run", "--kernel", "magic_fancy", "--level", LOWEST, "--budget", "1s"]
        done = subprocess.run(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=writes, check=False)
        os.close(writes)
        assert done.returncode == 0
        assert b"record  results/runs/" in done.stdout
        assert b"chart   results/charts/" in done.stdout

    def test_lenient_takes_more_than_16_pieces_a_side(self) -> None:
        fen = "kBQQQQQQ/BR5Q/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1"
        assert "expected at most 16 per side, unless lenient" in slidebench("moves", fen).stderr
        assert len(slidebench("moves", fen, "--lenient").stdout.splitlines()) == 270
        assert slidebench("perft", fen, "1", "--lenient").stdout.startswith("270 nodes")
        typed = f"position fen {fen}\ngo perft 1\n"
        assert "Nodes searched: 270" in slidebench("uci", "--lenient", typed=typed).stdout
        assert "unless lenient" in slidebench("uci", typed=typed).stdout

    def test_a_hashed_count_has_no_rate(self) -> None:
        result = slidebench("perft", "5", "--hash", "16")
        assert re.fullmatch(
            r"4865609 nodes, [0-9.]+ ms of CPU time \(.*, 16 MiB hash table\)\n", result.stdout
        )
        assert (
            json.loads(slidebench("perft", "3", "--hash", "1", "--json").stdout)["nodes_per_second"] is None
        )

    def test_a_fen_fault_shows_the_place(self) -> None:
        result = slidebench("perft", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1", "2")
        lines = result.stderr.splitlines()
        assert lines[0] == "slidebench: side to move: invalid value 'x': expected w or b"
        assert lines[1][lines[2].index("^")] == "x"

    def test_a_level_that_cannot_run_is_refused_with_the_reason(self) -> None:
        if LOWEST == "generic":
            pytest.skip("this machine is not x86-64")
        result = slidebench("perft", "3", "--kernel", "pext", "--level", "v1")
        assert result.returncode == 2
        assert result.stderr == "slidebench: pext at v1: pext needs level v3 or higher\n"

    def test_an_unwritable_results_folder_is_found_before_measuring(self, tmp_path: Path) -> None:
        (tmp_path / "results").write_text("a file, not a folder")
        result = slidebench("run", "--quick", cwd=tmp_path)
        assert result.returncode == 2
        assert re.fullmatch(r"slidebench: cannot write results/runs/\S+: .*--results\n", result.stderr)

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("", "is not a slidebench record"),
            ("{}", "is not a slidebench record"),
            ('{"schema": 1}', "is not a slidebench record"),
            ('{"schema": 99}', "has record schema 99, this slidebench reads up to 2: update slidebench"),
            ('{"schema": 1, "complete": NaN}', "is not a slidebench record"),
        ],
    )
    def test_a_file_that_is_no_record_is_refused(self, content: str, message: str, tmp_path: Path) -> None:
        path = tmp_path / "record.json"
        path.write_text(content)
        result = slidebench("plot", str(path), cwd=tmp_path)
        assert result.returncode == 2
        assert message in result.stderr
        assert result.stderr.count("\n") == 1


class TestHelp:
    def test_every_verb_has_an_example(self) -> None:
        verbs = re.findall(r"^  (\w+) ", slidebench("--help").stdout.partition("Commands:")[2], re.MULTILINE)
        assert {"cpu", "kernels", "verify", "suite", "moves", "perft", "uci", "run", "plot"} <= set(verbs)
        for verb in verbs:
            assert f"Example:\n    slidebench {verb}" in slidebench(verb, "--help").stdout, verb


class TestCpu:
    def test_json_has_the_keys_that_scripts_use(self) -> None:
        data = json.loads(slidebench("cpu", "--json").stdout)
        assert {"vendor", "family", "model", "microarchitecture", "levels", "why_not"} <= data.keys()
        assert sorted([*data["levels"], *data["why_not"]]) == sorted(kernels.levels())

    def test_text_names_what_is_not_readable_instead_of_leaving_it_out(self) -> None:
        text = slidebench("cpu").stdout
        assert "governor" in text
        assert "boost" in text
        assert "virtualised" in text

    def test_the_locale_changes_nothing(self) -> None:
        plain = slidebench("cpu", "--json", LC_ALL="C.UTF-8")
        bare = slidebench("cpu", "--json", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
        assert (plain.returncode, bare.returncode) == (0, 0)
        assert plain.stdout == bare.stdout != ""
        assert slidebench("kernels", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0").returncode == 0


class TestKernels:
    def test_json_lists_every_kernel_at_every_level(self) -> None:
        rows = json.loads(slidebench("kernels", "--json").stdout)
        assert [(row["kernel"], row["level"]) for row in rows] == [
            (kernel, level) for kernel in kernels.names() for level in kernels.levels()
        ]
        for row in rows:
            assert row["available"] == (row["why_not"] is None) == (row["table_bytes"] is not None)

    def test_each_says_who_devised_it_and_what_it_needs(self) -> None:
        for row in json.loads(slidebench("kernels", "--json").stdout):
            assert row["author"]
            assert row["year"]
            assert row["source"]
            assert row["needs"]


class TestPerft:
    def test_json_has_the_keys_that_scripts_use(self) -> None:
        data = json.loads(slidebench("perft", "4", "--kernel", "rotated", "--level", LOWEST, "--json").stdout)
        assert data["nodes"] == 197281
        assert data["kernel"] == "rotated"
        assert data["level"] == LOWEST
        assert data["popcount"] == "builtin"
        assert data["nodes_per_second"] == pytest.approx(197281 / data["cpu_seconds"])
        assert data["wall_seconds"] > 0
        assert "divide" not in data

    def test_divide_counts_below_each_move(self) -> None:
        data = json.loads(slidebench("perft", START, "3", "--divide", "--json").stdout)
        assert len(data["divide"]) == 20
        assert data["divide"]["e2e4"] == 600
        assert sum(data["divide"].values()) == data["nodes"] == 8902

    def test_a_fen_needs_no_quotes(self) -> None:
        result = slidebench("perft", *["8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8", "w", "-", "-", "0", "1"], "3")
        assert result.stdout.startswith("2812 nodes, ")

    def test_figures_carry_their_units(self) -> None:
        text = slidebench("perft", "5").stdout
        assert re.fullmatch(r"4865609 nodes, [0-9.]+ ms of CPU time, [0-9.]+ million nodes/s \(.*\)\n", text)

    def test_depth_0_is_1(self) -> None:
        assert json.loads(slidebench("perft", "0", "--json").stdout)["nodes"] == 1

    def test_no_bulk_counts_the_same(self) -> None:
        assert json.loads(slidebench("perft", "4", "--no-bulk", "--json").stdout)["nodes"] == 197281

    def test_divide_prints_what_perftree_parses(self) -> None:
        """A move and its count on each line, a blank line, the total; then nothing."""
        result = slidebench("perft", START, "3", "--divide")
        *moves, blank, total = result.stdout.splitlines()
        counts = {move: int(nodes) for move, nodes in (line.split() for line in moves)}
        assert (blank, int(total), sum(counts.values())) == ("", 8902, 8902)
        assert (len(counts), counts["e2e4"], list(counts)) == (20, 600, sorted(counts))
        assert re.fullmatch(r"8902 nodes, .* ms of CPU time.*\n", result.stderr)

    def test_divide_of_depth_0_is_the_total_alone(self) -> None:
        assert slidebench("perft", "0", "--divide").stdout == "\n1\n"

    def test_moves_are_played_first(self) -> None:
        moves = "a2a4 e7e6 a1a3 d7d6 a3h3 c7c6 h3a3"
        assert slidebench("perft", "2", "--moves", moves).stdout.startswith("804 nodes, ")

    def test_castling_is_written_by_either_convention(self) -> None:
        fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
        for option, castlings in (((), {"e1g1", "e1c1"}), (("--chess960",), {"e1h1", "e1a1"})):
            data = json.loads(slidebench("perft", fen, "1", "--divide", "--json", *option).stdout)
            assert data["divide"].keys() & {"e1g1", "e1c1", "e1h1", "e1a1"} == castlings

    def test_statistics_are_a_table_by_depth(self) -> None:
        lines = slidebench("perft", "5", "--statistics").stdout.splitlines()
        assert re.split("  +", lines[0]) == [
            "depth", "nodes", "captures", "en passants", "castles", "promotions", "checks",
            "discovered checks", "double checks", "mates",
        ]  # fmt: skip
        assert [int(number) for number in lines[-1].split()] == [
            5,
            4865609,
            82719,
            258,
            0,
            0,
            27351,
            6,
            0,
            347,
        ]
        assert len(lines) == 1 + 6

    def test_statistics_as_json_name_each_count(self) -> None:
        data = json.loads(slidebench("perft", "3", "--statistics", "--json").stdout)
        assert data["statistics"][3]["captures"] == 34
        assert [row["depth"] for row in data["statistics"]] == [0, 1, 2, 3]

    def test_a_limit_that_is_not_reached_changes_nothing(self) -> None:
        limits = ("--time-limit", "10m", "--memory-limit", "512")
        assert slidebench("perft", "4", *limits).stdout.startswith("197281 nodes, ")


class TestMoves:
    def test_each_move_has_its_uci_and_san(self) -> None:
        text = slidebench("moves", "7k/P7/8/8/8/8/8/R3K3 w Q - 0 1").stdout
        assert "a7a8q  a8=Q+\n" in text
        assert "e1c1   O-O-O\n" in text
        assert len(text.splitlines()) == 18

    def test_json_and_the_chess960_spelling(self) -> None:
        fen = "7k/8/8/8/8/8/8/R3K3 w Q - 0 1"
        data = json.loads(slidebench("moves", fen, "--chess960", "--json").stdout)
        assert {"uci": "e1a1", "san": "O-O-O"} in data

    @pytest.mark.parametrize(
        ("fen", "end"),
        [("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "checkmate"), ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "stalemate")],
    )
    def test_a_game_that_is_over_has_no_moves_and_says_why(self, fen: str, end: str) -> None:
        result = slidebench("moves", fen)
        assert (result.returncode, result.stdout, result.stderr) == (0, "", f"none: {end}\n")


class TestShow:
    def test_three_boards_and_both_bit_strings(self) -> None:
        text = slidebench("show", "bishop", "c1", "--occupied", "e3", "--kernel", "rotated").stdout
        assert text.splitlines()[0].split() == ["blockers", "oracle", "rotated"]
        bits = "00000000 00000000 00000000 00000000 00000000 10001000 01010000 00000000"
        assert f"oracle  {bits}\nkernel  {bits}\n" in text

    @pytest.mark.parametrize("piece", ["rook", "bishop", "queen", "knight", "king"])
    def test_every_piece_can_be_shown(self, piece: str) -> None:
        data = json.loads(slidebench("show", piece, "d4", "--json").stdout)
        assert data["oracle"] == data["answer"] != 0

    def test_a_kernel_that_differs_gives_status_1(self, toy: Toy) -> None:
        result = toy.run("show", "rook", "e1", "--occupied", "e4", "--kernel", "blind", "--level", LOWEST)
        assert result.returncode == 1
        assert "oracle  00000000 00000000 00000000 00000000 00001000" in result.stdout
        assert "kernel  00001000 00001000 00001000 00001000 00001000" in result.stdout


class TestVerify:
    def test_right_kernels_give_status_0(self) -> None:
        result = slidebench("verify", "--kernel", "magic_plain")
        assert result.returncode == 0
        assert re.fullmatch(r"(\d+) of \1 kernels are right\n", result.stdout)


class TestRun:
    def test_it_prints_the_table_and_where_the_record_is(self, quick_run: tuple) -> None:
        folder, result = quick_run
        assert result.returncode == 0, result.stderr
        assert "Million perft nodes/s" in result.stdout
        assert re.search(r"magic_fancy +builtin +\d+ ± \d+\.\d %", result.stdout)
        record = re.search(r"^record  (.*\.json)$", result.stdout, re.MULTILINE)
        assert record
        assert (folder / record[1]).exists()

    def test_the_record_holds_every_raw_sample(self, quick_run: tuple) -> None:
        folder, _ = quick_run
        (path,) = folder.glob("results/runs/*/*.json")
        record = read_record(path)
        assert record.complete
        assert record.seed == 5
        assert {build.popcount for build in record.builds} == set(kernels.popcounts())
        assert all(build.verified and build.compiler and build.flags for build in record.builds)
        assert len(record.workloads) == 6 + 6 + 12 + 8
        for samples in record.samples:
            assert len(samples.rounds) == len(samples.launches) == len(samples.cpu_nanoseconds) >= 5
            assert set(samples.launches) == set(range(5))
            if "beside" not in samples.workload:  # a difference, lost in noise in a run so short
                assert min(samples.cpu_nanoseconds) > 0
        # Lookups count no bits: they are timed with one popcount only.
        assert {samples.popcount for samples in record.samples if "lookup" in samples.workload} == {"builtin"}

    def test_charts_are_written_without_a_display(self, quick_run: tuple) -> None:
        folder, _ = quick_run
        assert {path.suffix for path in folder.glob("results/charts/*/*")} == {".svg", ".png"}

    def test_plot_redraws_the_same_bytes(self, quick_run: tuple) -> None:
        folder, _ = quick_run
        (record,) = folder.glob("results/runs/*/*.json")
        charts = {path.name: path.read_bytes() for path in folder.glob("results/charts/*/*")}
        result = slidebench(
            "plot", str(record), "--results", "again", cwd=folder, MPLBACKEND="TkAgg", DISPLAY=""
        )
        assert result.returncode == 0, result.stderr
        assert {path.name: path.read_bytes() for path in folder.glob("again/charts/*/*")} == charts

    def test_a_wrong_kernel_is_reported_and_not_timed_and_the_rest_goes_on(self, toy: Toy) -> None:
        result = toy.run("run", "--level", LOWEST, "--budget", "1s", "--popcount", "builtin", "--json")
        assert result.returncode == 1
        record = json.loads(result.stdout)
        failed = {build["kernel"]: build["failure"] for build in record["builds"] if not build["verified"]}
        assert failed.keys() == {"blind", "colliding"}
        assert "wrong rook on" in failed["blind"]
        timed = {samples["kernel"] for samples in record["samples"]}
        assert timed == {build["kernel"] for build in record["builds"]} - failed.keys()
        assert record["complete"]

    def test_an_interrupt_leaves_a_valid_record_marked_incomplete(self, tmp_path: Path) -> None:
        with running("run", "--no-verify", "--level", LOWEST, "--budget", "60s", cwd=tmp_path) as process:
            samples: list = []
            while process.poll() is None and not any(each.cpu_nanoseconds for each in samples):
                time.sleep(0.2)
                for path in tmp_path.glob("results/runs/*/*.json"):
                    samples = read_record(path).samples
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
        assert process.returncode == 130
        assert "Traceback" not in errors
        (path,) = tmp_path.glob("results/runs/*/*")
        record = read_record(path)
        assert not record.complete
        assert any(each.cpu_nanoseconds for each in record.samples)
        assert "UNVERIFIED" in record.warnings


class TestThreadsAndHash:
    def test_threads_count_and_divide_as_one_does(self) -> None:
        alone, together = (
            json.loads(slidebench("perft", "6", "--divide", "--threads", threads, "--json").stdout)
            for threads in ("1", "3")
        )
        assert (together["nodes"], together["threads"]) == (119_060_324, 3)
        assert together["divide"] == alone["divide"]

    def test_hashed_counts_can_be_checked(self) -> None:
        result = slidebench("perft", "5", "--hash", "4", "--check-hash")
        assert result.returncode == 0
        assert "4 MiB hash table" in result.stdout
        assert result.stdout.endswith("the same count without the hash table\n")

    def test_a_checked_count_is_in_the_json_beside_the_hashed_one(self) -> None:
        data = json.loads(slidebench("perft", "4", "--hash", "4", "--check-hash", "--json").stdout)
        assert data["nodes"] == data["nodes_without_hash"] == 197_281

    def test_a_divide_is_checked_too(self) -> None:
        result = slidebench("perft", "4", "--divide", "--hash", "4", "--check-hash")
        assert result.stdout.endswith("\n\n197281\n")
        assert result.stderr.endswith("the same count without the hash table\n")

    def test_deep_counts_stop_in_time_with_threads_too(self) -> None:
        result = slidebench("perft", "12", "--threads", "2", "--time-limit", "1s", "--memory-limit", "1024")
        assert result.returncode == 2
        assert "the time limit is over" in result.stderr
