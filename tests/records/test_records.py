"""Records survive crashes and full disks, and untrusted ones do no harm."""

import io
import json
import os
import pickle
import random
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest
from command import SLIDEBENCH, slidebench
from made_records import made_record
from paths import ROOT, TESTS
from rich.console import Console

from slidebench import kernels
from slidebench.harness.charts import RECORD_CHARTS
from slidebench.harness.files import FileError
from slidebench.harness.machine.cpu import describe
from slidebench.harness.records import reader
from slidebench.harness.records.reader import (
    MAX_RECORD_BYTES,
    MAX_RECORD_KERNELS,
    MAX_RECORD_LAUNCHES,
    MAX_RECORD_ROUNDS,
    MAX_TEXT_LENGTH,
    RecordError,
    read_record,
)
from slidebench.harness.records.schema import SCHEMA_VERSION, Record, RecordedWarning, Round, Samples
from slidebench.harness.records.store import create_record, record_path, representative, write_record
from slidebench.harness.verbs.tables import rate_table
from slidebench.harness.workloads import perft_workloads
from slidebench.kernels import Choice

LOWEST = kernels.levels()[0]
COMMITTED = sorted((ROOT / "results" / "runs").glob("*/*.json"))
RUN = ("run", "--kernel", "magic_fancy", "--level", LOWEST, "--popcount", "builtin", "--budget")


def new_record(rounds: int = 3) -> Record:
    """A sound record of one kernel."""
    workloads = perft_workloads()
    return Record(
        complete=True,
        started_utc="20260102T030405Z",
        slidebench="0.1.0",
        commit="0123456789ab",
        dirty=False,
        generator=kernels.GENERATOR,
        method="2",
        python="3.11.7",
        machine=describe(),
        seed=1,
        budget_seconds=2.0,
        workloads=list(workloads),
        samples=[
            Samples(
                kernel="magic_fancy",
                level=LOWEST,
                popcount="builtin",
                workload=workload.name,
                operations=workload.nodes,
                launches=[0] * rounds,
                rounds=list(range(rounds)),
                cpu_nanoseconds=[1_000_000 + each for each in range(rounds)],
            )
            for workload in workloads
        ],
    )


def text_of(**changes: Any) -> str:
    """A sound record's JSON with some fields changed."""
    return json.dumps(msgspec.to_builtins(new_record()) | changes)


class TestNames:
    def test_runs_of_one_second_never_share_a_file(self, tmp_path: Path) -> None:
        with ThreadPoolExecutor(16) as pool:
            paths = list(pool.map(lambda seed: _created(tmp_path, seed), range(32)))
        assert len(set(paths)) == 32
        assert sorted(read_record(path).seed for path in paths) == list(range(32))
        first = record_path(tmp_path, new_record())
        assert set(paths) == {first} | {first.with_stem(f"{first.stem}-{n}") for n in range(2, 33)}

    @pytest.mark.slow
    def test_two_runs_at_once_lose_nothing(self, tmp_path: Path) -> None:
        runs = [subprocess.Popen([*SLIDEBENCH, *RUN, "1s", "--json"], cwd=tmp_path, stdout=subprocess.PIPE)
                for _ in range(2)]  # fmt: skip
        printed = [msgspec.json.decode(run.communicate()[0], type=Record) for run in runs]
        paths = list(tmp_path.glob("results/runs/*/*.json"))
        kept = [read_record(path) for path in paths]
        assert len(kept) == 2
        assert sorted(record.seed for record in kept) == sorted(record.seed for record in printed)
        assert all(record.complete for record in kept)
        charts = {path.stem for path in tmp_path.glob("results/charts/*/*.svg")}
        drawn = [
            {chart.name for chart in RECORD_CHARTS if f"{path.stem}-{chart.name}" in charts} for path in paths
        ]
        assert drawn[0] == drawn[1] >= {"nodes-by-level"}
        assert len(charts) == 2 * len(drawn[0])


