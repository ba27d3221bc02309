import pytest

from slidebench.harness.machine.microarchitectures import microarchitecture
from slidebench.kernels.features import Features

# CPUID leaf 1's signature of CPUs on sale once, and what their makers call them.
SIGNATURES = [
    ("GenuineIntel", 0x0006FB, "Conroe"),  # Core 2 Quad Q6600
    ("GenuineIntel", 0x01067A, "Penryn"),  # Core 2 Quad Q9550
    ("GenuineIntel", 0x0106A5, "Nehalem"),  # Core i7-920
    ("GenuineIntel", 0x0206C2, "Westmere"),  # Xeon X5670
    ("GenuineIntel", 0x0206A7, "Sandy Bridge"),  # Core i7-2600K
    ("GenuineIntel", 0x0306A9, "Ivy Bridge"),  # Core i7-3770K
    ("GenuineIntel", 0x0306C3, "Haswell"),  # Core i7-4770K
    ("GenuineIntel", 0x0306F2, "Haswell"),  # Xeon E5-2680 v3
    ("GenuineIntel", 0x0406F1, "Broadwell"),  # Xeon E5-2699 v4
    ("GenuineIntel", 0x0506E3, "Skylake"),  # Core i7-6700K
    ("GenuineIntel", 0x050654, "Skylake"),  # Core i9-7900X
    ("GenuineIntel", 0x050657, "Cascade Lake"),  # Core i9-10980XE
    ("GenuineIntel", 0x05065B, "Cooper Lake"),  # Xeon Platinum 8380H
    ("GenuineIntel", 0x0906E9, "Kaby Lake"),  # Core i7-7700K
    ("GenuineIntel", 0x0906EC, "Coffee Lake"),  # Core i9-9900K
    ("GenuineIntel", 0x0A0655, "Comet Lake"),  # Core i9-10900K
    ("GenuineIntel", 0x0706E5, "Ice Lake"),  # Core i7-1065G7
    ("GenuineIntel", 0x0606A6, "Ice Lake"),  # Xeon Platinum 8380
    ("GenuineIntel", 0x0806C1, "Tiger Lake"),  # Core i7-1165G7
    ("GenuineIntel", 0x0A0671, "Rocket Lake"),  # Core i9-11900K
    ("GenuineIntel", 0x090672, "Alder Lake"),  # Core i9-12900K
    ("GenuineIntel", 0x0B0671, "Raptor Lake"),  # Core i9-13900K
    ("GenuineIntel", 0x0A06A4, "Meteor Lake"),  # Core Ultra 7 155H
    ("GenuineIntel", 0x0B06D1, "Lunar Lake"),  # Core Ultra 7 258V
    ("GenuineIntel", 0x0C0662, "Arrow Lake"),  # Core Ultra 9 285K
    ("GenuineIntel", 0x0806F8, "Sapphire Rapids"),  # Xeon Platinum 8480+
    ("GenuineIntel", 0x0C06F2, "Emerald Rapids"),  # Xeon Platinum 8592+
    ("GenuineIntel", 0x0A06D1, "Granite Rapids"),  # Xeon 6980P
    ("GenuineIntel", 0x030678, "Silvermont"),  # Celeron J1900
    ("GenuineIntel", 0x0406C4, "Airmont"),  # Atom x7-Z8750
    ("GenuineIntel", 0x0506C9, "Goldmont"),  # Celeron J3455
    ("GenuineIntel", 0x0706A8, "Goldmont Plus"),  # Celeron J4125
    ("GenuineIntel", 0x0906C0, "Tremont"),  # Celeron N5105
    ("GenuineIntel", 0x0B06E0, "Gracemont"),  # Intel N100
    ("GenuineIntel", 0x000F4A, "NetBurst"),  # Pentium 4 with 64 bits
    ("AuthenticAMD", 0x020FB1, "K8"),  # Athlon 64 X2
    ("AuthenticAMD", 0x100F42, "K10"),  # Phenom II X4 965
    ("AuthenticAMD", 0x300F10, "K10"),  # A8-3850
    ("AuthenticAMD", 0x500F10, "Bobcat"),  # E-350
    ("AuthenticAMD", 0x600F12, "Bulldozer"),  # FX-8150
    ("AuthenticAMD", 0x600F20, "Piledriver"),  # FX-8350
    ("AuthenticAMD", 0x610F31, "Piledriver"),  # A10-6800K
    ("AuthenticAMD", 0x630F01, "Steamroller"),  # A10-7850K
    ("AuthenticAMD", 0x660F51, "Excavator"),  # A12-9800
    ("AuthenticAMD", 0x670F00, "Excavator"),  # A9-9425
    ("AuthenticAMD", 0x700F01, "Jaguar"),  # Athlon 5350
    ("AuthenticAMD", 0x730F01, "Puma"),  # A8-6410
    ("AuthenticAMD", 0x800F11, "Zen"),  # Ryzen 7 1800X
    ("AuthenticAMD", 0x810F10, "Zen"),  # Ryzen 5 2400G
    ("AuthenticAMD", 0x800F82, "Zen+"),  # Ryzen 7 2700X
    ("AuthenticAMD", 0x810F81, "Zen+"),  # Ryzen 5 3400G
    ("AuthenticAMD", 0x830F10, "Zen 2"),  # EPYC 7742
    ("AuthenticAMD", 0x870F10, "Zen 2"),  # Ryzen 9 3900X
    ("AuthenticAMD", 0x860F01, "Zen 2"),  # Ryzen 7 4800U
    ("AuthenticAMD", 0xA00F11, "Zen 3"),  # EPYC 7763
    ("AuthenticAMD", 0xA20F10, "Zen 3"),  # Ryzen 9 5950X
    ("AuthenticAMD", 0xA50F00, "Zen 3"),  # Ryzen 7 5700G
    ("AuthenticAMD", 0xA10F11, "Zen 4"),  # EPYC 9654
    ("AuthenticAMD", 0xA60F12, "Zen 4"),  # Ryzen 9 7950X
    ("AuthenticAMD", 0xA70F52, "Zen 4"),  # Ryzen 7 8700G
    ("AuthenticAMD", 0xB00F21, "Zen 5"),  # EPYC 9755
    ("AuthenticAMD", 0xB20F40, "Zen 5"),  # Ryzen AI 9 HX 370
    ("AuthenticAMD", 0xB40F40, "Zen 5"),  # Ryzen 9 9950X
    ("HygonGenuine", 0x900F01, "Dhyana"),
    ("  Shanghai  ", 0x0307B0, "Lujiazui"),  # KX-6000
    ("CentaurHauls", 0x0607B1, "Shijidadao"),  # KX-7000
]


