"""Fixtures that more than one test module uses."""

from collections.abc import Callable
from pathlib import Path

import pytest
from slidebench.harness.system import System
from slidebench.kernels.features import Dump

Leaves = dict[tuple[int, int], tuple[int, int, int, int]]


@pytest.fixture(scope="session")
def recorded() -> Callable[[str], Dump]:
    """The dump recorded in tests/machines under a name."""

    def dump(name: str) -> Dump:
        return Dump.from_json((Path(__file__).parent / "machines" / f"{name}.json").read_text())

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
