"""Synthetic records with known rates and scatter, independent of the machine."""

from collections.abc import Mapping
from dataclasses import asdict

import msgspec
import numpy as np

from slidebench.harness.machine.cpu import describe
from slidebench.harness.records.schema import Absent, Build, Record, Samples
from slidebench.harness.workloads import Lookup, perft_workloads
from slidebench.kernels import Choice
from slidebench.kernels.features import Dump


def made_record(
    nodes_per_second: Mapping[Choice, float],
    *,
    absent: Mapping[Choice, str] | None = None,
    failed: Mapping[Choice, str] | None = None,
    brand: str = "Test CPU",
    compiler: str = "gcc 12.2.0",
    scatter: float = 0.002,
    seed: int = 1,
    **changes: object,
) -> Record:
    """A complete record with the given rates on all six positions: 6 launches of 5 rounds."""
    rng = np.random.default_rng(seed)
    workloads = perft_workloads()
    machine = describe(Dump({}))
    record = Record(
        started_utc="20261130T120000Z",
        slidebench="0.1.0",
        commit="0123456789ab",
        dirty=False,
        generator="1",
        method="2",
        python="3.11.7",
        machine=type(machine)(
            **{name: getattr(machine, name) for name in machine.__struct_fields__} | {"brand": brand}
        ),
        seed=seed,
        budget_seconds=60.0,
        complete=True,
        workloads=list(workloads),
        absent=[Absent(**asdict(choice), reason=reason) for choice, reason in (absent or {}).items()],
        builds=[
            Build(
                **asdict(choice),
                compiler=compiler,
                flags="-O2",
                table_bytes=8,
                init_nanoseconds=60_000_000,
                verified=failure is None,
                failure=failure,
            )
            for choice, failure in [
                *((choice, None) for choice in nodes_per_second),
                *(failed or {}).items(),
            ]
        ],
        samples=[
            Samples(
                **asdict(choice),
                workload=workload.name,
                operations=workload.nodes,
                launches=[launch for launch in range(6) for _ in range(5)],
                rounds=[*range(5)] * 6,
                cpu_nanoseconds=[
                    round(workload.nodes / rate * 1e9 * (1 + scatter * noise))
                    for noise in rng.standard_normal(30)
                ],
            )
            for choice, rate in nodes_per_second.items()
            for workload in workloads
        ],
    )
    for name, value in changes.items():
        setattr(record, name, value)
    return record


def with_lookups(
    record: Record, nanoseconds: Mapping[str, float], *, working_sets: tuple[int, ...] = ()
) -> Record:
    """The record with queries of every piece in both modes, with the given nanoseconds per query by kernel.

    A dependent query takes four times as long; each larger working set adds 1 ns to a queen query.
    """
    kinds = [
        Lookup(
            name=f"lookup {piece} {mode} tree",
            piece=piece,
            mode=mode,
            stream="tree",
            pairs=1000,
            sha256="0",
        )
        for piece in ("rook", "bishop", "queen")
        for mode in ("throughput", "latency")
    ]
    times = {kind.name: 4.0 if kind.mode == "latency" else 1.0 for kind in kinds}
    added = {kind.name: 0.0 for kind in kinds}
    for step, size in enumerate(working_sets):
        name = f"lookup queen throughput tree beside {size >> 10} KiB"
        kinds.append(msgspec.structs.replace(kinds[4], name=name, working_set_bytes=size))
        times[name], added[name] = 1.0, 1.0 + step
    record.workloads += kinds
    record.samples += [
        Samples(
            **asdict(build.choice),
            workload=kind.name,
            operations=1000,
            launches=[launch for launch in range(6) for _ in range(5)],
            rounds=[*range(5)] * 6,
            cpu_nanoseconds=[
                round(1000 * (nanoseconds[build.kernel] * times[kind.name] + added[kind.name])) + each
                for each in range(30)
            ],
        )
        for build in record.builds
        if build.kernel in nanoseconds and build.failure is None
        for kind in kinds
    ]
    return record
