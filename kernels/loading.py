"""Loading compiled kernels: nothing is imported before it is certain that this machine can run it."""

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
    """The compiled kernel; names that are not given are chosen by `Selection.best`.

    Raises UnavailableError if it does not exist or this machine cannot run it, before anything is imported;
    DestructiveCollision if its tables cannot be built.
    """
    return load_choice(Selection(kernel, level, popcount).best())


@cache
def load_choice(choice: Choice) -> Kernel:
    """The compiled kernel of a Choice; raises as `load` does."""
    return Kernel(choice, importlib.import_module(_module_name(choice)))


def load_copy(choice: Choice) -> Kernel:
    """Another instance of a compiled kernel, code and tables elsewhere in memory; raises as `load` does.

    ImportError where the folder of temporary files may not hold code that runs.
    """
    name = _module_name(choice)
    original = find_spec(name)
    if original is None or original.origin is None:
        raise ImportError(f"{name} has no file")
    with tempfile.TemporaryDirectory() as folder:  # a file of its own: the loader knows files, not names
        copy = shutil.copy(original.origin, folder)
        loader = ExtensionFileLoader(name, copy)
        spec = spec_from_file_location(loader.name, copy, loader=loader)
        assert spec is not None
        module = module_from_spec(spec)
        loader.exec_module(module)
    return Kernel(choice, module)


def _module_name(choice: Choice) -> str:
    """Where the kernel is to be imported from, once it is sure that this machine can run it."""
    reason = why_not(choice.kernel, choice.level, choice.popcount)
    if reason:
        raise UnavailableError(f"{choice.kernel} at {choice.level}: {reason}")
    return f"slidebench.kernels.built.{catalogue.module_name(choice.kernel, choice.popcount, choice.level)}"
