"""Loading compiled kernels: none is imported unless this machine can run it."""

import importlib
import shutil
import tempfile
from functools import cache
from importlib.machinery import ExtensionFileLoader
from importlib.util import find_spec, module_from_spec, spec_from_file_location

from slidebench.kernels import catalogue
from slidebench.kernels.errors import UnavailableError
from slidebench.kernels.kernel import Kernel
from slidebench.kernels.registry import Choice, Selection, why_not


def load(kernel: str | None = None, level: str | None = None, popcount: str | None = None) -> Kernel:
    """The compiled kernel; `Selection.best` chooses the names that are left out.

    Raises UnavailableError, before anything is imported, if there is no such kernel or this machine cannot
    run it; DestructiveCollision if its tables cannot be built.
    """
    return load_choice(Selection(kernel, level, popcount).best())


@cache
def load_choice(choice: Choice) -> Kernel:
    """The compiled kernel of a Choice. Raises as `load` does."""
    return Kernel(choice, importlib.import_module(_module_name(choice)))


def load_copy(choice: Choice) -> Kernel:
    """Another instance of a compiled kernel, with code and tables at other addresses.

    Raises as `load` does, and ImportError if the directory of temporary files is mounted noexec.
    """
    name = _module_name(choice)
    original = find_spec(name)
    if original is None or original.origin is None:
        raise ImportError(f"{name} has no file")
    with tempfile.TemporaryDirectory() as folder:  # dlopen returns the same library for the same path
        copy = shutil.copy(original.origin, folder)
        loader = ExtensionFileLoader(name, copy)
        spec = spec_from_file_location(loader.name, copy, loader=loader)
        assert spec is not None
        module = module_from_spec(spec)
        loader.exec_module(module)
    return Kernel(choice, module)


def _module_name(choice: Choice) -> str:
    """The name to import a kernel by. Raises UnavailableError if this machine cannot run it."""
    reason = why_not(choice.kernel, choice.level, choice.popcount)
    if reason:
        raise UnavailableError(f"{choice.kernel} at {choice.level}: {reason}")
    return f"slidebench.kernels.built.{catalogue.module_name(choice.kernel, choice.popcount, choice.level)}"
