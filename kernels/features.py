"""Which instruction sets a CPU has and the operating system lets programs use.

    detect()                     this CPU, from raw CPUID and XCR0
    Features(Dump.from_json(s))  any CPU, from its recorded dump

To record a CPU for the tests, print its dump (it holds no serial number and nothing about the owner):

    python -c "from slidebench.kernels import features; print(features.read_dump().to_json())"

Register layouts: Intel SDM volume 2A, "CPUID"; AMD APM volume 3, appendix E.
"""

import json
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal, NamedTuple

EAX, EBX, ECX, EDX = range(4)

# Bits of XCR0 the operating system must have set: SSE and AVX; then opmask and both upper halves of ZMM.
_AVX, _AVX512 = ("AVX", 0x06), ("AVX-512", 0xE6)

# (leaf, subleaf, register): {bit: name}. Names are gcc's or Linux's, in lower case.
_BITS = {
    (0x1, 0, EDX): {0: "fpu", 8: "cx8", 15: "cmov", 23: "mmx", 24: "fxsr", 25: "sse", 26: "sse2"},
    (0x1, 0, ECX): {
        0: "sse3", 1: "pclmulqdq", 9: "ssse3", 12: "fma", 13: "cx16", 19: "sse4_1", 20: "sse4_2", 22: "movbe",
        23: "popcnt", 25: "aes", 26: "xsave", 27: "osxsave", 28: "avx", 29: "f16c", 31: "hypervisor",
    },
    (0x7, 0, EBX): {
        3: "bmi1", 5: "avx2", 8: "bmi2", 16: "avx512f", 17: "avx512dq", 19: "adx", 21: "avx512_ifma",
        28: "avx512cd", 29: "sha_ni", 30: "avx512bw", 31: "avx512vl",
    },
    (0x7, 0, ECX): {
        1: "avx512_vbmi", 6: "avx512_vbmi2", 8: "gfni", 9: "vaes", 10: "vpclmulqdq", 11: "avx512_vnni",
        12: "avx512_bitalg", 14: "avx512_vpopcntdq",
    },
    (0x7, 0, EDX): {8: "avx512_vp2intersect", 15: "hybrid_cpu", 23: "avx512_fp16"},
    (0x7, 1, EAX): {4: "avx_vnni", 5: "avx512_bf16", 23: "avx_ifma"},
    (0x80000001, 0, EDX): {11: "syscall", 29: "lm"},
    (0x80000001, 0, ECX): {
        0: "lahf_lm", 5: "lzcnt", 6: "sse4a", 11: "xop", 16: "fma4", 21: "tbm", 22: "topoext",
    },
}  # fmt: skip

_NEEDS_AVX_STATE = {"fma", "f16c", "xop", "fma4", "vaes", "vpclmulqdq"}  # besides every avx*

NAMES = frozenset(name for bits in _BITS.values() for name in bits.values())
"""Every feature name this module knows. PEXT has none of its own: it is one of the bmi2 instructions."""


@dataclass(frozen=True)
class Dump:
    """What CPUID answered on one core: `leaves` {(leaf, subleaf): (eax, ebx, ecx, edx)}, and XCR0."""

    leaves: dict[tuple[int, int], tuple[int, int, int, int]]
    xcr0: int = 0

    def __getitem__(self, key: tuple[int, int]) -> tuple[int, int, int, int]:
        """The four registers of (leaf, subleaf); all 0 where the CPU has no such leaf."""
        return self.leaves.get(key, (0, 0, 0, 0))

    def to_json(self) -> str:
        """Text form, numbers in hexadecimal, one leaf a line."""
        leaves = {
            f"{leaf:08x}.{subleaf:x}": " ".join(f"{register:08x}" for register in registers)
            for (leaf, subleaf), registers in sorted(self.leaves.items())
        }
        return json.dumps({"xcr0": f"{self.xcr0:x}", "leaves": leaves}, indent=1)

    @classmethod
    def from_json(cls, text: str) -> "Dump":
        """The dump `to_json` wrote. Raises ValueError for any other text."""
        try:
            data = json.loads(text)
            leaves = {}
            for key, line in data["leaves"].items():
                leaf, subleaf = key.split(".")
                eax, ebx, ecx, edx = (int(register, 16) for register in line.split())
                leaves[int(leaf, 16), int(subleaf, 16)] = eax, ebx, ecx, edx
            return cls(leaves, int(data["xcr0"], 16))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"not a CPUID dump ({error!r}); to record one, see {__name__}") from None


class Pext(NamedTuple):
    """What to expect of the PEXT instruction, and one sentence on why."""

    speed: Literal["fast", "microcoded", "absent", "unknown"]
    reason: str


