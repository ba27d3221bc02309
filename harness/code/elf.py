"""Symbols of a built module, read from its file and never loaded: it may be for another CPU."""

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
    """A function or variable. `code` is empty for symbols without bytes in the file (zeroed tables)."""

    address: int
    size: int
    is_function: bool
    code: bytes


def module_name(choice: Choice) -> str:
    """The name of the compiled module of a choice."""
    return catalogue.module_name(choice.kernel, choice.popcount, choice.level)


@cache
def module_symbols(choice: Choice) -> dict[str, Symbol]:
    """`symbols` of a built module. Raises UnavailableError if it is not built or cannot be read."""
    return symbols(built_path(choice))


def built_path(choice: Choice) -> Path:
    """The file of a built module. Raises UnavailableError, with the reason, if it is not built."""
    if choice.module_path is None:
        reason = kernels.why_not(choice.kernel, choice.level, choice.popcount) or "its file is missing"
        raise UnavailableError(f"{choice.kernel} at {choice.level}: {reason}")
    return choice.module_path


def symbols(path: Path) -> dict[str, Symbol]:
    """Symbols of a module by their name in the source.

    Symbols without a size are left out: they are the C library's start-up code. Raises UnavailableError for a
    file that is not x86-64 ELF.
    """
    try:
        with path.open("rb") as file:
            elf = ELFFile(file)
            if elf["e_machine"] != "EM_X86_64":
                raise UnavailableError(f"{path.name} is not x86-64 code: expected a module built for x86-64")
            table = elf.get_section_by_name(".symtab")
            sections = [
                (section["sh_addr"], section.data() if section["sh_type"] == "SHT_PROGBITS" else b"")
                for section in elf.iter_sections()
            ]
            by_name = {}
            for symbol in table.iter_symbols() if isinstance(table, SymbolTableSection) else ():
                if symbol["st_size"] and isinstance(symbol["st_shndx"], int):
                    base, content = sections[symbol["st_shndx"]]
                    start = symbol["st_value"] - base
                    by_name[_source_name(symbol.name)] = Symbol(
                        symbol["st_value"],
                        symbol["st_size"],
                        symbol["st_info"]["type"] == "STT_FUNC",
                        content[start : start + symbol["st_size"]],
                    )
            return by_name
    except ELFError:
        raise UnavailableError(f"{path.name} is not an ELF file: expected a module built for Linux") from None


def _source_name(symbol: str) -> str:
    """The name in the source: `perft` for `__pyx_f_12pext_builtin_perft`; compilers' suffixes are kept."""
    mangled = re.match(r"__pyx_[fv]_(\d+)", symbol)
    return symbol[mangled.end() + int(mangled[1]) + 1 :] if mangled else symbol
