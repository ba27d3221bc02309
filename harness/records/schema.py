"""The record: one JSON file that says what was measured, on which machine, and every raw sample.

Field names of numbers end in their unit.
"""

from typing import Literal

import msgspec

from slidebench.harness.bounded_types import Measure, Signed, Whole
from slidebench.harness.machine.cpu import Cpu
from slidebench.harness.workloads import Workload
from slidebench.kernels import Choice

SCHEMA_VERSION = 2


class _Part(msgspec.Struct, forbid_unknown_fields=True):
    """A part of a record: an unknown field is an error, not something to skip."""


class Build(_Part, kw_only=True):
    """One compiled kernel: how it was built, and whether it gave right answers before it was timed.

    `init_nanoseconds` is the thread CPU time of filling its tables, once. `audit_sha256` is the digest of its
    timed instructions and their audit: two builds of a kernel at a level that share it ran the same sequence
    of instructions (operands aside); None where the libraries of slidebench.harness.code.audit are not installed.
    """

    kernel: str
    level: str
    popcount: str
    compiler: str
    flags: str
    table_bytes: Whole
    init_nanoseconds: Whole | None = None
    audit_sha256: str | None = None
    verified: bool
    failure: str | None = None

    @property
    def choice(self) -> Choice:
        return Choice(self.kernel, self.level, self.popcount)


class Absent(_Part, kw_only=True):
    """A kernel that was not timed at a level, and why."""

    kernel: str
    level: str
    popcount: str
    reason: str

    @property
    def choice(self) -> Choice:
        return Choice(self.kernel, self.level, self.popcount)


class Samples(_Part, kw_only=True):
    """All samples of one kernel on one workload.

    Sample i was taken in round `rounds[i]` of launch `launches[i]`, ran `operations` operations and took
    `cpu_nanoseconds[i]` of thread CPU time: less is better.
    """

    kernel: str
    level: str
    popcount: str
    workload: str
    operations: Whole
    better: Literal["lower"] = "lower"
    launches: list[Whole] = msgspec.field(default_factory=list)
    rounds: list[Whole] = msgspec.field(default_factory=list)
    cpu_nanoseconds: list[Signed] = msgspec.field(default_factory=list)

    @property
    def choice(self) -> Choice:
        return Choice(self.kernel, self.level, self.popcount)


class Round(_Part, kw_only=True):
    """The state of the core at the end of a round."""

    launch: Whole
    round: Whole
    core_megahertz: Measure


class Record(_Part, kw_only=True):
    """One run on one machine; `warnings` are names from slidebench.harness.run.warnings."""

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
    warnings: list[str] = msgspec.field(default_factory=list)
    builds: list[Build] = msgspec.field(default_factory=list)
    absent: list[Absent] = msgspec.field(default_factory=list)
    workloads: list[Workload] = msgspec.field(default_factory=list)
    rounds: list[Round] = msgspec.field(default_factory=list)
    samples: list[Samples] = msgspec.field(default_factory=list)
