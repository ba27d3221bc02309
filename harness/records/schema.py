"""The record: one JSON file with every raw sample of a run, what was measured, and on which machine.

The names of numeric fields end in their unit.
"""

from typing import Literal

import msgspec

from slidebench.harness.bounded_types import Measure, Sentence, Signed, Whole
from slidebench.harness.machine.cpu import Cpu
from slidebench.harness.workloads import Workload
from slidebench.kernels import Choice

SCHEMA_VERSION = 3


class _Part(msgspec.Struct, forbid_unknown_fields=True):
    """A part of a record: an unknown field is an error."""


class _OfKernel(_Part, kw_only=True):
    """A part of a record that belongs to one kernel at one level with one popcount."""

    kernel: str
    level: str
    popcount: str

    @property
    def choice(self) -> Choice:
        return Choice(self.kernel, self.level, self.popcount)


class Build(_OfKernel, kw_only=True):
    """One compiled kernel: how it was built, and whether it was verified before it was timed.

    `init_nanoseconds` is the thread CPU time of filling its tables, once. `audit_sha256` is the digest of its
    timed instructions and their audit: two builds of a kernel at a level that share it ran the same sequence
    of instructions (apart from operands). It is None if the audit extra was not installed.
    """

    compiler: str
    flags: str
    table_bytes: Whole
    init_nanoseconds: Whole | None = None
    audit_sha256: str | None = None
    verified: bool
    failure: str | None = None


class Absent(_OfKernel, kw_only=True):
    """A kernel that was not timed at a level, with the reason."""

    reason: str


class Samples(_OfKernel, kw_only=True):
    """All samples of one kernel on one workload.

    Sample i was taken in round `rounds[i]` of launch `launches[i]`, ran `operations` operations and took
    `cpu_nanoseconds[i]` of thread CPU time: less is better.
    """

    workload: str
    operations: Whole
    better: Literal["lower"] = "lower"
    launches: list[Whole] = msgspec.field(default_factory=list)
    rounds: list[Whole] = msgspec.field(default_factory=list)
    cpu_nanoseconds: list[Signed] = msgspec.field(default_factory=list)


class Round(_Part, kw_only=True):
    """The core's clock frequency at the end of a round."""

    launch: Whole
    round: Whole
    core_megahertz: Measure


class RecordedWarning(_Part, kw_only=True):
    """A warning by its name in slidebench.harness.run.warnings, and what was observed, "" if not recorded."""

    name: str
    detail: Sentence = ""


class Record(_Part, kw_only=True):
    """One run on one machine."""

    schema: int = SCHEMA_VERSION
    complete: bool = False
    started_utc: str
    slidebench: str
    commit: str
    dirty: bool
    generator: str
    method: str
    python: str
    machine: Cpu
    seed: Whole
    budget_seconds: Measure
    warnings: list[RecordedWarning] = msgspec.field(default_factory=list)
    builds: list[Build] = msgspec.field(default_factory=list)
    absent: list[Absent] = msgspec.field(default_factory=list)
    workloads: list[Workload] = msgspec.field(default_factory=list)
    rounds: list[Round] = msgspec.field(default_factory=list)
    samples: list[Samples] = msgspec.field(default_factory=list)
