"""Messages of launches become a record; wrong kernels keep no samples; wide intervals get more rounds."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from made_records import made_record

from slidebench import kernels
from slidebench.harness.errors import UserError
from slidebench.harness.records.reader import read_record
from slidebench.harness.records.schema import Build, Record
from slidebench.harness.run import launches, measure, session
from slidebench.harness.run.collected import Collected
from slidebench.harness.run.streams import query_streams
from slidebench.harness.workloads import Lookup, Workload, perft_workloads, pressure_workloads

GOOD = kernels.Choice("magic_fancy", "v3", "builtin")
BAD = kernels.Choice("rotated", "v3", "builtin")
WORKLOADS: list[Workload] = [*perft_workloads()]


@pytest.fixture
def record() -> Record:
    empty = made_record({})
    empty.builds = [
        Build(
            kernel=choice.kernel,
            level=choice.level,
            popcount=choice.popcount,
            compiler="gcc 12",
            flags="-O2",
            table_bytes=8,
            verified=True,
        )
        for choice in (GOOD, BAD)
    ]
    return empty


@pytest.fixture
def collected(record: Record) -> Collected:
    return Collected(record, measure.planned([GOOD, BAD], WORKLOADS), {})


def send(collected: Collected, launch: int, nanoseconds: dict[int, list[int]]) -> None:
    """Enter one launch's messages: batches of 3 iterations, then a round for each time in the lists."""
    job = collected.job(launch, 1.0, 100)
    collected.enter(launch, launches.Batches({task.number: 3 for task in job.tasks}, copied=True))
    for number, times in nanoseconds.items():
        for round_, elapsed in enumerate(times):
            collected.enter(launch, launches.Sample(number, round_, elapsed))


def test_samples_are_entered_with_launch_and_round(record: Record, collected: Collected) -> None:
    send(collected, 0, {0: [100, 110]})
    send(collected, 1, {0: [120]})
    samples = record.samples[0]
    assert (samples.kernel, samples.workload) == ("magic_fancy", WORKLOADS[0].name)
    assert (samples.launches, samples.rounds, samples.cpu_nanoseconds) == (
        [0, 0, 1],
        [0, 1, 0],
        [100, 110, 120],
    )
    assert samples.operations == 3 * perft_workloads()[0].nodes


def test_a_kernel_that_counts_wrong_keeps_no_samples_and_is_not_timed_again(
    record: Record, collected: Collected
) -> None:
    send(collected, 0, {0: [100], 6: [100]})
    collected.enter(0, launches.Wrong(7, "rotated v3 builtin: 20 leaves, counted 21"))
    assert collected.enter(0, launches.Sample(6, 1, 100)) == ""  # sent before its launch noticed
    assert [samples.cpu_nanoseconds for samples in record.samples] == [[100], *[[]] * 11]
    assert [(build.kernel, build.verified) for build in record.builds] == [
        ("magic_fancy", True),
        ("rotated", False),
    ]
    assert record.builds[1].failure == "rotated v3 builtin: 20 leaves, counted 21"
    assert BAD not in {task.choice for task in collected.job(1, 1.0, 100).tasks}
    collected.drop_wrong()
    assert {samples.kernel for samples in record.samples} == {"magic_fancy"}


def test_a_finished_run_has_no_entries_of_a_kernel_that_counted_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong, right = (kernels.Selection(kernel).best() for kernel in ("ray_loop", "magic_fancy"))

    def messages(job: launches.Job) -> Iterator[launches.Message]:
        yield launches.Batches({task.number: 1 for task in job.tasks}, copied=True)
        yield from (launches.Sample(task.number, 0, 1000) for task in job.tasks)
        if job.launch == 1:
            yield launches.Wrong(0, "20 leaves, counted 21")
        yield launches.RoundEnd(0, 4000.0)

    monkeypatch.setattr(launches, "messages", messages)
    record = session.new_record(1.0, 1)
    steps = list(session.fill(record, tmp_path / "record.json", [wrong, right], verify=False))
    assert steps[-1].text.startswith("launch 5 of 5")
    read = read_record(tmp_path / "record.json")
    assert read.complete and read == record
    assert {samples.choice for samples in read.samples} == {right}
    assert all(samples.launches == [0, 1, 2, 3, 4] for samples in read.samples)
    assert {build.choice: build.failure for build in read.builds} == {
        wrong: "20 leaves, counted 21",
        right: None,
    }
    assert list(tmp_path.iterdir()) == [tmp_path / "record.json"]


def test_numbers_stay_those_of_the_plan_after_a_kernel_counted_wrong(record: Record) -> None:
    collected = Collected(record, measure.planned([BAD, GOOD], WORKLOADS), {})
    collected.enter(0, launches.Wrong(0, "rotated v3 builtin: 20 leaves, counted 21"))
    job = collected.job(1, 1.0, 100)
    assert [(task.number, task.choice) for task in job.tasks] == [(number, GOOD) for number in range(6, 12)]
    collected.enter(1, launches.Batches({6: 3}, copied=True))
    collected.enter(1, launches.Sample(6, 0, 222))
    assert (record.samples[6].kernel, record.samples[6].cpu_nanoseconds) == ("magic_fancy", [222])


