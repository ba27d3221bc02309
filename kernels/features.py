"""The instruction sets that a CPU has and that the operating system has enabled.

    detect()                     this CPU, from raw CPUID and XCR0
    Features(Dump.from_json(s))  any CPU, from its recorded dump

To record a CPU for the tests, print its dump, which holds no serial number and nothing about the owner:

    python -c "from slidebench.kernels import features; print(features.read_dump().to_json())"

Register layouts: Intel SDM volume 2A, "CPUID"; AMD APM volume 3, appendix E.
"""

import json
from collections.abc import Sequence
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

_NEEDS_AVX_STATE = {"fma", "f16c", "xop", "fma4", "vaes", "vpclmulqdq"}  # as does every avx*

NAMES = frozenset(name for bits in _BITS.values() for name in bits.values())
"""Every feature name this module knows. PEXT has no name of its own: it is a bmi2 instruction."""


@dataclass(frozen=True)
class Dump:
    """What CPUID answered on one core: `leaves` {(leaf, subleaf): (eax, ebx, ecx, edx)}, and XCR0."""

    leaves: dict[tuple[int, int], tuple[int, int, int, int]]
    xcr0: int = 0

    def __getitem__(self, key: tuple[int, int]) -> tuple[int, int, int, int]:
        """The four registers of (leaf, subleaf); all 0 if the CPU has no such leaf."""
        return self.leaves.get(key, (0, 0, 0, 0))

    def to_json(self) -> str:
        """JSON text with hexadecimal numbers and one leaf per line."""
        leaves = {
            f"{leaf:08x}.{subleaf:x}": " ".join(f"{register:08x}" for register in registers)
            for (leaf, subleaf), registers in sorted(self.leaves.items())
        }
        return json.dumps({"xcr0": f"{self.xcr0:x}", "leaves": leaves}, indent=1)

    @classmethod
    def from_json(cls, text: str) -> "Dump":
        """The dump that `to_json` wrote. Raises ValueError for any other text."""
        try:
            data = json.loads(text)
            leaves = {}
            for key, line in data["leaves"].items():
                leaf, subleaf = key.split(".")
                eax, ebx, ecx, edx = (int(register, 16) for register in line.split())
                leaves[int(leaf, 16), int(subleaf, 16)] = eax, ebx, ecx, edx
            return cls(leaves, int(data["xcr0"], 16))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"not a CPUID dump ({error!r}): expected the text of Dump.to_json") from None


class Pext(NamedTuple):
    """The expected speed of the PEXT instruction, with the reason in one sentence."""

    speed: Literal["fast", "microcoded", "absent", "unknown"]
    reason: str


def pext(vendor: str, family: int, has_bmi2: bool) -> Pext:
    """The expected speed of PEXT by the vendor's family number: a default until PEXT is timed on the CPU.

    Source: the instruction timings at github.com/InstLatx64/InstLatx64.
    """
    if not has_bmi2:
        return Pext("absent", "this CPU has no bmi2, which PEXT is part of")
    match vendor:
        case "AuthenticAMD" if family in (0x15, 0x17):
            cores = "Excavator" if family == 0x15 else "Zen, Zen+ and Zen 2"
            return Pext("microcoded", f"AMD family {family:#x} ({cores}) runs PEXT from microcode")
        case "AuthenticAMD" if family >= 0x19:
            return Pext("fast", f"AMD family {family:#x} runs PEXT in hardware, like all since Zen 3")
        case "HygonGenuine":
            return Pext("microcoded", "Hygon's cores derive from AMD's Zen, which runs PEXT from microcode")
        case "GenuineIntel":
            return Pext("fast", "Intel runs PEXT in hardware on every core with bmi2")
    return Pext("unknown", f"no PEXT timings are known for {vendor} family {family:#x}")


