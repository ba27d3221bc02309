"""Perft and runs on other computers: here worker processes at addresses that represent hosts."""

import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import chess
import pytest
from command import slidebench
from made_records import made_record

from slidebench import kernels
from slidebench.harness.records.reader import read_record
from slidebench.harness.records.store import encode_record
from slidebench.kernels import Choice
from slidebench.kernels.position import START, parse_fen

distributed = pytest.importorskip("distributed")
psutil = pytest.importorskip("psutil")
connection = pytest.importorskip("slidebench.harness.cluster.connection")
cluster_perft = pytest.importorskip("slidebench.harness.cluster.perft")
runs = pytest.importorskip("slidebench.harness.cluster.runs")

LOWEST = kernels.levels()[0]
ANY = kernels.Selection()
SLOWEST = kernels.Selection("ray_loop", LOWEST, "builtin")
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
SCHOLARS_MATE = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4"
LIMIT = 120  # seconds, instead of waiting forever


def started(folder: Path, hosts: list[str], *, bench: int = 1) -> Any:
    """A scheduler, and a worker process at each address, with their locks in the folder."""
    options = {
        "nthreads": 1, "resources": {"bench": bench}, "dashboard": False, "local_directory": str(folder),
    }  # fmt: skip
    return distributed.SpecCluster(
        scheduler={
            "cls": distributed.Scheduler,
            "options": {"host": "127.0.0.1", "port": 0, "dashboard_address": "127.0.0.1:0"},
        },
        workers={
            number: {"cls": distributed.Nanny, "options": {**options, "host": host}}
            for number, host in enumerate(hosts)
        },
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The temporary folder of worker processes, with their lock."""
    path = tmp_path_factory.mktemp("workers")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(path))
        yield path


@pytest.fixture(scope="module")
def cluster(folder: Path) -> Iterator[Any]:
    """Two hosts, the first with two workers."""
    with started(folder, ["127.0.0.1", "127.0.0.1", "127.0.0.2"]) as running:
        running.wait_for_workers(3, timeout=LIMIT)
        yield running


@pytest.fixture
def client(cluster: Any) -> Iterator[Any]:
    with connection.connected(cluster.scheduler_address) as client:
        client.wait_for_workers(3, timeout=LIMIT)  # one that a test killed is started again
        yield client


def ended_future(status: int, record: bytes, errors: str) -> Any:
    """What dask gives for a run that has ended."""
    run = runs.FinishedRun(status, record, errors)
    return SimpleNamespace(done=lambda: True, status="finished", result=lambda: run)


def is_launch(process: Any) -> bool:
    with suppress(psutil.Error):  # it may end at any time
        return "slidebench.harness.run.launches" in process.cmdline()
    return False


def wait_until(condition: Any) -> None:
    end = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


class TestPerft:
    # Leaves from the Chess Programming Wiki's page of perft results.
    @pytest.mark.parametrize(
        ("fen", "depth", "leaves"),
        [
            (START, 0, 1),
            (START, 1, 20),
            (START, 2, 400),
            (START, 3, 8902),
            (START, 5, 4865609),
            (KIWIPETE, 4, 4085603),
        ],
    )
    def test_all_workers_together_count_right(self, client: Any, fen: str, depth: int, leaves: int) -> None:
        assert cluster_perft.perft(client, fen, depth, ANY).nodes == leaves

    def test_every_worker_has_a_share(self, client: Any) -> None:
        assert len(cluster_perft.perft(client, START, 5, ANY).workers) == 3

    @pytest.mark.parametrize("fen", [KIWIPETE, SCHOLARS_MATE], ids=["kiwipete", "a move that mates"])
    def test_divide_is_that_of_python_chess(self, client: Any, fen: str) -> None:
        board = chess.Board(fen)
        expected = {}
        for move in list(board.legal_moves):
            board.push(move)
            expected[move.uci()] = 0
            for reply in list(board.legal_moves):
                board.push(reply)
                expected[move.uci()] += board.legal_moves.count()
                board.pop()
            board.pop()
        assert dict(cluster_perft.perft(client, fen, 3, ANY).divide) == expected

    @pytest.mark.parametrize(("chess960", "castlings"), [(False, {"e1g1", "e1c1"}), (True, {"e1h1", "e1a1"})])
    def test_castling_is_written_by_either_convention(
        self, client: Any, chess960: bool, castlings: set[str]
    ) -> None:
        divide = cluster_perft.perft(client, KIWIPETE, 2, ANY, chess960=chess960).divide
        assert divide.keys() & {"e1g1", "e1c1", "e1h1", "e1a1"} == castlings

    def test_without_bulk_the_count_is_the_same(self, client: Any) -> None:
        assert cluster_perft.perft(client, START, 4, ANY, bulk=False).nodes == 197281

    def test_the_selected_kernel_counts(self, client: Any) -> None:
        assert cluster_perft.perft(client, START, 4, SLOWEST).kernels == (f"ray_loop {LOWEST} builtin",)

    def test_a_kernel_that_no_worker_has_is_refused(self, client: Any) -> None:
        with pytest.raises(connection.ClusterError, match="a worker failed: unknown kernel 'nosuch'"):
            cluster_perft.perft(client, START, 4, kernels.Selection("nosuch"))

    @pytest.mark.slow
    def test_the_loss_of_a_worker_changes_nothing(self, client: Any) -> None:
        result: list[Any] = []
        # As slow as possible, so that a worker can be killed while all are counting.
        count = threading.Thread(
            target=lambda: result.append(cluster_perft.perft(client, START, 6, SLOWEST, bulk=False)),
            daemon=True,
        )
        pids = client.run(os.getpid)
        count.start()
        wait_until(lambda: all(client.processing().values()))
        victim, pid = next(iter(pids.items()))
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: victim not in client.scheduler_info(n_workers=-1)["workers"])
        assert count.is_alive()
        count.join(LIMIT)
        assert result[0].nodes == 119060324

    def test_positions_that_several_lines_reach_are_counted_once(self) -> None:
        subtrees = cluster_perft._subtrees(parse_fen(START), 3)
        assert sum(sum(ways.values()) for ways in subtrees.values()) == 8902
        assert len(subtrees) < 8902
        pawn_moves = {f"{file}2{file}{rank}" for file in "abcdefgh" for rank in "34"}
        assert {root for ways in subtrees.values() for root in ways} == {
            *pawn_moves, "b1a3", "b1c3", "g1f3", "g1h3",
        }  # fmt: skip


class TestRun:
    @pytest.mark.slow
    def test_each_host_runs_once_and_its_record_is_saved_here(self, cluster: Any, tmp_path: Path) -> None:
        result = slidebench(
            "run", "--cluster", cluster.scheduler_address, "--kernel", "magic_fancy", "--level", LOWEST,
            "--popcount", "builtin", "--budget", "1s", "--seed", "5", "--json", cwd=tmp_path,
        )  # fmt: skip
        assert result.returncode == 0, result.stderr
        outcomes = json.loads(result.stdout)
        assert sorted(outcome["host"] for outcome in outcomes) == ["127.0.0.1", "127.0.0.2"]
        paths = {tmp_path / outcome["record"] for outcome in outcomes}
        assert paths == set(tmp_path.glob("results/runs/*/*.json"))
        assert len(paths) == 2
        for path in paths:
            record = read_record(path)
            assert record.complete
            assert record.seed == 5
            assert {build.kernel for build in record.builds} == {"magic_fancy"}

    def test_a_run_that_is_refused_says_why_for_each_host(self, client: Any, tmp_path: Path) -> None:
        outcomes = list(runs.run_on_hosts(client, ["--kernel", "nosuch"], tmp_path))
        assert sorted(outcome.host for outcome in outcomes) == ["127.0.0.1", "127.0.0.2"]
        for outcome in outcomes:
            assert outcome.path is None
            assert outcome.failure.startswith("slidebench: unknown kernel 'nosuch'")
        assert not list(tmp_path.iterdir())

    @pytest.mark.slow
    def test_a_run_that_fails_partway_keeps_its_samples(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(connection, "LOCK", tmp_path / "lock")
        arguments = ["--kernel", "magic_fancy", "--level", LOWEST, "--popcount", "builtin", "--budget", "90s"]
        ended: list[Any] = []
        run = threading.Thread(target=lambda: ended.append(runs.run_here(arguments)), daemon=True)
        run.start()

        def launches() -> list[Any]:
            children = psutil.Process().children(recursive=True)
            return [child for child in children if is_launch(child)]

        wait_until(launches)
        time.sleep(3)  # the time of some rounds
        launches()[0].kill()
        run.join(LIMIT)
        assert ended[0].status == 2
        assert ended[0].errors.splitlines()[-1].startswith("slidebench: launch 0 ended with status -9: ")
        (tmp_path / "record.json").write_bytes(ended[0].record)
        record = read_record(tmp_path / "record.json")
        assert not record.complete
        assert all(samples.cpu_nanoseconds for samples in record.samples)

    @pytest.mark.parametrize(
        ("complete", "fault", "status", "errors", "failure"),
        [
            (True, None, 0, "", None),
            (True, None, 0, "a warning of a library's\n", None),
            (True, "a wrong answer", 1, "", "a kernel is wrong: see the record"),
            (True, None, 2, "slidebench: cannot write x\n", "slidebench: cannot write x"),
            (
                False, None, 2, "incomplete record: /tmp/a.json\nslidebench: launch 0 ended with status -9\n",
                "incomplete record: slidebench: launch 0 ended with status -9",
            ),
            (False, None, -9, "", "incomplete record: exit status -9"),
        ],
    )  # fmt: skip
    def test_a_record_is_saved_whatever_failed(
        self, tmp_path: Path, complete: bool, fault: str | None, status: int, errors: str, failure: str | None
    ) -> None:
        speed = {Choice("magic_fancy", "v1"): 1e8}
        record = made_record(speed, complete=complete)
        record.builds[0].failure = fault
        future = ended_future(status, encode_record(record), errors)
        outcomes = [runs._outcome("host", future, tmp_path) for _ in range(2)]
        assert {outcome.failure for outcome in outcomes} == {failure}
        assert len({outcome.path for outcome in outcomes}) == 2  # equal hosts that start in the same second
        assert [read_record(outcome.path) for outcome in outcomes] == [record, record]

    def test_a_record_of_another_version_is_a_failure(self, tmp_path: Path) -> None:
        future = ended_future(0, b'{"schema": 4, "surprise": 1}', "")
        assert re.fullmatch(
            r"its record cannot be read \(.*\): install one version everywhere",
            runs._outcome("host", future, tmp_path).failure,
        )

    @pytest.mark.slow
    def test_a_lost_worker_is_reported_and_its_run_not_repeated(self, client: Any, tmp_path: Path) -> None:
        arguments = ["--kernel", "ray_loop", "--level", LOWEST, "--budget", "90s"]
        asked = runs.bench_workers(client)
        pids = client.run(os.getpid)
        outcomes: list[Any] = []
        run = threading.Thread(
            target=lambda: outcomes.extend(runs.run_on_hosts(client, arguments, tmp_path)), daemon=True
        )
        run.start()

        def children() -> list[Any]:
            workers = [psutil.Process(pids[address]) for address in asked.values()]
            return [child for worker in workers for child in worker.children(recursive=True)]

        wait_until(children)
        started_runs = children()
        # The two hosts are one computer, so the lock lets only one of them run; the other waits.
        assert len({child.pid for child in started_runs if "run" in child.cmdline()}) == 1
        for address in asked.values():
            os.kill(pids[address], signal.SIGKILL)
        run.join(LIMIT)
        assert {outcome.host: outcome.failure for outcome in outcomes} == dict.fromkeys(
            asked, "its worker was lost"
        )
        for child in started_runs:
            child.kill()
        assert not list(tmp_path.iterdir())

    def test_workers_without_the_resource_are_not_used(self, folder: Path) -> None:
        with (
            started(folder, ["127.0.0.1"], bench=0) as running,
            connection.connected(running.scheduler_address) as client,
        ):
            client.wait_for_workers(1, timeout=LIMIT)
            with pytest.raises(
                connection.ClusterError, match="offers the resource bench: start one on each host"
            ):
                runs.bench_workers(client)


class TestLock:
    @pytest.fixture(autouse=True)
    def own_lock(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(connection, "LOCK", tmp_path / "lock")

    @pytest.mark.parametrize(
        ("holds", "asks", "waits"),
        [(True, True, True), (True, False, True), (False, True, True), (False, False, False)],
    )
    def test_a_run_is_alone_and_perfts_are_among_themselves(
        self, holds: bool, asks: bool, waits: bool
    ) -> None:
        entered = threading.Event()

        def ask() -> None:
            with connection.host_lock(exclusive=asks):
                entered.set()

        with connection.host_lock(exclusive=holds):
            other = threading.Thread(target=ask)
            other.start()
            assert entered.wait(0.3 if waits else LIMIT) != waits
        other.join(LIMIT)
        assert entered.is_set()

    def test_a_run_keeps_the_lock_when_its_worker_is_killed(self) -> None:
        with connection.host_lock(exclusive=True) as lock:
            orphan = subprocess.Popen(["sleep", str(LIMIT)], pass_fds=[lock])
        entered = threading.Event()

        def ask() -> None:
            with connection.host_lock(exclusive=True):
                entered.set()

        other = threading.Thread(target=ask)
        other.start()
        assert not entered.wait(0.3)
        orphan.kill()
        assert entered.wait(LIMIT)
        orphan.wait()


class TestVerb:
    def test_perft_prints_the_count_and_the_kernels(self, cluster: Any) -> None:
        result = slidebench("perft", "4", "--cluster", cluster.scheduler_address, "--json")
        data = json.loads(result.stdout)
        assert data["nodes"] == 197281
        assert data["wall_seconds"] > 0
        assert data["kernels"] == [str(kernels.Selection().best())]
        assert result.stderr == ""

    def test_divide_prints_what_perftree_parses(self, cluster: Any) -> None:
        """A move and its count on each line, a blank line, the total; then nothing."""
        result = slidebench("perft", "3", "--divide", "--cluster", cluster.scheduler_address)
        *moves, blank, total = result.stdout.splitlines()
        counts = {move: int(nodes) for move, nodes in (line.split() for line in moves)}
        assert (blank, int(total), sum(counts.values())) == ("", 8902, 8902)
        assert (len(counts), counts["e2e4"], list(counts)) == (20, 600, sorted(counts))
        assert re.fullmatch(r"8902 nodes, [0-9.]+ s on the wall with [1-3] workers \(.*\)\n", result.stderr)

    def test_divide_of_depth_0_is_the_total_alone(self, cluster: Any) -> None:
        address = cluster.scheduler_address
        assert slidebench("perft", "0", "--divide", "--cluster", address).stdout == "\n1\n"

    def test_castling_is_written_as_asked(self, cluster: Any) -> None:
        fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
        options = ("--divide", "--chess960", "--json", "--cluster", cluster.scheduler_address)
        data = json.loads(slidebench("perft", fen, "1", *options).stdout)
        assert data["divide"].keys() & {"e1g1", "e1c1", "e1h1", "e1a1"} == {"e1h1", "e1a1"}

    def test_a_host_without_a_record_has_null_in_json(self, cluster: Any, tmp_path: Path) -> None:
        options = ("--kernel", "nosuch", "--json", "--cluster", cluster.scheduler_address)
        result = slidebench("run", *options, cwd=tmp_path)
        assert result.returncode == 1
        assert [outcome["record"] for outcome in json.loads(result.stdout)] == [None, None]

    def test_a_folder_that_cannot_be_written_is_found_before_any_host_measures(
        self, cluster: Any, tmp_path: Path
    ) -> None:
        (tmp_path / "results").write_text("a file, not a folder")
        result = slidebench("run", "--quick", "--cluster", cluster.scheduler_address, cwd=tmp_path)
        assert result.returncode == 2
        assert re.fullmatch(r"slidebench: cannot write results/runs/\S+ \(.*\): .*--results\n", result.stderr)

    @pytest.mark.parametrize(
        ("verb", "address"),
        [
            (["perft", "3"], "nonsense"),
            (["run", "--quick"], "carrier-pigeon://roof:1"),
        ],
    )
    def test_a_malformed_address_gives_one_line_and_status_2(
        self, verb: list[str], address: str, tmp_path: Path
    ) -> None:
        result = slidebench(*verb, "--cluster", address, cwd=tmp_path)
        assert result.returncode == 2
        assert result.stderr.startswith(f"slidebench: no dask scheduler at {address} (")
        assert result.stderr.count("\n") == 1
        assert not list(tmp_path.iterdir())


class TestConnection:
    @pytest.fixture(autouse=True)
    def short_timeout(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(connection, "CONNECT_SECONDS", 0.5)

    def refused(self, address: str) -> None:
        with (
            pytest.raises(connection.ClusterError, match=rf"^no dask scheduler at {address} \("),
            connection.connected(address),
        ):
            pass

    def test_a_closed_port_is_no_scheduler(self) -> None:
        self.refused("tcp://127.0.0.1:9")

    def test_a_silent_server_is_no_scheduler(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            self.refused(f"tcp://127.0.0.1:{silent.getsockname()[1]}")
