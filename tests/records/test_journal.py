"""What a run that is killed has measured is all there: in its record, or beside it."""

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
from slidebench.harness.run.session import Collected
from slidebench.harness.workloads import perft_workloads
from slidebench.kernels import Choice

KEY = Choice("magic_fancy", "v3")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "record.json"
    write_record(made_record({KEY: 1e9}, complete=False), path)
    return path


def times(record: Record, place: int) -> dict[tuple[int, int], int]:
    samples = record.samples[place]
    return dict(zip(zip(samples.launches, samples.rounds, strict=True), samples.cpu_nanoseconds, strict=True))


def test_samples_beside_a_record_are_read_with_it(path: Path) -> None:
    before = read_record(path)
    journal = Journal(path)
    journal.add(Entry(0, 7, 0, 123))
    journal.add(Entry(5, 7, 1, -4))
    after = read_record(path)
    assert times(after, 0) == times(before, 0) | {(7, 0): 123}
    assert times(after, 5) == times(before, 5) | {(7, 1): -4}
    assert after.samples[1:5] == before.samples[1:5]


def test_a_sample_that_the_record_has_too_counts_once(path: Path) -> None:
    before = read_record(path)
    journal = Journal(path)
    journal.add(Entry(0, 0, 0, 123))
    assert read_record(path) == before


def test_what_is_cleared_or_removed_is_not_read_again(path: Path) -> None:
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


def test_torn_and_foreign_lines_are_passed_over(path: Path) -> None:
    before = read_record(path)
    beside = path.with_suffix(".journal")
    beside.write_bytes(
        b"0 7 0 123\n99 7 0 1\n-1 7 0 1\n0 7 1 1e9\n\xff\n\n0 7 2 12345678901234567890\n0 7 3 4"
    )
    assert times(read_record(path), 0) == times(before, 0) | {(7, 0): 123}


def test_a_finished_record_needs_nothing_from_beside_it(path: Path) -> None:
    whole = made_record({KEY: 1e9})
    write_record(whole, path)
    path.with_suffix(".journal").write_text("0 7 0 123\n")
    assert read_record(path) == whole


def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"cannot write \S+: No such file or directory; choose another"):
        Journal(tmp_path / "nowhere" / "record.json")


def test_a_kernel_that_counts_wrong_gives_no_time_to_another(path: Path) -> None:
    """Killed between the writing of the record without it and the next sample: places have changed."""
    wrong, right = Choice("rotated", "v3", "builtin"), Choice("magic_fancy", "v3", "builtin")
    record = made_record({}, complete=False)
    workloads = [*perft_workloads()]
    journal = Journal(path)
    collected = Collected(record, measure.planned([wrong, right], workloads), journal.add)
    job = collected.job(0, 1.0, 10, {})
    collected.enter(0, launches.Batches([1] * len(job.choices), copied=True))
    collected.enter(0, launches.Wrong(0, "rotated v3 builtin: 20 leaves, counted 21"))
    write_record(record, path)
    collected.enter(0, launches.Sample(0, 0, 111))  # of the wrong kernel, on its way when that was found
    collected.enter(0, launches.Sample(6, 0, 222))
    read = read_record(path)
    assert [(each.kernel, each.cpu_nanoseconds) for each in read.samples] == [
        ("magic_fancy", [222] if number == 0 else []) for number in range(6)
    ]


def test_more_than_a_record_may_hold_is_not_taken_from_beside_it(path: Path) -> None:
    before = read_record(path)
    path.with_suffix(".journal").write_text("".join(f"0 {launch} 0 1\n" for launch in range(5_000)))
    assert len(set(read_record(path).samples[0].launches)) == MAX_RECORD_LAUNCHES
    path.with_suffix(".journal").unlink()
    path.with_suffix(".journal").mkdir()
    assert read_record(path) == before


def test_what_an_earlier_run_left_there_is_not_taken_for_this_one_s(path: Path) -> None:
    path.with_suffix(".journal").write_text("0 7 0 123\n")
    Journal(path)
    assert (7, 0) not in times(read_record(path), 0)


def test_a_killed_run_keeps_its_samples(tmp_path: Path) -> None:
    command = [*SLIDEBENCH, "run", "--kernel", "magic_fancy", "--no-verify", "--budget", "10m"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL, start_new_session=True)
    lines: list[str] = []
    while process.poll() is None and len(lines) < 20:
        time.sleep(0.02)
        for beside in tmp_path.glob("results/runs/*/*.journal"):
            lines = beside.read_text().splitlines()
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    (path,) = tmp_path.glob("results/runs/*/*.json")
    record = read_record(path)
    assert not record.complete
    for line in lines[:-1]:
        place, launch, round_, nanoseconds = map(int, line.split())
        assert times(record, place)[launch, round_] == nanoseconds
