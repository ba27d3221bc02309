"""A kernel is as fast as the same algorithm in plain C++, from the same compiler with the same flags."""

import ctypes
import functools
import random
import shutil
import statistics
import subprocess
from pathlib import Path

import pytest

from slidebench import kernels

TWINS = {"magic_fancy": "MagicFancy", "pext": "Pext", "hyperbola": "Hyperbola"}
COMPILERS = {"gcc": "g++", "clang": "clang++"}
MIN_SPEED = 0.95  # of the twin's
ROUNDS = 41

pytestmark = pytest.mark.parametrize("name", TWINS)


class Twin:
    """A compiled C++ twin."""

    def __init__(self, path):
        library = ctypes.CDLL(str(path))
        self._compiler, self._attacks, self._timed = library.compiler, library.attacks, library.timed
        self._compiler.restype = ctypes.c_char_p
        self._attacks.argtypes = ctypes.c_int, ctypes.c_int, ctypes.c_uint64
        self._attacks.restype = ctypes.c_uint64
        self._timed.argtypes = (
            ctypes.c_int, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ssize_t, ctypes.c_ssize_t,
            ctypes.c_uint64,
        )  # fmt: skip
        self._timed.restype = ctypes.c_int64
        library.initialise()

    @property
    def compiler(self):
        return self._compiler().decode().strip()

    def attacks(self, piece, square, occupied):
        return self._attacks(kernels.PIECES.index(piece), square, occupied)

    def nanoseconds(self, batch):
        """Thread CPU time of a kernel's batch in this twin."""
        stream = batch.stream
        return self._timed(
            kernels.PIECES.index(batch.piece), batch.order == "latency", stream.squares, stream.occupancies,
            len(stream.squares), batch.iterations, 0,
        )  # fmt: skip


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """The twin of a kernel with the given name, compiler and flags."""

    @functools.cache
    def twin(name, compiler, flags):
        command = COMPILERS[compiler.split()[0]]
        if shutil.which(command) is None:
            pytest.skip(f"no {command} on this machine")
        library = tmp_path_factory.mktemp(name) / "twin.so"
        source = Path(__file__).with_name("twins.cpp")
        options = ["-std=c++17", *flags.split(), "-shared", "-fPIC", f"-DTWIN={TWINS[name]}"]
        subprocess.run([command, *options, source, "-o", library], check=True)
        return Twin(library)

    return twin


@pytest.fixture
def twin(compiled, kernel, name):
    twin = compiled(name, kernel.compiler, kernel.flags)
    if twin.compiler != kernel.compiler:
        pytest.skip(f"built by {kernel.compiler}, the twin by {twin.compiler}")
    return twin


def test_a_twin_answers_as_the_ray_walk_does(twin, kernel):
    source = random.Random(1)
    for _ in range(2000):
        piece, square = source.choice(kernels.PIECES), source.randrange(64)
        occupied = source.getrandbits(64) & source.getrandbits(64)
        assert twin.attacks(piece, square, occupied) == kernel.oracle(piece, square, occupied)


def test_a_kernel_is_as_fast_as_its_twin(twin, kernel, batch, record_property):
    speeds = []
    for _ in range(ROUNDS):
        # One right after the other, in random order, so that a slow machine slows both.
        nanoseconds = {
            who: twin.nanoseconds(batch) if who == "twin" else batch.nanoseconds()
            for who in random.sample(("twin", "kernel"), 2)
        }
        speeds.append(nanoseconds["twin"] / nanoseconds["kernel"])
    speed = statistics.median(speeds)
    record_property("speed_of_twin", speed)
    assert speed >= MIN_SPEED, f"{kernel.choice}: {batch.piece} {batch.order} at {speed:.3f} of plain C++"
