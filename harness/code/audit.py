"""What a built module really consists of: the instructions of its functions, against what was promised.

Three promises are checked in the machine code, so they hold on any CPU that runs it:

- No function uses an instruction beyond the module's level and the features its kernel needs besides.
- Timed code has the instructions that the headers of its slider and popcount files declare with `contains`,
  and none that they declare with `lacks`. `popcnt from v2` declares one for levels from v2 up.

Timed code is what `perft` and the timed loops over queries reach by calls.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import iced_x86
import msgspec

from slidebench import kernels
from slidebench.harness.code import elf
from slidebench.harness.code.mnemonics import MNEMONICS
from slidebench.harness.workloads import ORDERS
from slidebench.kernels import Choice, UnavailableError, catalogue

PERFT = "perft"
TIMED = (
    PERFT,
    *(f"{piece}_{order}" for piece in kernels.PIECES for order in ORDERS),
    *("queen_batch", "queen_with_working_set", "working_set_alone"),
)

# What every x86-64 CPU has, in the disassembler's terms.
_BASELINE = {
    *("INTEL8086", "INTEL186", "INTEL286", "INTEL386", "INTEL486", "X64", "FPU", "FPU287", "FPU387"),
    *("CMOV", "CPUID", "CX8", "FXSR", "MMX", "MULTIBYTENOP", "PAUSE", "SSE", "SSE2", "SYSCALL", "TSC"),
}
# Beyond a level by its name, harmless in fact.
_HARMLESS = {
    "tzcnt": "compilers write BSF as REP BSF, which older CPUs run as BSF: equal for all inputs but zero",
    "endbr64": "a NOP on CPUs without CET",
}
_EXEMPT_FUNCTIONS = {
    "__cpu_indicator_init": "the support library's CPU detection: it asks CPUID before it runs XGETBV",
}
# A CPU feature where the disassembler's name is not simply its upper case.
_FEATURE_NAMES = {"cx16": "CMPXCHG16B", "osxsave": "XSAVE"}
# Instructions whose extension the disassembler has no name for: it counts these as the 8086's, but the first
# x86-64 CPUs lacked them in 64-bit code.
_UNNAMED = dict.fromkeys(("lahf", "sahf"), frozenset({"LAHF_LM"}))


class Violation(msgspec.Struct, frozen=True):
    """A broken promise. `address` is that of the first such instruction; None for one that is missing."""

    module: str
    level: str
    function: str
    instruction: str
    address: int | None
    reason: str

    def __str__(self) -> str:
        where = "" if self.address is None else f" at {self.address:#x}"
        return f"{self.module}: {self.function}: {self.instruction}{where}: {self.reason}"


class TimedFunction(msgspec.Struct, frozen=True):
    """One function of the timed code: ISA extensions it uses, and its instructions' number and digest."""

    name: str
    extensions: tuple[str, ...]
    instructions: int
    sha256: str  # of the mnemonics in order: addresses move with every build, these do not


class Audit(msgspec.Struct, frozen=True):
    """What one module consists of, and every promise it breaks."""

    choice: Choice
    timed: tuple[TimedFunction, ...]
    violations: tuple[Violation, ...]

    @property
    def extensions(self) -> tuple[str, ...]:
        """All ISA extensions of the timed code."""
        return tuple(sorted({extension for function in self.timed for extension in function.extensions}))


class Kind(NamedTuple):
    """A kind of instruction: its mnemonic, and the ISA extensions it needs all of."""

    mnemonic: str
    needs: frozenset[str]


@dataclass(frozen=True)
class Function:
    """One decoded function: instructions in order, the first address of each kind, addresses mentioned."""

    name: str
    address: int
    sequence: tuple[str, ...]
    first: dict[Kind, int]
    mentions: frozenset[int]

    @property
    def mnemonics(self) -> frozenset[str]:
        return frozenset(kind.mnemonic for kind in self.first)


def audit(choice: Choice) -> Audit:
    """Audit one built module. Raises UnavailableError if it is not built or cannot be read."""
    return examine(elf.built_path(choice), choice)


def audit_digest(audited: Audit) -> str:
    """SHA-256 (hex) of an audit: equal for modules of the same timed mnemonics and the same verdict."""
    return hashlib.sha256(msgspec.json.encode(audited)).hexdigest()


def examine(path: Path, choice: Choice) -> Audit:
    """Judge the module at `path` by the promises of `choice`.

    Raises UnavailableError for a file that cannot be read, or has no symbols.
    """
    functions = read_functions(path)
    for name in TIMED:
        if not _versions(functions, name):
            raise UnavailableError(
                f"{path.name} has no symbol for {name}: build it without stripping symbols"
            )
    timed = _reached(functions, *TIMED)
    violations = [
        *(violation for function in functions.values() for violation in _beyond(function, choice)),
        *_undeclared(functions, timed, choice),
    ]
    return Audit(
        choice,
        tuple(_summary(functions[name]) for name in sorted(timed)),
        tuple(sorted(violations, key=lambda each: (each.function, each.instruction))),
    )