def _created(results: Path, seed: int) -> Path:
    record = new_record()
    record.seed = seed
    return create_record(results, record)


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Mount a small tmpfs, or skip where that is not allowed."""
    folder = tmp_path / "mounted"
    folder.mkdir()

    def mount(options: str) -> Path:
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
        if os.geteuid() or subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("only root may mount a small file system")
        return folder

    yield mount
    subprocess.run(["umount", str(folder)], capture_output=True, check=False)


class TestBrokenDisks:
    def test_a_full_disk_leaves_the_old_record_whole(self, mounted: Callable[[str], Path]) -> None:
        folder = mounted("size=64k")
        path = create_record(folder, new_record())
        with pytest.raises(FileError, match=r"cannot write .* \(No space left on device\): choose another"):
            write_record(new_record(rounds=20_000), path)
        assert read_record(path) == new_record()
        assert list(path.parent.iterdir()) == [path]

    @pytest.mark.slow
    def test_a_run_on_a_full_disk_says_so_in_one_line(self, mounted: Callable[[str], Path]) -> None:
        folder = mounted("size=12k")
        result = slidebench(*RUN, "2s", "--results", str(folder))
        assert result.returncode == 2
        assert re.search(
            r"^slidebench: cannot write \S+ \(No space left on device\): choose", result.stderr, re.M
        )
        assert "Traceback" not in result.stderr
        assert all(read_record(path) for path in folder.glob("runs/*/*.json"))

    def test_a_limit_on_file_size_leaves_the_old_record_whole(self, tmp_path: Path) -> None:
        path = create_record(tmp_path, new_record())
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, limits[1]))
        try:
            with pytest.raises(FileError, match=r"cannot write .* \(File too large\): choose another folder"):
                write_record(new_record(rounds=20_000), path)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert read_record(path) == new_record()
        assert list(path.parent.iterdir()) == [path]

    def test_a_read_only_disk_is_found_before_measuring(self, mounted: Callable[[str], Path]) -> None:
        result = slidebench(*RUN, "60s", "--results", str(mounted("size=64k,ro")))
        assert result.returncode == 2
        assert re.fullmatch(
            r"slidebench: cannot write \S+ \(Read-only file system\): choose .*\n", result.stderr
        )

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
    def test_a_read_only_folder_is_found_before_measuring(self, tmp_path: Path) -> None:
        tmp_path.chmod(0o555)
        result = slidebench(*RUN, "60s", "--results", str(tmp_path))
        assert result.returncode == 2
        assert re.fullmatch(r"slidebench: cannot write \S+ \(Permission denied\): choose .*\n", result.stderr)


class TestKilled:
    def test_a_writer_killed_at_any_moment_leaves_a_whole_record(self, tmp_path: Path) -> None:
        path = create_record(tmp_path, new_record(rounds=5_000))
        program = (
            "import sys, pathlib\n"
            "from slidebench.harness.records.reader import read_record\n"
            "from slidebench.harness.records.store import write_record\n"
            "path = pathlib.Path(sys.argv[1])\n"
            "record = read_record(path)\n"
            "print(flush=True)\n"
            "while True:\n"
            "    record.seed += 1\n"
            "    write_record(record, path)\n"
        )
        moments = random.Random(1)
        seeds = [1]
        for _ in range(5):
            process = subprocess.Popen([sys.executable, "-c", program, path], stdout=subprocess.PIPE)
            assert process.stdout
            process.stdout.readline()
            time.sleep(moments.uniform(0, 0.2))
            process.kill()
            process.communicate()
            seeds.append(read_record(path).seed)
        assert seeds == sorted(seeds)
        assert seeds[-1] > 1  # some write has succeeded
        assert list(path.parent.glob("*.json")) == [path]

    @pytest.mark.slow
    def test_a_run_that_is_killed_keeps_what_it_has_saved(self, tmp_path: Path) -> None:
        process = subprocess.Popen(
            [*SLIDEBENCH, *RUN, "60s"], cwd=tmp_path, stderr=subprocess.DEVNULL, start_new_session=True
        )
        samples: list[Samples] = []
        while process.poll() is None and not any(each.cpu_nanoseconds for each in samples):
            time.sleep(0.2)
            for path in tmp_path.glob("results/runs/*/*.json"):
                samples = read_record(path).samples
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        (path,) = tmp_path.glob("results/runs/*/*.json")
        record = read_record(path)
        assert not record.complete
        assert any(each.cpu_nanoseconds for each in record.samples)


class Bomb:
    """Runs a command when unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (os.system, ("touch exploded",))


def _samples(**changes: Any) -> list[dict[str, Any]]:
    first, *more = msgspec.to_builtins(new_record())["samples"]
    return [first | changes, *more]


