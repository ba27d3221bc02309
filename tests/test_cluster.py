"""Other computers: here, worker processes on this one, at addresses that stand for hosts."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from slidebench import kernels
from slidebench.harness.records import read_record
from slidebench.kernels.position import START, parse_fen

distributed = pytest.importorskip("distributed")
psutil = pytest.importorskip("psutil")
clusters = pytest.importorskip("slidebench.harness.cluster")

LOWEST = kernels.levels()[0]
ANY = (None, None, None)
SLOWEST = ("ray_loop", LOWEST, "swar")
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
LIMIT = 120  # seconds, instead of waiting for ever


def started(folder: Path, hosts: list[str], *, bench: int = 1) -> Any:
    """A scheduler, and a worker process at each of the addresses; they keep their locks in the folder."""
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
    """Where worker processes keep temporary files, their lock among them."""
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
    with clusters.connected(cluster.scheduler_address) as client:
        client.wait_for_workers(3, timeout=LIMIT)  # one that a test killed is started again
        yield client


def slidebench(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "slidebench.harness", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


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
        assert clusters.perft(client, fen, depth, ANY).nodes == leaves

    def test_every_worker_has_a_share(self, client: Any) -> None:
        assert len(clusters.perft(client, START, 5, ANY).workers) == 3

    def test_divide_is_that_of_a_kernel(self, client: Any) -> None:
        assert clusters.perft(client, KIWIPETE, 4, ANY).divide == kernels.load().divide(KIWIPETE, 4)

    def test_without_bulk_the_count_is_the_same(self, client: Any) -> None:
        assert clusters.perft(client, START, 4, ANY, bulk=False).nodes == 197281

    def test_the_kernel_wished_for_counts(self, client: Any) -> None:
        assert clusters.perft(client, START, 4, SLOWEST).kernels == (f"ray_loop {LOWEST} swar",)

    def test_a_kernel_no_worker_has_is_refused(self, client: Any) -> None:
        with pytest.raises(clusters.ClusterError, match="a worker failed: no kernel is called 'nosuch'"):
            clusters.perft(client, START, 4, ("nosuch", None, None))

    @pytest.mark.slow
    def test_the_loss_of_a_worker_changes_nothing(self, client: Any) -> None:
        result: list[Any] = []
        # With as little speed as there is: time to strike while every worker is counting.
        count = threading.Thread(
            target=lambda: result.append(clusters.perft(client, START, 6, SLOWEST, bulk=False)), daemon=True
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
        subtrees = clusters._subtrees(parse_fen(START), 3)
        assert sum(sum(ways.values()) for ways in subtrees.values()) == 8902
        assert len(subtrees) < 8902
        assert {root for ways in subtrees.values() for root in ways} == set(kernels.load().legal_moves(START))


class TestRun:
    @pytest.mark.slow
    def test_each_host_runs_once_and_its_record_comes_home(self, cluster: Any, tmp_path: Path) -> None:
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
        outcomes = list(clusters.run_on_hosts(client, ["--kernel", "nosuch"], tmp_path))
        assert sorted(outcome.host for outcome in outcomes) == ["127.0.0.1", "127.0.0.2"]
        for outcome in outcomes:
            assert outcome.path is None
            assert outcome.failure.startswith("slidebench: no kernel is called 'nosuch'")

    @pytest.mark.slow
    def test_a_lost_worker_is_reported_and_its_run_not_made_again(self, client: Any, tmp_path: Path) -> None:
        arguments = ["--kernel", "ray_loop", "--level", LOWEST, "--budget", "90s"]
        asked = clusters.bench_workers(client)
        pids = client.run(os.getpid)
        outcomes: list[Any] = []
        runs = threading.Thread(
            target=lambda: outcomes.extend(clusters.run_on_hosts(client, arguments, tmp_path)), daemon=True
        )
        runs.start()

        def children() -> list[Any]:
            workers = [psutil.Process(pids[address]) for address in asked.values()]
            return [child for worker in workers for child in worker.children(recursive=True)]

        wait_until(children)
        started_runs = children()
        # The two hosts are one computer, so the lock lets only one of them run; the other waits.
        assert len({child.pid for child in started_runs if "run" in child.cmdline()}) == 1
        for address in asked.values():
            os.kill(pids[address], signal.SIGKILL)
        runs.join(LIMIT)
        assert {outcome.host: outcome.failure for outcome in outcomes} == dict.fromkeys(
            asked, "its worker was lost"
        )
        for child in started_runs:
            child.kill()
        assert not list(tmp_path.iterdir())

    def test_workers_without_the_resource_are_never_asked(self, folder: Path) -> None:
        with (
            started(folder, ["127.0.0.1"], bench=0) as running,
            clusters.connected(running.scheduler_address) as client,
        ):
            client.wait_for_workers(1, timeout=LIMIT)
            with pytest.raises(
                clusters.ClusterError, match="offers the resource bench; start one on each host"
            ):
                clusters.bench_workers(client)


class TestLock:
    @pytest.fixture(autouse=True)
    def own_lock(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(clusters, "LOCK", tmp_path / "lock")

    @pytest.mark.parametrize(
        ("holds", "asks", "waits"),
        [(True, True, True), (True, False, True), (False, True, True), (False, False, False)],
    )
    def test_a_run_is_alone_and_perfts_are_among_themselves(
        self, holds: bool, asks: bool, waits: bool
    ) -> None:
        entered = threading.Event()

        def ask() -> None:
            with clusters.host_lock(exclusive=asks):
                entered.set()

        with clusters.host_lock(exclusive=holds):
            other = threading.Thread(target=ask)
            other.start()
            assert entered.wait(0.3 if waits else LIMIT) != waits
        other.join(LIMIT)
        assert entered.is_set()

    def test_a_run_keeps_the_lock_when_its_worker_is_gone(self) -> None:
        with clusters.host_lock(exclusive=True) as lock:
            orphan = subprocess.Popen(["sleep", str(LIMIT)], pass_fds=[lock])
        entered = threading.Event()

        def ask() -> None:
            with clusters.host_lock(exclusive=True):
                entered.set()

        other = threading.Thread(target=ask)
        other.start()
        assert not entered.wait(0.3)
        orphan.kill()
        assert entered.wait(LIMIT)
        orphan.wait()


class TestVerb:
    def test_perft_prints_the_count_and_who_counted(self, cluster: Any) -> None:
        result = slidebench("perft", "4", "--cluster", cluster.scheduler_address, "--json")
        data = json.loads(result.stdout)
        assert data["nodes"] == 197281
        assert data["wall_seconds"] > 0
        assert data["kernels"] == [str(kernels.default())]
        assert result.stderr == ""

    def test_perft_divides(self, cluster: Any) -> None:
        result = slidebench("perft", "3", "--divide", "--cluster", cluster.scheduler_address)
        assert "e2e4: 600\n" in result.stdout
        assert "8902 nodes, " in result.stdout

    @pytest.mark.parametrize(
        ("verb", "address"),
        [
            (["perft", "3"], "tcp://127.0.0.1:9"),
            (["run", "--quick"], "tcp://127.0.0.1:9"),
            (["perft", "3"], "nonsense"),
            (["run", "--quick"], "carrier-pigeon://roof:1"),
        ],
    )
    def test_no_scheduler_gives_one_line_and_status_2(
        self, verb: list[str], address: str, tmp_path: Path
    ) -> None:
        result = slidebench(*verb, "--cluster", address, cwd=tmp_path)
        assert result.returncode == 2
        assert result.stderr.startswith(f"slidebench: no dask scheduler answers at {address}: ")
        assert result.stderr.count("\n") == 1
        assert not list(tmp_path.iterdir())