@pytest.mark.parametrize(("vendor", "signature", "name"), SIGNATURES)
def test_microarchitectures_have_their_makers_names(bare, vendor, signature, name):
    assert microarchitecture(Features(bare(vendor, signature))) == name


@pytest.mark.parametrize(
    ("vendor", "signature"),
    [
        ("GenuineIntel", 0x0000FF0F00),  # a family that does not exist yet
        ("AuthenticAMD", 0xCF0F00),  # the family after Zen 6
        ("AuthenticAMD", 0xB30F00),  # a gap between the models of a known family
        ("HygonGenuine", 0x800F11),  # AMD's number under another vendor
        ("GenuineFake?", 0x0306C3),
    ],
)
def test_cpus_that_are_not_listed_are_unknown(bare, vendor, signature):
    assert microarchitecture(Features(bare(vendor, signature))) == "unknown"


@pytest.mark.parametrize("brand", ["QEMU Virtual CPU version 2.5+", "Common KVM processor"])
def test_cpus_that_do_not_exist_are_unknown(bare, brand):
    raw = brand.encode().ljust(48, b"\0")
    words = [int.from_bytes(raw[at : at + 4], "little") for at in range(0, 48, 4)]
    leaves = {(0x80000002 + leaf, 0): tuple(words[4 * leaf : 4 * leaf + 4]) for leaf in range(3)}
    assert microarchitecture(Features(bare("AuthenticAMD", 0x060FB1, leaves))) == "unknown"
    assert microarchitecture(Features(bare("AuthenticAMD", 0x060FB1))) == "K8"
