"""Fixtures that more than one test module uses."""

import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from paths import TESTS
from toys import Toy

from slidebench import kernels
from slidebench.harness.machine.system import System
from slidebench.kernels.features import Dump

# A shell has what it starts in the background ignore Ctrl-C, and so would all that tests start.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

WRONG_MAGICS = """
include "magics.pxi"

cdef u64 mask_of(int piece, int square) noexcept:
    return relevant_mask(piece, square)

cdef u64 magic_of(int piece, int square) except? 0:
    return MAGICS[piece][square] ^ (1 if piece == ROOK and square == 27 else 0)
"""

Leaves = dict[tuple[int, int], tuple[int, int, int, int]]


@pytest.fixture(scope="session")
def recorded() -> Callable[[str], Dump]:
    """The dump recorded in tests/machines under a name."""

    def dump(name: str) -> Dump:
        return Dump.from_json((TESTS / "machines" / f"{name}.json").read_text())

    return dump


@pytest.fixture(scope="session")
def bare() -> Callable[..., Dump]:
    """A dump of vendor, signature (leaf 1's eax) and the leaves given, nothing else."""

    def dump(vendor: str, signature: int, leaves: Leaves | None = None) -> Dump:
        ebx, edx, ecx = (int.from_bytes(vendor.encode()[at : at + 4], "little") for at in (0, 4, 8))
        return Dump({(0, 0): (7, ebx, ecx, edx), (1, 0): (signature, 0, 0, 0)} | (leaves or {}))

    return dump


@pytest.fixture(scope="session")
def write_system() -> Callable[..., System]:
    """Files of /sys and /proc under a folder; "__" in a name stands for "/"."""

    def write(root: Path, **files: str) -> System:
        for name, text in files.items():
            path = root / name.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{text}\n")
        return System(root)

    return write


@pytest.fixture(scope="session")
def runnable() -> list[kernels.Choice]:
    """Every kernel, level and popcount that this machine can run."""
    return kernels.Selection().runnable()


@pytest.fixture(scope="session")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Toy:
    """A copy of the package with two wrong kernels beside the right ones.

    `blind` overlooks a blocker on e4; `colliding` has one wrong magic.
    """
    toy = Toy(tmp_path_factory.mktemp("toy"))
    sliders = Path(kernels.__file__).parent / "sliders"
    ray_loop = (sliders / "ray_loop.pxi").read_text()
    toy.add("blind", ray_loop.replace("if target & occupied:", "if target & occupied & ~bit(28):"))
    magic = (sliders / "magic_fancy.pxi").read_text()
    toy.add("colliding", magic.replace('include "stored_magics.pxi"', WRONG_MAGICS))
    return toy