def read_functions(path: Path) -> dict[str, Function]:
    """Every function of a module, decoded, by its name in the source. Raises as `examine`."""
    return {
        name: _decoded(name, symbol.address, symbol.code)
        for name, symbol in elf.symbols(path).items()
        if symbol.is_function
    }


_EXTENSIONS = {value: name for name, value in vars(iced_x86.CpuidFeature).items() if isinstance(value, int)}
_kinds: dict[int, Kind] = {}  # by the disassembler's number for an encoding


def _decoded(name: str, address: int, code: bytes) -> Function:
    sequence: list[int] = []
    addresses: dict[int, int] = {}
    mentions: set[int] = set()
    decoder = iced_x86.Decoder(64, code, ip=address)
    instruction = iced_x86.Instruction()
    while decoder.can_decode:
        decoder.decode_out(instruction)
        encoding = instruction.code
        sequence.append(encoding)
        if encoding not in addresses:
            addresses[encoding] = instruction.ip
            if encoding not in _kinds:
                mnemonic = MNEMONICS[instruction.mnemonic]
                named = {_EXTENSIONS[feature] for feature in instruction.cpuid_features()}
                _kinds[encoding] = Kind(mnemonic, _UNNAMED.get(mnemonic, frozenset(named)))
        mentions.add(instruction.near_branch_target)
        if instruction.is_ip_rel_memory_operand:
            mentions.add(instruction.ip_rel_memory_address)
    first: dict[Kind, int] = {}
    for known, at in addresses.items():
        first.setdefault(_kinds[known], at)
    return Function(
        name, address, tuple(_kinds[each].mnemonic for each in sequence), first, frozenset(mentions)
    )


def _versions(functions: dict[str, Function], name: str) -> list[str]:
    """All there is of a function: compilers append how they changed it, as in `queen_batch.isra.0`."""
    return [each for each in functions if each.partition(".")[0] == name]


def _reached(functions: dict[str, Function], *roots: str) -> set[str]:
    """The roots and every function they call, jump to or take the address of, directly or not."""
    names = {function.address: name for name, function in functions.items()}
    reached: set[str] = set()
    waiting = [each for root in roots for each in _versions(functions, root)]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += [names[address] for address in functions[name].mentions if address in names]
    return reached


def _allowed(choice: Choice) -> set[str]:
    features = (*catalogue.level_features(choice.level), *kernels.describe(choice.kernel).extra_features)
    return {*_BASELINE, *(_FEATURE_NAMES.get(feature, feature.upper()) for feature in features)}


def _beyond(function: Function, choice: Choice) -> Iterator[Violation]:
    """Instructions that the level does not have, one violation for each mnemonic of a function."""
    if function.name in _EXEMPT_FUNCTIONS:
        return
    allowed = _allowed(choice)
    for kind, address in function.first.items():
        missing = kind.needs - allowed
        if missing and kind.mnemonic not in _HARMLESS:
            reason = f"beyond {choice.level}, it needs {' and '.join(sorted(missing))}"
            yield Violation(
                elf.module_name(choice), choice.level, function.name, kind.mnemonic, address, reason
            )


def _undeclared(functions: dict[str, Function], timed: set[str], choice: Choice) -> Iterator[Violation]:
    """Instructions that perft lacks or timed code has against the headers."""
    # Names with two underscores are the support library's: its multiplications are not the kernel's.
    own = [name for name in _reached(functions, PERFT) if not name.startswith("__")]
    in_perft = {mnemonic for name in own for mnemonic in functions[name].mnemonics}
    for source in (kernels.describe(choice.kernel), catalogue.popcounts()[choice.popcount]):
        for wanted in catalogue.declared(source.contains, choice.level):
            if not in_perft & _encodings(wanted):
                reason = f"missing at {choice.level}, {source.name} declares that it contains it"
                yield Violation(elf.module_name(choice), choice.level, PERFT, wanted, None, reason)
        for unwanted in catalogue.declared(source.lacks, choice.level):
            for name in sorted(timed):
                for kind, address in functions[name].first.items():
                    if kind.mnemonic in _encodings(unwanted):
                        reason = f"present at {choice.level}, {source.name} declares that it lacks it"
                        yield Violation(
                            elf.module_name(choice), choice.level, name, kind.mnemonic, address, reason
                        )


def _encodings(mnemonic: str) -> set[str]:
    """A mnemonic and its VEX form: gf2p8affineqb is vgf2p8affineqb in code with AVX."""
    return {mnemonic, f"v{mnemonic}"}


def _summary(function: Function) -> TimedFunction:
    needs = {
        extension for kind in function.first for extension in kind.needs if kind.mnemonic not in _HARMLESS
    }
    return TimedFunction(
        function.name,
        tuple(sorted(needs - _BASELINE)),
        len(function.sequence),
        hashlib.sha256(" ".join(function.sequence).encode()).hexdigest(),
    )
