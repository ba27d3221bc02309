"""Batches of queries from the tree streams, for every kernel `name`, `level` and `query`."""

import pytest

from slidebench import kernels
from slidebench.harness.run.streams import query_streams

BATCH_NANOSECONDS = 1_200_000  # a clock reading costs about 400 ns


class Batch:
    """As many iterations over a stream of queries as take a kernel a little more than a millisecond."""

    def __init__(self, kernel, piece, order, stream):
        self.piece, self.order, self.stream = piece, order, stream
        self._queries = kernel.queries(stream.squares, stream.occupancies)
        self.iterations = -(-BATCH_NANOSECONDS // self._queries.time(piece, order, 1))
        self.queries = self.iterations * len(stream.squares)

    def nanoseconds(self):
        """Thread CPU time of one batch, measured inside the compiled module."""
        return self._queries.time(self.piece, self.order, self.iterations)


@pytest.fixture(scope="session")
def streams():
    return {piece: stream for (name, piece), stream in query_streams().items() if name == "tree"}


@pytest.fixture(params=kernels.levels())
def level(request):
    return request.param


@pytest.fixture(
    params=[f"{piece} {order}" for piece in kernels.PIECES for order in ("throughput", "latency")]
)
def query(request):
    return request.param


@pytest.fixture
def kernel(name, level):
    if name not in kernels.names():
        pytest.skip(f"no kernel {name}")
    reason = kernels.why_not(name, level)
    if reason:
        pytest.skip(f"{name} at {level}: {reason}")
    return kernels.load(name, level, "builtin")


@pytest.fixture
def batch(kernel, query, streams):
    piece, order = query.split()
    return Batch(kernel, piece, order, streams[piece])


def pytest_benchmark_update_machine_info(machine_info):
    """Keep the host name out of saved files."""
    machine_info.pop("node", None)