@dataclass(frozen=True)
class Features:
    """A decoded dump: the CPU's vendor and model, and the features that programs may use on it."""

    dump: Dump

    @cached_property
    def vendor(self) -> str:
        """CPUID's vendor string, such as "GenuineIntel"; "" on a machine that is not x86-64."""
        _, ebx, ecx, edx = self.dump[0, 0]
        return _text(ebx, edx, ecx)

    @property
    def family(self) -> int:
        """The display family: the extended field counts only if the base field is 15."""
        base = self._signature >> 8 & 0xF
        return base + (self._signature >> 20 & 0xFF) if base == 0xF else base

    @property
    def model(self) -> int:
        """The display model: families before 6 have no extended field."""
        base = self._signature >> 4 & 0xF
        return base | (self._signature >> 16 & 0xF) << 4 if self.family >= 6 else base

    @property
    def stepping(self) -> int:
        return self._signature & 0xF

    @property
    def brand(self) -> str:
        """The CPUID brand string with single spaces; "" if there is none."""
        leaves = range(0x80000002, 0x80000005)
        return " ".join(_text(*(register for leaf in leaves for register in self.dump[leaf, 0])).split())

    @cached_property
    def names(self) -> frozenset[str]:
        """The features that programs may use: in CPUID, and enabled by the operating system."""
        return frozenset(name for name in self._in_cpuid if not self._is_disabled(name))

    @property
    def pext(self) -> Pext:
        """The expected speed of PEXT on this CPU."""
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

    def why_missing(self, *features: str) -> str:
        """One sentence on why features are not in `names`, with the names of all that the CPU lacks.

        It is "" if none is missing. Raises ValueError for an unknown name.
        """
        for feature in features:
            if feature not in NAMES:
                hint = "bmi2, which has PEXT and PDEP" if feature in ("pext", "pdep") else "a name from NAMES"
                raise ValueError(f"unknown CPU feature {feature!r}: expected {hint}")
        missing = [feature for feature in dict.fromkeys(features) if feature not in self.names]
        if missing and not self.dump.leaves:
            return "this machine is not x86-64"
        # OSXSAVE is the operating system's answer and not the CPU's, unless there is no XSAVE to answer for.
        in_hardware = self._in_cpuid | ({"osxsave"} if "xsave" in self._in_cpuid else set())
        withheld = [feature for feature in missing if feature in in_hardware]
        absent = [feature for feature in missing if feature not in in_hardware]
        reasons = []
        if absent:
            subject = "the hypervisor does not expose" if self.hypervisor else "this CPU has no"
            reasons.append(f"{subject} {_alternatives(absent)}")
        if withheld and "osxsave" not in self._in_cpuid:
            reasons.append("the operating system has not enabled XSAVE (OSXSAVE is off)")
        elif withheld:
            states = " and ".join(dict.fromkeys(_register_state(feature)[0] for feature in withheld))
            reasons.append(
                f"the operating system has not enabled {states} state (XCR0 = {self.dump.xcr0:#x})"
            )
        return " and ".join(reasons)

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

    def _is_disabled(self, feature: str) -> bool:
        """Whether a feature in CPUID needs registers that the operating system has not enabled."""
        _, mask = _register_state(feature)
        return bool(mask) and ("osxsave" not in self._in_cpuid or self.dump.xcr0 & mask != mask)


def _register_state(feature: str) -> tuple[str, int]:
    """The registers beyond SSE's that a feature needs, by name and bits of XCR0; ("", 0) for none."""
    if feature.startswith("avx512"):
        return _AVX512
    return _AVX if feature.startswith("avx") or feature in _NEEDS_AVX_STATE else ("", 0)


def _alternatives(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


def read_dump() -> Dump:
    """The dump of the core that runs this call; empty on a machine that is not x86-64."""
    from slidebench.kernels import cpuid  # noqa: PLC0415 - recorded dumps can be decoded before anything is compiled

    return Dump(cpuid.read(), cpuid.xcr0())


@cache
def detect() -> Features:
    """The features of the CPU that runs this process, read once."""
    return Features(read_dump())


def _text(*registers: int) -> str:
    raw = b"".join(register.to_bytes(4, "little") for register in registers)
    return raw.split(b"\0")[0].decode("ascii", "replace").strip()
