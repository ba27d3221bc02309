"""From a launch's messages to the record, and from the record to the next launch's job."""

from collections.abc import Callable
from dataclasses import asdict

from slidebench.harness import workloads
from slidebench.harness.records.journal import Entry
from slidebench.harness.records.schema import Record, Round, Samples
from slidebench.harness.run import launches
from slidebench.harness.run.focus import NO_FOCUS, focus
from slidebench.harness.workloads import Stream, Workload
from slidebench.kernels import Choice


class Collected:
    """What the launches of a run have sent so far, entered in the record.

    A benchmark's number is its index in the plan, in `record.samples` and in the journal. It never changes
    during a run: a kernel that counts wrong keeps its entries in `record.samples`, emptied, until
    `drop_wrong`. `on_sample` is called with each sample.
    """

    def __init__(
        self,
        record: Record,
        plan: list[tuple[Choice, Workload]],
        streams: dict[tuple[str, str], Stream],
        on_sample: Callable[[Entry], None] = lambda _: None,
    ) -> None:
        self.record = record
        self.plan = plan
        self.streams = {stream.sha256: stream for stream in streams.values()}
        self.on_sample = on_sample
        self.iterations = [0] * len(plan)  # in a batch; 0: not known yet
        self.wrong: set[Choice] = set()
        self.focus = NO_FOCUS
        self.shared_files = False  # whether a launch had to load the installed modules
        record.samples = [
            Samples(**asdict(choice), workload=workload.name, operations=0) for choice, workload in plan
        ]

    def job(self, launch: int, seconds: float, max_rounds: int) -> launches.Job:
        """The next launch's job: every kernel but wrong ones, with extra rounds for the widest intervals."""
        self.focus = focus(self.record)
        tasks = [
            launches.Task(number=number, choice=choice, workload=workload, iterations=self.iterations[number])
            for number, (choice, workload) in enumerate(self.plan)
            if choice not in self.wrong
        ]
        return launches.Job(
            launch=launch,
            seed=self.record.seed,
            seconds=seconds,
            max_rounds=max_rounds,
            tasks=tasks,
            focus=[task.number for task in tasks if task.choice in self.focus.choices],
            streams=self.streams,
        )

    def enter(self, launch: int, message: launches.Message) -> str:
        """Enter a message in the record; returns a line of progress for a sample, "" for anything else."""
        match message:
            case launches.Batches(iterations, copied):
                self.shared_files |= not copied
                for number, count in iterations.items():
                    self._size_batch(number, count)
            case launches.Sample(number, round_, nanoseconds):
                return self._add(Entry(number, launch, round_, nanoseconds))
            case launches.RoundEnd(round_, megahertz):
                self.record.rounds.append(Round(launch=launch, round=round_, core_megahertz=megahertz))
            case launches.Wrong(number, failure):
                self._void(self.plan[number][0], failure)
        return ""

    def drop_wrong(self) -> None:
        """Remove the emptied entries of wrong kernels. Changes indices: nothing may be in the journal."""
        self.record.samples = [samples for samples in self.record.samples if samples.choice not in self.wrong]

    def _size_batch(self, number: int, iterations: int) -> None:
        choice, workload = self.plan[number]
        if choice not in self.wrong:
            self.iterations[number] = iterations
            self.record.samples[number].operations = iterations * workloads.operations(workload)

    def _add(self, entry: Entry) -> str:
        choice, workload = self.plan[entry.number]
        if choice in self.wrong:  # the launch sent it before the kernel counted wrong, or times it to its end
            return ""
        self.on_sample(entry)
        samples = self.record.samples[entry.number]
        samples.launches.append(entry.launch)
        samples.rounds.append(entry.round)
        samples.cpu_nanoseconds.append(entry.cpu_nanoseconds)
        widest = f" ({self.focus})" if self.focus.widest else ""
        return f"round {entry.round + 1}: {choice}, {workload.name}{widest}"

    def _void(self, choice: Choice, failure: str) -> None:
        """Empty the samples of a kernel that counted wrong, and note the failure in its build."""
        self.wrong.add(choice)
        for build in self.record.builds:
            if build.choice == choice:
                build.verified, build.failure = False, failure
        for samples in self.record.samples:
            if samples.choice == choice:
                samples.operations = 0  # so that readers add nothing from the journal either
                for values in (samples.launches, samples.rounds, samples.cpu_nanoseconds):
                    values.clear()
