"""A killed run keeps its samples: they are in its record or in its journal."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from command import SLIDEBENCH
from made_records import made_record

from slidebench.harness.files import FileError
from slidebench.harness.records.journal import Entry, Journal
from slidebench.harness.records.reader import MAX_RECORD_LAUNCHES, read_record
from slidebench.harness.records.schema import Record
from slidebench.harness.records.store import write_record
from slidebench.harness.run import launches, measure
from slidebench.harness.run.collected import Collected
from slidebench.harness.workloads import perft_workloads
from slidebench.kernels import Choice

KEY = Choice("magic_fancy", "v3")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "record.json"
    write_record(made_record({KEY: 1e9}, complete=False), path)
    return path


def times(record: Record, number: int) -> dict[tuple[int, int], int]:
    """The nanoseconds of a benchmark by launch and round."""
    samples = record.samples[number]
    return dict(zip(zip(samples.launches, samples.rounds, strict=True), samples.cpu_nanoseconds, strict=True))


def test_a_record_is_read_with_the_samples_in_its_journal(path: Path) -> None:
    before = read_record(path)
    journal = Journal(path)
    journal.add(Entry(0, 7, 0, 123))
    journal.add(Entry(5, 7, 1, -4))
    after = read_record(path)
    assert times(after, 0) == times(before, 0) | {(7, 0): 123}
    assert times(after, 5) == times(before, 5) | {(7, 1): -4}
    assert after.samples[1:5] == before.samples[1:5]


def test_a_sample_in_both_record_and_journal_counts_once(path: Path) -> None:
    before = read_record(path)
    journal = Journal(path)
    journal.add(Entry(0, 0, 0, 123))
    assert read_record(path) == before


def test_samples_of_a_cleared_or_removed_journal_are_not_read(path: Path) -> None:
    before = read_record(path)
    journal = Journal(path)
    journal.add(Entry(0, 7, 0, 123))
    journal.clear()
    assert read_record(path) == before
    journal.add(Entry(0, 7, 0, 124))
    assert times(read_record(path), 0)[7, 0] == 124
    journal.remove()
    assert read_record(path) == before
    assert list(path.parent.iterdir()) == [path]


def test_malformed_lines_are_skipped(path: Path) -> None:
    before = read_record(path)
    path.with_suffix(".journal").write_bytes(
        b"0 7 0 123\n99 7 0 1\n-1 7 0 1\n0 7 1 1e9\n\xff\n\n0 7 2 12345678901234567890\n0 7 3 4"
    )
    assert times(read_record(path), 0) == times(before, 0) | {(7, 0): 123}


def test_the_journal_of_a_complete_record_is_ignored(path: Path) -> None:
    whole = made_record({KEY: 1e9})
    write_record(whole, path)
    path.with_suffix(".journal").write_text("0 7 0 123\n")
    assert read_record(path) == whole


def test_a_folder_that_does_not_exist_gives_one_line(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"^cannot write \S+ \(No such file or directory\): choose another"):
        Journal(tmp_path / "nowhere" / "record.json")


def test_a_kernel_that_counted_wrong_gets_no_samples_from_the_journal(path: Path) -> None:
    """The run is killed after the record without the kernel is written, but before its journal is cleared."""
    wrong, right = Choice("rotated", "v3", "builtin"), Choice("magic_fancy", "v3", "builtin")
    record = made_record({}, complete=False)
    journal = Journal(path)
    collected = Collected(record, measure.planned([wrong, right], [*perft_workloads()]), {}, journal.add)
    collected.enter(0, launches.Batches(dict.fromkeys(range(12), 1), copied=True))
    collected.enter(0, launches.Sample(1, 0, 111))
    collected.enter(0, launches.Wrong(0, "rotated v3 builtin: 20 leaves, counted 21"))
    collected.enter(0, launches.Sample(0, 0, 111))  # sent before the launch noticed
    collected.enter(0, launches.Sample(6, 0, 222))
    record.samples[6].cpu_nanoseconds.clear()
    record.samples[6].launches.clear()
    record.samples[6].rounds.clear()
    write_record(record, path)
    read = read_record(path)
    assert [(samples.kernel, samples.cpu_nanoseconds) for samples in read.samples] == [
        *[("rotated", [])] * 6,
        ("magic_fancy", [222]),
        *[("magic_fancy", [])] * 5,
    ]


def test_no_more_than_a_record_may_hold_is_read_from_a_journal(path: Path) -> None:
    before = read_record(path)
    path.with_suffix(".journal").write_text("".join(f"0 {launch} 0 1\n" for launch in range(5_000)))
    assert len(set(read_record(path).samples[0].launches)) == MAX_RECORD_LAUNCHES
    path.with_suffix(".journal").unlink()
    path.with_suffix(".journal").mkdir()
    assert read_record(path) == before


def test_a_journal_left_by_an_earlier_run_is_not_attributed_to_the_next(path: Path) -> None:
    path.with_suffix(".journal").write_text("0 7 0 123\n")
    Journal(path)
    assert (7, 0) not in times(read_record(path), 0)


def test_a_killed_run_keeps_its_samples(tmp_path: Path) -> None:
    command = [*SLIDEBENCH, "run", "--kernel", "magic_fancy", "--no-verify", "--budget", "10m"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL, start_new_session=True)
    lines: list[str] = []
    while process.poll() is None and len(lines) < 20:
        time.sleep(0.02)
        for journal in tmp_path.glob("results/runs/*/*.journal"):
            lines = journal.read_text().splitlines()
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    (path,) = tmp_path.glob("results/runs/*/*.json")
    record = read_record(path)
    assert not record.complete
    for line in lines[:-1]:
        number, launch, round_, nanoseconds = map(int, line.split())
        assert times(record, number)[launch, round_] == nanoseconds
