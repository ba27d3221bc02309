"""Disassembly of a kernel's lookup: its timed loop over rook queries, as built on this machine."""

from typing import NamedTuple

import iced_x86

from slidebench import kernels
from slidebench.harness.code.elf import module_symbols
from slidebench.kernels import UnavailableError, catalogue

LOOP = "rook_throughput"


class Listing(NamedTuple):
    """A disassembled function."""

    choice: kernels.Choice
    compiler: str
    lines: list[str]
    mnemonics: list[str]


def listing(choice: kernels.Choice) -> Listing:
    """The timed loop over rook queries of a built module. Raises UnavailableError if it is not built."""
    symbols = module_symbols(choice)
    if LOOP not in symbols:
        raise UnavailableError(f"{choice} has no symbol for its lookups: build it without stripping symbols")
    loop = symbols[LOOP]
    names = {symbol.address - loop.address: name for name, symbol in symbols.items()}  # relative to the loop
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
    return Listing(choice, compiler(choice), lines, mnemonics)


def listings(kernel: str) -> tuple[list[Listing], str]:
    """The loop at the lowest and the highest level; and why a listing is missing, or ""."""
    levels = [level for level in kernels.levels() if not catalogue.too_low(kernel, level)]
    built, reason = [], ""
    for level in dict.fromkeys((*levels[:1], *levels[-1:])):
        try:
            built.append(listing(kernels.Choice(kernel, level, catalogue.BUILTIN)))
        except UnavailableError as error:
            reason = str(error)
    return built, reason


def _signed(bits: int) -> int:
    """A 64-bit address as a signed distance."""
    return bits - (1 << 64) if bits >> 63 else bits


def compiler(choice: kernels.Choice) -> str:
    """The compiler of a build; "" if this machine cannot load the module."""
    if kernels.why_not(choice.kernel, choice.level, choice.popcount):
        return ""
    return kernels.load_choice(choice).compiler