def _series(launches: int, rounds: int) -> dict[str, Any]:
    """Samples of some launches with some rounds each."""
    pairs = [(launch, round_) for launch in range(launches) for round_ in range(rounds)]
    return {
        "operations": 1,
        "launches": [launch for launch, _ in pairs],
        "rounds": [round_ for _, round_ in pairs],
        "cpu_nanoseconds": [1] * len(pairs),
    }


MACHINE = msgspec.to_builtins(describe())
CACHE = {"level": 1, "type": "data", "bytes": 32768, "line_bytes": 64, "ways": 8, "shared_by": 2}
# Untrusted records: bytes or JSON, and a part of the error message.
HOSTILE: dict[str, tuple[bytes | str, str]] = {
    "pickle": (pickle.dumps(Bomb()), "is not a slidebench record"),
    "code": ("__import__('os').system('touch exploded')", "is not a slidebench record"),
    "nested lists": ('{"schema":1,"x":' + "[" * 10**6 + "]" * 10**6 + "}", "recursion"),
    "nested objects": ('{"schema":1,"x":' + '{"x":' * 10**6 + "}" * 10**6 + "}", "recursion"),
    "a million digits": ('{"schema":' + "9" * 10**6 + "}", "out of range"),
    "a field's name that clears the screen": (
        text_of(**{"sur\nprise\x1b[2J": 1}),
        "unknown field `sur\N{REPLACEMENT CHARACTER}prise\N{REPLACEMENT CHARACTER}[2J`",
    ),
    "a field's name without end": (text_of(**{"x" * 10**6: 1}), "unknown field `xxx"),
    "infinity": ('{"schema":1e99999}', "out of range"),
    "not a number": (text_of(seed=0).replace('"seed": 0', '"seed": NaN'), "is not a slidebench record"),
    "bytes": (text_of().encode("utf-16"), "is not a slidebench record"),
    "no UTF-8": (text_of(python="?").encode().replace(b"?", b"\xff"), "is not a slidebench record"),
    "no UTF-8 in a part": (
        text_of(machine=MACHINE | {"brand": "?"}).encode().replace(b'"?"', b'"\xff"'),
        "is not a slidebench record",
    ),
    "half a surrogate pair": (text_of(python="\udc80"), "is not a slidebench record"),
    "long detail of a warning": (
        text_of(warnings=[{"name": "LOAD", "detail": "x" * 201}]),
        "Expected `str` of length <= 200",
    ),
    "unknown field": (text_of(surprise=1), "unknown field `surprise`"),
    "unknown field of the machine": (text_of(machine=MACHINE | {"surprise": 1}), "unknown field `surprise`"),
    "unknown field of a cache": (
        text_of(machine=MACHINE | {"caches": [CACHE | {"surprise": 1}]}),
        "unknown field `surprise`",
    ),
    "path in the time": (text_of(started_utc="../../../exploded"), "started_utc is '../../../exploded'"),
    "line feed in the time": (text_of(started_utc="20260102T030405Z\n"), "an unprintable character"),
    "path in the commit": (text_of(commit="../exploded"), "commit is '../exploded'"),
    "escape sequence": (text_of(python="\x1b]0;exploded\x07"), "an unprintable character"),
    "carriage return": (text_of(python="3.11\rexploded"), "an unprintable character"),
    "escaped C1 control": (text_of(python="\x9b2J"), "an unprintable character"),
    "plain C1 control": (text_of(python="?").replace("?", "\x9b2J"), "an unprintable character"),
    "line feed": (text_of(python="3.11\n# Owned"), "an unprintable character in '3.11\\n# Owned'"),
    "text turned round": (text_of(python="3.11\u202e"), "an unprintable character"),
    "letter without width": (text_of(python="3.\u200b11"), "an unprintable character"),
    "long text": (text_of(python="x" * (MAX_TEXT_LENGTH + 1)), "a text of more than 10000 characters"),
    "uneven samples": (text_of(samples=_samples(rounds=[0])), "of 'magic_fancy' differ in number"),
    "no operations": (text_of(samples=_samples(operations=0)), "0 operations of 'magic_fancy'"),
    "negative operations": (
        text_of(samples=_samples(operations=-5)),
        "Expected `int` >= 0 - at `$.samples[0].operations`",
    ),
    "operations beyond floats": (text_of(samples=_samples(operations=10**400)), "is not a slidebench record"),
    "time beyond 64 bits": (text_of(samples=_samples(cpu_nanoseconds=[1 << 63] * 3)), "Expected `int` <="),
    "negative clock": (
        text_of(rounds=[{"launch": 0, "round": 0, "core_megahertz": -1.0}]),
        "Expected `float` >= 0",
    ),
    "a cache of negative size": (
        text_of(machine=MACHINE | {"caches": [CACHE | {"bytes": -1}]}),
        "Expected `int` >= 0",
    ),
    "too many kernels": (
        text_of(samples=[_samples(kernel=f"k{each}")[0] for each in range(MAX_RECORD_KERNELS + 1)]),
        "501 kernels, more than 500",
    ),
    "too many launches": (
        text_of(samples=_samples(**_series(MAX_RECORD_LAUNCHES + 1, 1))),
        "1001 launches of 'magic_fancy', more than 1000",
    ),
    "too many rounds": (
        text_of(samples=_samples(**_series(1, MAX_RECORD_ROUNDS + 1))),
        "100001 samples of 'magic_fancy', more than 100000",
    ),
}


