"""Names of microarchitectures.

The names come from vendor, family and model, not from features: a hypervisor may hide features, and a Zen 3
with some of them hidden is still not a Zen 2. They label records and charts; no decision depends on them.

Sources: Linux arch/x86/include/asm/intel-family.h and arch/x86/kernel/cpu/amd.c; GCC's cpuinfo.h for AMD
families 0x10 to 0x17 and for Zhaoxin; the CPUID dumps at github.com/InstLatx64/InstLatx64.
"""

from collections.abc import Container
from typing import NamedTuple

from slidebench.kernels.features import Features

UNKNOWN = "unknown"

# The brand that Rosetta 2, which runs x86-64 programs on Apple's Arm CPUs, shows with the vendor, family and
# model of an old Intel CPU.
ROSETTA_BRAND = "VirtualApple"
# Brands of CPUs that do not exist, shown with the family and model of some real, long obsolete CPU.
_FICTITIOUS_BRANDS = ("QEMU Virtual CPU", "Common KVM processor", ROSETTA_BRAND)


class Row(NamedTuple):
    """Models of a family and the name of their microarchitecture; the first row that matches a CPU counts."""

    family: int
    models: Container[int]
    name: str
    steppings: Container[int] = range(16)
    feature: str | None = None  # that the CPU must also have


_ANY_MODEL = range(256)

_INTEL = (
    Row(6, {0x0F, 0x16}, "Conroe"),
    Row(6, {0x17, 0x1D}, "Penryn"),
    Row(6, {0x1A, 0x1E, 0x1F, 0x2E}, "Nehalem"),
    Row(6, {0x25, 0x2C, 0x2F}, "Westmere"),
    Row(6, {0x2A, 0x2D}, "Sandy Bridge"),
    Row(6, {0x3A, 0x3E}, "Ivy Bridge"),
    Row(6, {0x3C, 0x3F, 0x45, 0x46}, "Haswell"),
    Row(6, {0x3D, 0x47, 0x4F, 0x56}, "Broadwell"),
    Row(6, {0x55}, "Cascade Lake", steppings=range(5, 8)),
    Row(6, {0x55}, "Cooper Lake", steppings=range(10, 12)),
    Row(6, {0x4E, 0x55, 0x5E}, "Skylake"),
    Row(6, {0x8E, 0x9E}, "Kaby Lake", steppings=range(10)),
    Row(6, {0x8E, 0x9E}, "Coffee Lake"),
    Row(6, {0xA5, 0xA6}, "Comet Lake"),
    Row(6, {0x66}, "Cannon Lake"),
    Row(6, {0x6A, 0x6C, 0x7D, 0x7E, 0x9D}, "Ice Lake"),
    # QEMU's Icelake-Server before its version 4 has the model number of Snow Ridge, a Tremont without AVX.
    Row(6, {0x86}, "Ice Lake", feature="avx2"),
    Row(6, {0xA7}, "Rocket Lake"),
    Row(6, {0x8C, 0x8D}, "Tiger Lake"),
    Row(6, {0x8F}, "Sapphire Rapids"),
    Row(6, {0xCF}, "Emerald Rapids"),
    Row(6, {0xAD, 0xAE}, "Granite Rapids"),
    Row(19, {0x01}, "Diamond Rapids"),
    # Hybrids, named as a whole: P and E cores have the same model number.
    Row(6, {0x8A}, "Lakefield"),
    Row(6, {0x97, 0x9A}, "Alder Lake"),
    Row(6, {0xB7, 0xBA, 0xBF}, "Raptor Lake"),
    Row(6, {0xAA, 0xAC}, "Meteor Lake"),
    Row(6, {0xB5, 0xC5, 0xC6}, "Arrow Lake"),
    Row(6, {0xBD}, "Lunar Lake"),
    Row(6, {0xCC}, "Panther Lake"),
    Row(6, {0xD5}, "Wildcat Lake"),
    Row(18, {0x01, 0x03}, "Nova Lake"),
    Row(6, {0x1C, 0x26}, "Bonnell"),
    Row(6, {0x27, 0x35, 0x36}, "Saltwell"),
    Row(6, {0x37, 0x4A, 0x4D, 0x5A}, "Silvermont"),
    Row(6, {0x4C, 0x75}, "Airmont"),
    Row(6, {0x5C, 0x5F}, "Goldmont"),
    Row(6, {0x7A}, "Goldmont Plus"),
    Row(6, {0x86, 0x96, 0x9C}, "Tremont"),
    Row(6, {0xBE}, "Gracemont"),
    Row(6, {0xAF, 0xB6}, "Crestmont"),
    Row(6, {0xDD}, "Darkmont"),
    Row(6, {0x57}, "Knights Landing"),
    Row(6, {0x85}, "Knights Mill"),
    Row(15, _ANY_MODEL, "NetBurst"),
)
_AMD = (
    Row(0x0F, _ANY_MODEL, "K8"),
    Row(0x10, _ANY_MODEL, "K10"),
    Row(0x11, _ANY_MODEL, "K8"),
    Row(0x12, _ANY_MODEL, "K10"),
    Row(0x14, _ANY_MODEL, "Bobcat"),
    Row(0x15, {0x02, *range(0x10, 0x30)}, "Piledriver"),
    Row(0x15, range(0x10), "Bulldozer"),
    Row(0x15, range(0x30, 0x50), "Steamroller"),
    Row(0x15, range(0x60, 0x80), "Excavator"),
    Row(0x16, range(0x30), "Jaguar"),
    Row(0x16, range(0x30, 0x40), "Puma"),
    Row(0x17, {0x08, 0x18}, "Zen+"),
    Row(0x17, {*range(0x30), *range(0x50, 0x60)}, "Zen"),
    Row(0x17, {*range(0x30, 0x50), *range(0x60, 0xB0)}, "Zen 2"),
    Row(0x19, {*range(0x10), *range(0x20, 0x60)}, "Zen 3"),
    Row(0x19, {*range(0x10, 0x20), *range(0x60, 0xB0)}, "Zen 4"),
    Row(0x1A, {*range(0x30), *range(0x40, 0x50), *range(0x60, 0x80)}, "Zen 5"),
    Row(0x1A, {*range(0x50, 0x60), *range(0x80, 0xB0), *range(0xC0, 0xF0)}, "Zen 6"),
)
_ZHAOXIN = (
    Row(6, {0x0F}, "Isaiah"),
    Row(6, {0x19}, "Zhangjiang"),
    Row(6, {0x47}, "CNS"),
    Row(7, {0x1B}, "Wudaokou"),
    Row(7, {0x3B}, "Lujiazui"),
    Row(7, {0x5B}, "Yongfeng"),
    Row(7, {0x6B}, "Shijidadao"),
)
_TABLE = {
    "GenuineIntel": _INTEL,
    "AuthenticAMD": _AMD,
    "HygonGenuine": (Row(0x18, _ANY_MODEL, "Dhyana"),),
    "CentaurHauls": _ZHAOXIN,  # Zhaoxin sells CPUs under both vendor strings
    "Shanghai": _ZHAOXIN,
}


def microarchitecture(cpu: Features) -> str:
    """The microarchitecture's common name, such as "Zen 4" or "Alder Lake"; "unknown" if not listed."""
    if cpu.brand.startswith(_FICTITIOUS_BRANDS):
        return UNKNOWN
    for row in _TABLE.get(cpu.vendor, ()):
        if (
            cpu.family == row.family
            and cpu.model in row.models
            and cpu.stepping in row.steppings
            and (row.feature is None or row.feature in cpu.names)
        ):
            return row.name
    return UNKNOWN
