"""The innermost loop of a built module's timed function, as assembly for a pipeline model.

Only a loop without branches can be modelled: one iteration is one query. A load folded into another
instruction is split off, because llvm-mca makes the whole instruction wait for operands that only its second
half needs, which makes dependency chains 3 to 4 cycles too long.
"""

import iced_x86

from slidebench.harness.code.elf import module_name, module_symbols
from slidebench.harness.code.mnemonics import MNEMONICS
from slidebench.kernels import Choice, UnavailableError

_FORMATTER = iced_x86.Formatter(iced_x86.FormatterSyntax.GAS)
_FORMATTER.rip_relative_addresses = True
_INFORMATION = iced_x86.InstructionInfoFactory()
_REGISTERS = {
    value: name.lower() for name, value in vars(iced_x86.Register).items() if isinstance(value, int)
}
_SPARE = ("r15", "r14", "r13", "r12", "r11", "r10", "r9", "r8")
_PART = {1: "b", 2: "w", 4: "d", 8: ""}  # of a spare register
_LOAD = {1: "movzbl", 2: "movzwl", 4: "mov", 8: "mov"}
_VECTORS = {16: "xmm", 32: "ymm", 64: "zmm"}
_LOADS = ("mov", "vmov", "vbroadcast", "vpbroadcast", "vpmovzx", "vpmovsx", "kmov")  # these only load
_MEMORY = iced_x86.OpKind.MEMORY


class LoopError(UnavailableError):
    """A loop that a static model cannot follow."""


def query_loop(choice: Choice, function: str) -> list[str]:
    """The loop of a timed function such as `rook_latency`: one instruction per line, in AT&T syntax.

    The module is read, not run, so it may be for another CPU. Raises LoopError for a loop that branches, and
    UnavailableError for a module that is not built.
    """
    return assembly(_straight_loop(_code(choice, function), f"{choice}: {function}"))


def assembly(loop: list[iced_x86.Instruction]) -> list[str]:
    """A loop in AT&T syntax, every folded load split off. The target of the final jump is a placeholder."""
    used = {
        _REGISTERS[iced_x86.RegisterExt.full_register(use.register)]
        for instruction in loop
        for use in _INFORMATION.info(instruction).used_registers()
    }
    lines = [line for instruction in loop[:-1] for line in _split(instruction, used)]
    return [*lines, f"{MNEMONICS[loop[-1].mnemonic]} 0"]


def _code(choice: Choice, function: str) -> list[iced_x86.Instruction]:
    symbols = module_symbols(choice)
    if function not in symbols:
        raise UnavailableError(
            f"{module_name(choice)} has no symbol for {function}: build it without stripping symbols"
        )
    return list(iced_x86.Decoder(64, symbols[function].code, ip=symbols[function].address))


def _straight_loop(code: list[iced_x86.Instruction], name: str) -> list[iced_x86.Instruction]:
    """The loop over the stream: it has no branches, and it reads a square, the only byte of a query."""
    indices = {instruction.ip: index for index, instruction in enumerate(code)}
    for last, jump in enumerate(code):
        first = indices.get(jump.near_branch_target, last + 1)
        body = code[first : last + 1]
        straight = all(each.flow_control == iced_x86.FlowControl.NEXT for each in body[:-1])
        if body and straight and any(each.memory_size == iced_x86.MemorySize.UINT8 for each in body):
            return body
    raise LoopError(f"{name} branches within a query: a static model cannot follow it")


def _split(instruction: iced_x86.Instruction, used: set[str]) -> list[str]:
    """The instruction; if it also loads from memory, that load and then the instruction on a register."""
    text = _FORMATTER.format(instruction)
    accesses = [use.access for use in _INFORMATION.info(instruction).used_memory()]
    if MNEMONICS[instruction.mnemonic].startswith(_LOADS) or accesses != [iced_x86.OpAccess.READ]:
        return [text]
    operand = next(n for n in range(instruction.op_count) if instruction.op_kind(n) == _MEMORY)
    memory = _FORMATTER.format_operand(
        instruction, _FORMATTER.get_formatter_operand(instruction, operand) or 0
    )
    load, register = _load(instruction, memory.partition("{")[0], used)
    return [load, text.replace(memory, register)]


def _load(instruction: iced_x86.Instruction, memory: str, used: set[str]) -> tuple[str, str]:
    """A load as wide as the instruction's, and the free register it loads into."""
    bytes_ = iced_x86.MemorySizeExt.size(instruction.memory_size)
    result = instruction.op_register(0)
    if not iced_x86.RegisterExt.is_vector_register(result):
        free = next((name for name in _SPARE if name not in used), _SPARE[0])
        return f"{_LOAD[bytes_]} {memory}, %{free}{_PART[max(bytes_, 4)]}", f"%{free}{_PART[bytes_]}"
    number = next((n for n in reversed(range(16)) if f"zmm{n}" not in used), 15)
    if instruction.is_broadcast:
        element = "q" if bytes_ == 8 else "d"
        register = f"%{_VECTORS[iced_x86.RegisterExt.size(result)]}{number}"
        return f"vpbroadcast{element} {memory}, {register}", register
    prefix = "" if instruction.encoding == iced_x86.EncodingKind.LEGACY else "v"
    suffix = "64" if bytes_ == 64 else ""
    register = f"%{_VECTORS[bytes_]}{number}"
    return f"{prefix}movdqu{suffix} {memory}, {register}", register
