"""The machine code of a kernel's lookup: its timed loop over rook queries, as built here."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from slidebench import kernels
from slidebench.kernels import catalogue

LOOP = "rook_throughput"


class Symbol(NamedTuple):
    """A function or variable of a built module; `code` is empty for what holds no bytes in the file."""

    address: int
    size: int
    code: bytes


class Listing(NamedTuple):
    """A disassembled function."""

    choice: kernels.Choice
    compiler: str
    lines: list[str]
    mnemonics: list[str]


class UnreadableError(RuntimeError):
    """Machine code that cannot be shown; the message says why."""


def listing(choice: kernels.Choice) -> Listing:
    """The timed loop over rook queries of a built module. Raises UnreadableError where there is none."""
    try:
        import iced_x86  # noqa: PLC0415 - an extra
    except ImportError:
        raise UnreadableError("the disassembler is not installed: pip install iced-x86 pyelftools") from None
    found = symbols(choice)
    if LOOP not in found:
        raise UnreadableError(f"the module of {choice} has no symbol for its lookups")
    loop = found[LOOP]
    names = {symbol.address - loop.address: name for name, symbol in found.items()}  # seen from the loop
    formatter = iced_x86.Formatter(iced_x86.FormatterSyntax.INTEL)
    formatter.branch_leading_zeros = False
    formatter.hex_prefix, formatter.hex_suffix = "0x", ""
    formatter.uppercase_hex = False
    formatter.space_after_operand_separator = True
    lines, mnemonics = [], []
    for instruction in iced_x86.Decoder(64, loop.code, ip=0):
        relative = instruction.near_branch_target or (
            instruction.ip_rel_memory_address if instruction.is_ip_rel_memory_operand else 0
        )
        name = names.get(_signed(relative)) if relative else None
        comment = f"    ; {name}" if name else ""
        lines.append(f"{instruction.ip:5x}  {formatter.format(instruction)}{comment}")
        mnemonics.append(formatter.format_mnemonic(instruction))
    return Listing(choice, _compiler(choice), lines, mnemonics)


def listings(kernel: str) -> tuple[list[Listing], str]:
    """The loop at the lowest and the highest built level, and why there is none otherwise."""
    levels = [level for level in kernels.levels() if not catalogue.too_low(kernel, level)]
    found, reason = [], ""
    for level in dict.fromkeys((*levels[:1], *levels[-1:])):
        try:
            found.append(listing(kernels.Choice(kernel, level, "builtin")))
        except UnreadableError as error:
            reason = str(error)
    return found, reason


@cache
def symbols(choice: kernels.Choice) -> dict[str, Symbol]:
    """Symbols of a built module by their names in the source. Raises UnreadableError if it cannot be read."""
    try:
        from elftools.common.exceptions import ELFError  # noqa: PLC0415
        from elftools.elf.elffile import ELFFile  # noqa: PLC0415
    except ImportError:
        raise UnreadableError("the reader of symbols is not installed: pip install pyelftools") from None
    module = catalogue.module_name(choice.kernel, choice.popcount, choice.level)
    spec = find_spec(f"{kernels.__name__}.built.{module}")
    if spec is None or spec.origin is None:
        raise UnreadableError(f"{choice} is not built here")
    try:
        with Path(spec.origin).open("rb") as file:
            elf = ELFFile(file)
            table: Any = elf.get_section_by_name(".symtab")
            return {
                symbol.name.rpartition(f"{choice.kernel}_{choice.popcount}_")[2]: _symbol(elf, symbol)
                for symbol in (table.iter_symbols() if table else ())
                if symbol["st_size"] and isinstance(symbol["st_shndx"], int)
            }
    except ELFError:
        raise UnreadableError(f"{Path(spec.origin).name} is not an ELF file") from None


def _signed(bits: int) -> int:
    """A 64-bit address as a distance."""
    return bits - (1 << 64) if bits >> 63 else bits


def _symbol(elf: Any, symbol: Any) -> Symbol:
    section = elf.get_section(symbol["st_shndx"])
    address, size = symbol["st_value"], symbol["st_size"]
    start = address - section["sh_addr"]
    code = section.data()[start : start + size] if section["sh_type"] == "SHT_PROGBITS" else b""
    return Symbol(address, size, code)


def _compiler(choice: kernels.Choice) -> str:
    """The compiler of a build, where this machine can load it to ask."""
    if kernels.why_not(choice.kernel, choice.level, choice.popcount):
        return ""
    return kernels.load_choice(choice).compiler
