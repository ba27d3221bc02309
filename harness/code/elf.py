"""What a built module consists of, read from its file and never loaded: it may be for another CPU."""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from slidebench import kernels
from slidebench.kernels import Choice, UnavailableError, catalogue


class Symbol(NamedTuple):
    """A function or variable; `code` is empty for what holds no bytes in the file."""

    address: int
    size: int
    is_function: bool
    code: bytes


def module_name(choice: Choice) -> str:
    """The name of the compiled module of a choice."""
    return catalogue.module_name(choice.kernel, choice.popcount, choice.level)


@cache
def module_symbols(choice: Choice) -> dict[str, Symbol]:
    """The `symbols` of a built module. Raises UnavailableError if it is not built or cannot be read."""
    return symbols(built_path(choice))


def built_path(choice: Choice) -> Path:
    """The file of a built module. Raises UnavailableError if there is none."""
    if choice.module_path is None:
        reason = kernels.why_not(choice.kernel, choice.level, choice.popcount) or "its file is gone"
        raise UnavailableError(f"{choice.kernel} at {choice.level}: {reason}")
    return choice.module_path


def symbols(path: Path) -> dict[str, Symbol]:
    """Everything with a size in a module's symbol table, by its name in the source.

    The C library's start-up code has none. Raises UnavailableError for a file that is not x86-64 ELF.
    """
    try:
        with path.open("rb") as file:
            elf = ELFFile(file)
            if elf["e_machine"] != "EM_X86_64":
                raise UnavailableError(f"{path.name} is code of another machine: only x86-64 is read")
            table = elf.get_section_by_name(".symtab")
            sections = [
                (each["sh_addr"], each.data() if each["sh_type"] == "SHT_PROGBITS" else b"")
                for each in elf.iter_sections()
            ]
            found = {}
            for symbol in table.iter_symbols() if isinstance(table, SymbolTableSection) else ():
                if symbol["st_size"] and isinstance(symbol["st_shndx"], int):
                    base, content = sections[symbol["st_shndx"]]
                    start = symbol["st_value"] - base
                    found[_source_name(symbol.name)] = Symbol(
                        symbol["st_value"],
                        symbol["st_size"],
                        symbol["st_info"]["type"] == "STT_FUNC",
                        content[start : start + symbol["st_size"]],
                    )
            return found
    except ELFError:
        raise UnavailableError(
            f"{path.name} is not an ELF file: only modules built for Linux are read"
        ) from None


def _source_name(symbol: str) -> str:
    """`perft` for Cython's `__pyx_f_12pext_builtin_perft`, compilers' suffixes left on."""
    mangled = re.match(r"__pyx_[fv]_(\d+)", symbol)
    return symbol[mangled.end() + int(mangled[1]) + 1 :] if mangled else symbol