def _named_rounds(data: dict[str, Any]) -> dict[str, Any]:
    """From a made-up schema 1, which called a record's rounds "laps"."""
    rest = {name: value for name, value in data.items() if name != "laps"}
    return rest | {"rounds": data["laps"]}


def _in_seconds(data: dict[str, Any]) -> dict[str, Any]:
    """From a made-up schema 2, which had the budget in milliseconds."""
    rest = {name: value for name, value in data.items() if name != "budget_milliseconds"}
    return rest | {"budget_seconds": data["budget_milliseconds"] / 1000}


def test_a_record_of_the_first_schema_is_still_read() -> None:
    record = read_record(TESTS / "support" / "schema1.json")  # of a real run, reduced to one kernel
    assert (record.schema, record.method) == (SCHEMA_VERSION, "1")
    assert [(build.kernel, build.audit_sha256) for build in record.builds] == [("pext", None)]
    assert record.warnings == [RecordedWarning(name="FREQUENCY"), RecordedWarning(name="VIRTUAL")]


def test_warnings_of_the_second_schema_have_names_only(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text(text_of(schema=2, warnings=["LOAD"]))
    assert read_record(path).warnings == [RecordedWarning(name="LOAD")]
    for warnings in ("LOAD", [1], {"LOAD": "x"}, None):
        path.write_text(text_of(schema=2, warnings=warnings))
        with pytest.raises(RecordError, match="it is not of schema 2: warnings must be names"):
            read_record(path)


def made(method: str, kernels: int, day: int, *, complete: bool = True) -> Record:
    """A record of a number of kernels, made on a day of January."""
    speeds = {Choice(f"kernel {number}", "v1"): 1e8 for number in range(kernels)}
    return made_record(
        speeds, method=method, complete=complete, generator="1", started_utc=f"202601{day:02}T000000Z"
    )


class TestRepresentative:
    @pytest.mark.parametrize(
        ("better", "worse"),
        [
            (made("10", 1, day=1), made("2", 3, day=2)),  # as numbers, not as texts
            (made("3", 1, day=1, complete=False), made("2", 3, day=2)),
            (made("2", 1, day=1), made("2", 3, day=2, complete=False)),
            (made("2", 3, day=1), made("2", 1, day=2)),  # a quick look later
            (made("2", 3, day=2), made("2", 3, day=1)),
            *((made("1", 1, day=1), made(word, 3, day=2)) for word in ("", "best", "-5", "2.5", "9" * 5000)),
        ],
    )
    def test_method_comes_before_completeness_kernels_and_age(self, better: Record, worse: Record) -> None:
        assert representative([better, worse]) is representative([worse, better]) is better

    def test_the_latest_generator_is_the_highest_number(self) -> None:
        old, new = made("2", 3, day=2), made("2", 1, day=1)
        old.generator, new.generator = "9", "10"
        assert representative([old, new]) is new


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.stem)
def test_every_committed_record_is_still_read(path: Path) -> None:
    assert read_record(path).samples


