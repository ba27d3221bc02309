"""Every kernel's queries at every level, with pytest-benchmark: `make benchmarks`.

A call from Python costs 50 ns, more than most queries. The loop and its timing are therefore inside the
compiled module, and pytest-benchmark reads a clock that shows seconds per query.
"""

import pytest

from slidebench import kernels

ROUNDS = 15


class QueryClock:
    """The sum of the seconds per query of all batches so far."""

    seconds = 0.0

    def __call__(self):
        return self.seconds

    def run(self, batch):
        self.seconds += batch.nanoseconds() * 1e-9 / batch.queries


CLOCK = QueryClock()


@pytest.mark.benchmark(timer=CLOCK)
@pytest.mark.parametrize("name", kernels.names())
def test_lookup(benchmark, batch, level):
    benchmark.group = level
    benchmark.pedantic(CLOCK.run, args=(batch,), rounds=ROUNDS, warmup_rounds=1)

    benchmark.extra_info["loops"] = batch.queries
    benchmark.extra_info["stream_sha256"] = batch.stream.sha256
    if benchmark.enabled:
        median_seconds = benchmark.stats.stats.median
        benchmark.extra_info["nanoseconds_per_query"] = median_seconds * 1e9
        benchmark.extra_info["queries_per_second"] = 1 / median_seconds
