"""The innermost loop of a built module's timed function, as assembly for a pipeline model.

Only a loop without branches can be modelled: one query is one trip. A load folded into another instruction is
written as a load and that instruction, because llvm-mca lets the whole of it wait for operands that only the
second half needs: chains come out 3 to 4 cycles too long.
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
    """A loop that no model can follow; the message says which and why."""


def query_loop(choice: Choice, function: str) -> list[str]:
    """The loop of `rook_latency` or another timed function, one instruction a line, in AT&T syntax.

    The module is read, not run: it may need another CPU. Raises LoopError for a loop that branches, and
    UnavailableError for a module that is not built.
    """
    return assembly(_straight_loop(_code(choice, function), f"{choice}: {function}"))


def assembly(loop: list[iced_x86.Instruction]) -> list[str]:
    """The instructions with every folded load split off; where the jump at the end goes means nothing."""
    used = {
        _REGISTERS[iced_x86.RegisterExt.full_register(one.register)]
        for each in loop
        for one in _INFORMATION.info(each).used_registers()
    }
    lines = [line for instruction in loop[:-1] for line in _split(instruction, used)]
    return [*lines, f"{MNEMONICS[loop[-1].mnemonic]} 0"]


def _code(choice: Choice, function: str) -> list[iced_x86.Instruction]:
    found = module_symbols(choice)
    if function not in found:
        raise UnavailableError(
            f"{module_name(choice)} has no symbol for {function}: build it without stripping symbols"
        )
    return list(iced_x86.Decoder(64, found[function].code, ip=found[function].address))


def _straight_loop(code: list[iced_x86.Instruction], name: str) -> list[iced_x86.Instruction]:
    """The loop over the stream: without branches, and it reads a square, the only byte in a query."""
    places = {instruction.ip: place for place, instruction in enumerate(code)}
    for last, jump in enumerate(code):
        first = places.get(jump.near_branch_target, last + 1)
        body = code[first : last + 1]
        straight = all(each.flow_control == iced_x86.FlowControl.NEXT for each in body[:-1])
        if body and straight and any(each.memory_size == iced_x86.MemorySize.UINT8 for each in body):
            return body
    raise LoopError(f"{name} branches within a query: a static model cannot follow it")


def _split(instruction: iced_x86.Instruction, used: set[str]) -> list[str]:
    """The instruction, after a load of its own if it reads memory besides doing something."""
    text = _FORMATTER.format(instruction)
    accesses = [one.access for one in _INFORMATION.info(instruction).used_memory()]
    if MNEMONICS[instruction.mnemonic].startswith(_LOADS) or accesses != [iced_x86.OpAccess.READ]:
        return [text]
    place = next(each for each in range(instruction.op_count) if instruction.op_kind(each) == _MEMORY)
    memory = _FORMATTER.format_operand(instruction, _FORMATTER.get_formatter_operand(instruction, place) or 0)
    load, register = _load(instruction, memory.partition("{")[0], used)
    return [load, text.replace(memory, register)]


def _load(instruction: iced_x86.Instruction, memory: str, used: set[str]) -> tuple[str, str]:
    """A load as wide as the instruction's, and the free register that takes the place of memory."""
    bytes_ = iced_x86.MemorySizeExt.size(instruction.memory_size)
    result = instruction.op_register(0)
    if not iced_x86.RegisterExt.is_vector_register(result):
        free = next((name for name in _SPARE if name not in used), _SPARE[0])
        return f"{_LOAD[bytes_]} {memory}, %{free}{_PART[max(bytes_, 4)]}", f"%{free}{_PART[bytes_]}"
    number = next((each for each in reversed(range(16)) if f"zmm{each}" not in used), 15)
    if instruction.is_broadcast:
        element = "q" if bytes_ == 8 else "d"
        register = f"%{_VECTORS[iced_x86.RegisterExt.size(result)]}{number}"
        return f"vpbroadcast{element} {memory}, {register}", register
    prefix = "" if instruction.encoding == iced_x86.EncodingKind.LEGACY else "v"
    suffix = "64" if bytes_ == 64 else ""
    register = f"%{_VECTORS[bytes_]}{number}"
    return f"{prefix}movdqu{suffix} {memory}, {register}", register