def test_the_kernel_with_the_wider_interval_gets_extra_rounds(collected: Collected) -> None:
    for launch in range(3):
        send(
            collected,
            launch,
            {
                **{number: [1000, 1000, 1000] for number in range(6)},
                **{number: [1000 + 300 * launch, 900, 1200] for number in range(6, 12)},
            },
        )
    job = collected.job(3, 1.0, 100)
    assert job.focus == [*range(6, 12)]
    assert str(collected.focus).startswith("widest interval: rotated v3 builtin")


def test_no_kernel_gets_extra_rounds_before_launches_show_their_scatter(collected: Collected) -> None:
    send(collected, 0, {number: [1000, 900, 1200] for number in range(12)})
    assert collected.job(1, 1.0, 100).focus == []
    assert str(collected.focus) == ""


def test_lookups_are_planned_with_one_popcount_and_pressure_and_no_bulk_at_the_highest_level_only() -> None:
    plain = Lookup(name="l", piece="queen", mode="throughput", stream="tree", pairs=1, sha256="0")
    cold = Lookup(
        name="c", piece="queen", mode="throughput", stream="tree", pairs=1, sha256="0", evicting_bytes=64
    )
    choices = [
        kernels.Choice("magic_fancy", level, popcount)
        for level in ("v2", "v3")
        for popcount in ("builtin", "swar")
    ]
    no_bulk = perft_workloads(bulk=False)[0]
    planned = [
        (choice.level, choice.popcount, workload.name)
        for choice, workload in measure.planned(choices, [plain, cold, no_bulk])
    ]
    assert planned == [
        ("v2", "builtin", "l"),
        ("v3", "builtin", "l"),
        ("v3", "builtin", "c"),
        ("v3", "builtin", "perft start d4 no-bulk"),
    ]


def test_a_launch_has_modules_of_its_own() -> None:
    choice = kernels.Selection().best()
    assert kernels.load_copy(choice).module_path != kernels.load_choice(choice).module_path
    assert kernels.load_copy(choice).perft("startpos", 4) == 197_281


def test_every_kernel_counts_the_same_trees_as_often_in_a_batch() -> None:
    for workload in (perft_workloads()[4], perft_workloads(bulk=False)[4]):
        iterations = {
            measure.batch_iterations(measure.benchmark(kernels.load(kernel), workload, {}))
            for kernel in ("ray_loop", "magic_fancy")
        }
        assert len(iterations) == 1
        assert min(iterations) > 1


def small_job(choice: kernels.Choice, seconds: float = 0.1, rounds: int = 100) -> launches.Job:
    return launches.Job(
        launch=4,
        seed=1,
        seconds=seconds,
        max_rounds=rounds,
        tasks=[launches.Task(number=7, choice=choice, workload=perft_workloads()[4], iterations=1)],
        streams={},
    )


def test_a_launch_that_ends_before_it_has_read_its_job_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "false")
    job = small_job(kernels.Selection().best())
    job.streams = {each.sha256: each for each in query_streams().values()}  # more than a pipe holds
    with pytest.raises(UserError, match=r"launch 4 ended with status 1: .* run again"):
        list(launches.messages(job))


def test_a_launch_that_fails_says_so() -> None:
    with pytest.raises(UserError, match="launch 4 ended with status 1: "):
        list(launches.messages(small_job(kernels.Choice("nosuch", "v1", "builtin"))))


def test_a_launch_has_no_more_rounds_than_a_record_can_hold() -> None:
    sent = list(launches.messages(small_job(kernels.Selection().best(), seconds=60, rounds=3)))
    assert [message.round for message in sent if isinstance(message, launches.RoundEnd)] == [0, 1, 2]
    samples = [message for message in sent if isinstance(message, launches.Sample)]
    assert [(sample.number, sample.round) for sample in samples] == [(7, 0), (7, 1), (7, 2)]


@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), ImportError("failed to map")])
def test_modules_that_cannot_be_copied_are_warned_of(
    monkeypatch: pytest.MonkeyPatch, collected: Collected, fault: Exception
) -> None:
    def copied(load_copy: Callable[[kernels.Choice], kernels.Kernel]) -> bool:
        monkeypatch.setattr(kernels, "load_copy", load_copy)
        messages = launches.run(small_job(kernels.Selection().best()))
        return next(message.copied for message in messages if isinstance(message, launches.Batches))

    def fail(_: kernels.Choice) -> kernels.Kernel:
        raise fault

    assert copied(kernels.load_choice)
    assert not copied(fail)
    collected.enter(0, launches.Batches({}, copied=True))
    assert not collected.shared_files
    collected.enter(1, launches.Batches({}, copied=False))
    collected.enter(2, launches.Batches({}, copied=True))
    assert collected.shared_files


@pytest.mark.parametrize(("level_2_kib", "read_mib"), [(0, 4), (1024, 4), (2048, 4), (6144, 12)])
def test_cold_tables_are_evicted_from_second_level_caches_of_any_size(
    level_2_kib: int, read_mib: int
) -> None:
    cold, *working_sets = pressure_workloads(query_streams(), level_2_kib << 10)
    assert cold.evicting_bytes == read_mib << 20
    assert not any(workload.evicting_bytes for workload in working_sets)