def pext(vendor: str, family: int, has_bmi2: bool) -> Pext:
    """What the maker's family number says of PEXT: a default, until it is timed on the CPU itself.

    Source: the instruction timings at github.com/InstLatx64/InstLatx64.
    """
    if not has_bmi2:
        return Pext("absent", "this CPU has no bmi2, the set PEXT belongs to")
    match vendor:
        case "AuthenticAMD" if family in (0x15, 0x17):
            cores = "Excavator" if family == 0x15 else "Zen, Zen+ and Zen 2"
            return Pext("microcoded", f"AMD family {family:#x} ({cores}) runs PEXT from microcode")
        case "AuthenticAMD" if family >= 0x19:
            return Pext("fast", f"AMD family {family:#x} runs PEXT in hardware, as all have since Zen 3")
        case "HygonGenuine":
            return Pext("microcoded", "Hygon's cores derive from AMD's Zen, which runs PEXT from microcode")
        case "GenuineIntel":
            return Pext("fast", "Intel runs PEXT in hardware on every core that has bmi2")
    return Pext("unknown", f"no timing of PEXT is known here for {vendor} family {family:#x}")


@dataclass(frozen=True)
class Features:
    """A decoded dump: who made the CPU, which one it is, and what programs may use on it."""

    dump: Dump

    @cached_property
    def vendor(self) -> str:
        """CPUID's twelve letters, such as "GenuineIntel"; "" on a machine that is not x86-64."""
        _, ebx, ecx, edx = self.dump[0, 0]
        return _text(ebx, edx, ecx)

    @property
    def family(self) -> int:
        """Display family: the extended field counts only when the base field is full."""
        base = self._signature >> 8 & 0xF
        return base + (self._signature >> 20 & 0xFF) if base == 0xF else base

    @property
    def model(self) -> int:
        """Display model: families before 6 have no extended field."""
        base = self._signature >> 4 & 0xF
        return base | (self._signature >> 16 & 0xF) << 4 if self.family >= 6 else base

    @property
    def stepping(self) -> int:
        return self._signature & 0xF

    @property
    def brand(self) -> str:
        """The CPU's own name for itself, spaces tidied; "" if it has none."""
        leaves = range(0x80000002, 0x80000005)
        return " ".join(_text(*(register for leaf in leaves for register in self.dump[leaf, 0])).split())

    @cached_property
    def names(self) -> frozenset[str]:
        """Features programs may use: in CPUID, and their registers enabled by the operating system."""
        return frozenset(name for name in self._in_cpuid if not self._disabled(name))

    @property
    def pext(self) -> Pext:
        """What to expect of PEXT on this CPU."""
        return pext(self.vendor, self.family, "bmi2" in self.names)

    @property
    def slow_pext(self) -> bool:
        """Whether this CPU is known to run PEXT from microcode."""
        return self.pext.speed == "microcoded"

    @cached_property
    def hypervisor(self) -> str | None:
        """The hypervisor's signature, such as "KVMKVMKVM" ("unknown" if it has none); None on bare metal."""
        if "hypervisor" not in self._in_cpuid:
            return None
        return _text(*self.dump[0x40000000, 0][1:]) or "unknown"

    def why_missing(self, feature: str) -> str:
        """One sentence on why `feature` is not in `names`; "" if it is.

        Raises ValueError for a name no CPU has.
        """
        if feature not in NAMES:
            hint = ": PEXT and PDEP are bmi2 instructions" if feature in ("pext", "pdep") else ""
            raise ValueError(f"no CPU feature is called {feature!r}{hint}")
        if feature in self._in_cpuid:
            return self._disabled(feature)
        if not self.dump.leaves:
            return "this machine is not x86-64"
        if feature == "osxsave" and "xsave" in self._in_cpuid:
            return "the operating system has not enabled XSAVE (OSXSAVE is off)"
        return f"this CPU has no {feature}"

    @property
    def _signature(self) -> int:
        return self.dump[0x1, 0][EAX]

    @cached_property
    def _in_cpuid(self) -> frozenset[str]:
        return frozenset(
            name
            for (leaf, subleaf, register), bits in _BITS.items()
            for bit, name in bits.items()
            if self.dump[leaf, subleaf][register] >> bit & 1
        )

    def _disabled(self, feature: str) -> str:
        """Why the operating system withholds a feature the CPU has; "" if it does not."""
        if feature.startswith("avx512"):
            registers, mask = _AVX512
        elif feature.startswith("avx") or feature in _NEEDS_AVX_STATE:
            registers, mask = _AVX
        else:
            return ""
        if "osxsave" not in self._in_cpuid:
            return f"the operating system has not enabled {registers} state (OSXSAVE is off)"
        if self.dump.xcr0 & mask != mask:
            return f"the operating system has not enabled {registers} state (XCR0 = {self.dump.xcr0:#x})"
        return ""


def read_dump() -> Dump:
    """The dump of the core this call runs on; empty on a machine that is not x86-64."""
    from slidebench.kernels import cpuid  # noqa: PLC0415 - recorded dumps decode where nothing is compiled

    return Dump(cpuid.read(), cpuid.xcr0())


@cache
def detect() -> Features:
    """The running CPU, read once per process."""
    return Features(read_dump())


def _text(*registers: int) -> str:
    raw = b"".join(register.to_bytes(4, "little") for register in registers)
    return raw.split(b"\0")[0].decode("ascii", "replace").strip()