class TestOldRecords:
    @pytest.fixture(autouse=True)
    def _third_schema(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(reader, "SCHEMA_VERSION", 3)
        monkeypatch.setattr(reader, "MIGRATIONS", {1: _named_rounds, 2: _in_seconds})

    def read(self, path: Path, data: dict[str, Any]) -> Record:
        path.write_text(json.dumps(data))
        return read_record(path)

    def test_each_is_migrated_from_version_to_version(self, tmp_path: Path) -> None:
        current = new_record()
        current.schema = 3
        current.rounds = [Round(launch=0, round=1, core_megahertz=3500.0)]
        second = msgspec.to_builtins(current) | {"schema": 2, "budget_milliseconds": 2000.0}
        del second["budget_seconds"]
        first = second | {"schema": 1, "laps": second["rounds"]}
        del first["rounds"]
        for data in (msgspec.to_builtins(current), second, first):
            assert self.read(tmp_path / "record.json", data) == current

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"schema": 4}, "has record schema 4, and this slidebench reads up to 3: update slidebench"),
            ({"schema": 0}, "has record schema 0, which cannot be migrated: measure again"),
            ({"schema": -(10**15)}, "which cannot be migrated: measure again"),
            ({"schema": 1}, "is not a slidebench record (it is not of schema 1: 'laps')"),
            ({"schema": 2, "budget_milliseconds": []}, "is not a slidebench record (it is not of schema 2: "),
            ({"schema": 2, "budget_milliseconds": 1, "surprise": 1}, "unknown field `surprise`"),
        ],
        ids=[
            "newer",
            "before the first",
            "long before",
            "without a field",
            "of another type",
            "with one more",
        ],
    )
    def test_what_cannot_be_migrated_is_refused_with_advice(
        self, changes: dict[str, Any], message: str, tmp_path: Path
    ) -> None:
        with pytest.raises(RecordError, match=re.escape(message)) as caught:
            self.read(tmp_path / "record.json", msgspec.to_builtins(new_record()) | changes)
        assert "\n" not in str(caught.value)

    def test_what_is_unsound_is_refused_after_migration_too(self, tmp_path: Path) -> None:
        old = json.loads(text_of(schema=2, budget_milliseconds=1, commit="../exploded"))
        del old["budget_seconds"]
        with pytest.raises(RecordError, match=r"commit is '\.\./exploded'"):
            self.read(tmp_path / "record.json", old)


class TestHostileRecords:
    @pytest.mark.parametrize("name", HOSTILE)
    def test_it_is_refused_and_nothing_happens(
        self, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        content, message = HOSTILE[name]
        monkeypatch.chdir(tmp_path)
        path = tmp_path / "record.json"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(RecordError, match=re.escape(message)) as caught:
            read_record(path)
        assert str(caught.value).isprintable() and len(str(caught.value)) < 500
        assert list(tmp_path.iterdir()) == [path]

    def test_a_huge_file_is_refused_without_reading_it(self, tmp_path: Path) -> None:
        path = tmp_path / "record.json"
        with path.open("wb") as file:
            file.truncate(1 << 40)  # sparse: takes no room
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with pytest.raises(RecordError, match="is larger than 64 MiB"):
            read_record(path)
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 3 * MAX_RECORD_BYTES >> 10

    def test_pipes_and_devices_are_refused(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        for path in (tmp_path / "pipe", Path("/dev/zero")):
            with pytest.raises(RecordError, match="not a file"):
                read_record(path)

    def test_names_in_it_never_become_paths(self, tmp_path: Path) -> None:
        """Its charts are written below the results folder, whatever the name of the machine."""
        machine = msgspec.to_builtins(describe()) | {
            "microarchitecture": "../../../exploded/",
            "brand": "/",
        }
        (tmp_path / "record.json").write_text(text_of(machine=machine))
        result = slidebench("plot", "record.json", "--results", "deep/results", cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        written = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "record.json"]
        assert written
        for path in written:
            assert path.parent.parent == tmp_path / "deep/results/charts"
            assert re.fullmatch("exploded-[0-9a-f]{6}", path.parent.name)

    def test_markup_in_it_is_shown_literally(self, tmp_path: Path) -> None:
        hostile = "</text><script>alert(1)</script> $\\frac{$ [bold]&amp;"
        samples = [each | {"kernel": hostile} for each in msgspec.to_builtins(new_record())["samples"]]
        machine = msgspec.to_builtins(describe()) | {"brand": hostile}
        path = tmp_path / "record.json"
        path.write_text(text_of(samples=samples, machine=machine))
        result = slidebench("plot", "record.json", "--results", ".", cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        for chart in tmp_path.rglob("*.svg"):
            assert "<script" not in chart.read_text()
        console = Console(width=300, record=True, file=io.StringIO())
        console.print(rate_table(read_record(path)))
        assert console.export_text().count(hostile) == 2
