"""Records made for a test: known rates, known scatter, no machine needed."""

from collections.abc import Mapping

import numpy as np

from slidebench.harness.cpu import describe
from slidebench.harness.records import Absent, Build, Record, Samples
from slidebench.harness.workloads import perft_workloads
from slidebench.kernels.features import Dump

Key = tuple[str, str, str]  # kernel, popcount, level


def made_record(
    nodes_per_second: Mapping[Key, float],
    *,
    absent: Mapping[Key, str] | None = None,
    failed: Mapping[Key, str] | None = None,
    brand: str = "Test CPU",
    compiler: str = "gcc 12.2.0",
    scatter: float = 0.002,
    seed: int = 1,
    **changes: object,
) -> Record:
    """A complete record with the given rates on all six positions: 6 launches of 5 rounds."""
    chance = np.random.default_rng(seed)
    workloads = perft_workloads()
    machine = describe(Dump({}))
    record = Record(
        started_utc="20261130T120000Z",
        slidebench="0.1.0",
        commit="0123456789ab",
        dirty=False,
        generator="1",
        python="3.11.7",
        machine=type(machine)(
            **{name: getattr(machine, name) for name in machine.__struct_fields__} | {"brand": brand}
        ),
        seed=seed,
        budget_seconds=60.0,
        complete=True,
        workloads=list(workloads),
        absent=[
            Absent(kernel=kernel, popcount=popcount, level=level, reason=reason)
            for (kernel, popcount, level), reason in (absent or {}).items()
        ],
        builds=[
            Build(
                kernel=kernel,
                popcount=popcount,
                level=level,
                compiler=compiler,
                flags="-O2",
                table_bytes=8,
                verified=failure is None,
                failure=failure,
            )
            for (kernel, popcount, level), failure in [
                *((key, None) for key in nodes_per_second),
                *(failed or {}).items(),
            ]
        ],
        samples=[
            Samples(
                kernel=kernel,
                popcount=popcount,
                level=level,
                workload=workload.name,
                operations=workload.nodes,
                launches=[launch for launch in range(6) for _ in range(5)],
                rounds=[*range(5)] * 6,
                cpu_nanoseconds=[
                    round(workload.nodes / rate * 1e9 * (1 + scatter * noise))
                    for noise in chance.standard_normal(30)
                ],
            )
            for (kernel, popcount, level), rate in nodes_per_second.items()
            for workload in workloads
        ],
    )
    for name, value in changes.items():
        setattr(record, name, value)
    return record
