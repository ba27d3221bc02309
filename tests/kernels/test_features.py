import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from paths import TESTS

from slidebench.kernels import cpuid
from slidebench.kernels.features import EAX, EBX, ECX, NAMES, Dump, Features, detect, pext, read_dump

# What each level adds, from the x86-64 psABI (version 1.0, table 3.1).
PSABI = {
    "v1": {"cmov", "cx8", "fpu", "fxsr", "mmx", "syscall", "sse", "sse2"},
    "v2": {"cx16", "lahf_lm", "popcnt", "sse3", "sse4_1", "sse4_2", "ssse3"},
    "v3": {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "lzcnt", "movbe", "osxsave"},
    "v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
}

# name: vendor, family, model, stepping, best level. The emulator has no AVX-512, so its Ice Lake stops at v3.
MACHINES = {
    "zen5-kvm": ("AuthenticAMD", 0x1A, 0x02, 1, "v4"),
    "qemu-qemu64": ("AuthenticAMD", 0x0F, 0x6B, 1, "v1"),
    "qemu-conroe": ("GenuineIntel", 6, 0x0F, 3, "v1"),
    "qemu-penryn": ("GenuineIntel", 6, 0x17, 3, "v1"),
    "qemu-nehalem": ("GenuineIntel", 6, 0x1A, 3, "v2"),
    "qemu-sandybridge": ("GenuineIntel", 6, 0x2A, 1, "v2"),
    "qemu-haswell": ("GenuineIntel", 6, 0x3C, 4, "v3"),
    "qemu-haswell-without-bmi2": ("GenuineIntel", 6, 0x3C, 4, "v2"),
    "qemu-skylake-client": ("GenuineIntel", 6, 0x5E, 3, "v3"),
    "qemu-icelake-server-v1": ("GenuineIntel", 6, 0x86, 0, "v3"),
    "qemu-icelake-server-v4": ("GenuineIntel", 6, 0x6A, 0, "v3"),
    "qemu-snowridge": ("GenuineIntel", 6, 0x86, 1, "v2"),
    "qemu-opteron-g3": ("AuthenticAMD", 0x10, 0x02, 3, "v1"),
    "qemu-opteron-g5": ("AuthenticAMD", 0x15, 0x02, 0, "v2"),
    "qemu-epyc": ("AuthenticAMD", 0x17, 0x01, 2, "v3"),
    "qemu-epyc-rome": ("AuthenticAMD", 0x17, 0x31, 0, "v3"),
    "qemu-epyc-milan": ("AuthenticAMD", 0x19, 0x01, 1, "v3"),
    "qemu-dhyana": ("HygonGenuine", 0x18, 0x00, 1, "v3"),
    "fx-8350": ("AuthenticAMD", 0x15, 0x02, 0, "v2"),
    "a12-9800": ("AuthenticAMD", 0x15, 0x65, 1, "v3"),
    "ryzen-9-pro-3900": ("AuthenticAMD", 0x17, 0x71, 0, "v3"),
    "ryzen-9-7950x": ("AuthenticAMD", 0x19, 0x61, 2, "v4"),
    "core-i5-12400": ("GenuineIntel", 6, 0x97, 2, "v4"),
    "hygon-c86-3185": ("HygonGenuine", 0x18, 0x00, 2, "v2"),
    "kx-6000g": ("CentaurHauls", 7, 0x3B, 2, "v2"),
}


def best_level(cpu):
    best = None
    for level, features in PSABI.items():
        if not features <= cpu.names:
            break
        best = level
    return best


def with_bit(dump, key, register, bit, value):
    registers = list(dump[key])
    registers[register] = registers[register] & ~(1 << bit) | value << bit
    return replace(dump, leaves={**dump.leaves, key: tuple(registers)})


@pytest.mark.parametrize("name", MACHINES)
def test_recorded_machines_are_who_they_are(recorded, name):
    cpu = Features(recorded(name))
    assert (cpu.vendor, cpu.family, cpu.model, cpu.stepping, best_level(cpu)) == MACHINES[name]


def test_every_recorded_machine_is_tested():
    files = {path.stem for path in (TESTS / "machines").glob("*.json")}
    assert files == set(MACHINES)


@pytest.mark.parametrize(
    ("signature", "family", "model"),
    [
        (0x000006FB, 6, 0x0F),  # Core 2: no extended fields
        (0x000306C3, 6, 0x3C),  # Haswell: extended model, family 6
        (0x00000F4A, 15, 0x04),  # Pentium 4: the base family is full, the extension 0
        (0x00600F20, 0x15, 0x02),  # FX-8350
        (0x00A20F12, 0x19, 0x21),  # Ryzen 5950X
        (0x00B40F40, 0x1A, 0x44),  # Ryzen 9950X
        (0x00400F10, 19, 0x01),  # Diamond Rapids: Intel beyond family 6
        (0x000307B2, 7, 0x3B),  # Zhaoxin: family 7 has an extended model too
        (0x00010543, 5, 0x04),  # family 5 has none
        (0x001306C3, 6, 0x3C),  # an extended family counts only after a full base
    ],
)
def test_family_and_model_use_the_extended_fields_where_they_count(signature, family, model):
    cpu = Features(Dump({(1, 0): (signature, 0, 0, 0)}))
    assert (cpu.family, cpu.model) == (family, model)


def test_avx512_without_its_registers_is_no_v4(recorded):
    zen4 = recorded("ryzen-9-7950x")
    cpu = Features(replace(zen4, xcr0=0x7))
    assert best_level(cpu) == "v3"
    assert cpu.why_missing("avx512f") == "the operating system has not enabled AVX-512 state (XCR0 = 0x7)"
    assert cpu.why_missing("avx512_vbmi2") == cpu.why_missing("avx512f")
    assert cpu.why_missing("avx2") == ""
    assert Features(zen4).why_missing("avx512f") == ""


@pytest.mark.parametrize("missing", [0x20, 0x40, 0x80])
def test_avx512_needs_all_three_of_its_register_states(recorded, missing):
    assert "avx512f" not in Features(replace(recorded("ryzen-9-7950x"), xcr0=0xE7 & ~missing)).names


def test_avx_without_its_registers_is_no_v3(recorded):
    cpu = Features(replace(recorded("qemu-haswell"), xcr0=0x3))
    assert best_level(cpu) == "v2"
    for feature in ("avx", "avx2", "fma", "f16c"):
        assert cpu.why_missing(feature) == "the operating system has not enabled AVX state (XCR0 = 0x3)"


def test_every_instruction_on_vector_registers_needs_their_state(recorded):
    names = Features(replace(recorded("core-i5-12400"), xcr0=0x3)).names
    assert not {"vaes", "vpclmulqdq", "avx_vnni", "avx512_fp16"} & names
    assert {"gfni", "aes", "pclmulqdq", "bmi2"} <= names  # these have forms without
    assert not {"xop", "fma4"} & Features(replace(recorded("fx-8350"), xcr0=0x3)).names


def test_osxsave_off_is_no_v3(recorded):
    dump = with_bit(recorded("qemu-haswell"), (1, 0), ECX, 27, 0)
    cpu = Features(replace(dump, xcr0=0))
    assert best_level(cpu) == "v2"
    for features in (["avx2"], ["osxsave"], ["avx", "osxsave", "avx2"]):
        assert cpu.why_missing(*features) == "the operating system has not enabled XSAVE (OSXSAVE is off)"


def test_every_missing_feature_is_named(recorded):
    piledriver = Features(recorded("fx-8350"))
    assert piledriver.why_missing("bmi1", "bmi2", "avx", "avx2", "bmi2") == "this CPU has no bmi2 or avx2"
    disabled = Features(replace(recorded("fx-8350"), xcr0=3))
    assert disabled.why_missing("avx", "popcnt", "bmi2", "movbe", "avx2") == (
        "this CPU has no bmi2, movbe or avx2 and the operating system has not enabled AVX state (XCR0 = 0x3)"
    )
    zen4 = Features(replace(recorded("ryzen-9-7950x"), xcr0=3))
    assert "AVX and AVX-512 state (XCR0 = 0x3)" in zen4.why_missing("avx", "avx512f", "avx2")


def test_a_hypervisor_that_hides_avx_is_named_and_not_the_cpu(recorded):
    dump = recorded("qemu-haswell")
    for bit in (12, 26, 27, 28, 29):  # FMA, XSAVE, OSXSAVE, AVX, F16C
        dump = with_bit(dump, (1, 0), ECX, bit, 0)
    cpu = Features(with_bit(dump, (7, 0), EBX, 5, 0))  # AVX2
    assert best_level(cpu) == "v2"
    assert {"bmi1", "bmi2", "movbe", "lzcnt"} <= cpu.names
    assert cpu.why_missing(*sorted(PSABI["v3"])) == (
        "the hypervisor does not expose avx, avx2, f16c, fma or osxsave"
    )


def test_bmi2_works_on_general_registers_and_needs_no_avx_state(recorded):
    cpu = Features(recorded("hygon-c86-3185"))  # recorded under an operating system without XSAVE
    assert "bmi2" in cpu.names
    assert "avx" not in cpu.names


def test_bmi1_is_not_bmi2(recorded):
    cpu = Features(recorded("fx-8350"))
    assert {"bmi1", "popcnt", "lzcnt", "fma", "fma4", "xop", "tbm"} <= cpu.names
    assert cpu.why_missing("bmi2") == "this CPU has no bmi2"


def test_a_second_generation_core_i7_has_no_bmi_and_no_avx2(recorded):
    names = Features(recorded("qemu-sandybridge")).names
    assert {"sse4_2", "popcnt", "avx"} <= names
    assert not {"avx2", "bmi1", "bmi2"} & names


def test_removing_one_feature_removes_only_that(recorded):
    whole, without = Features(recorded("qemu-haswell")), Features(recorded("qemu-haswell-without-bmi2"))
    assert whole.names - without.names == {"bmi2"}


@pytest.mark.parametrize(
    ("name", "present", "absent"),
    [
        ("zen5-kvm", {"gfni", "avx512_vbmi", "avx512_vbmi2", "avx512_vp2intersect", "avx_vnni"}, {"fma4"}),
        (
            "ryzen-9-7950x",
            {"gfni", "avx512_ifma", "avx512_vpopcntdq", "avx512_bitalg"},
            {"avx512_vp2intersect", "xop"},
        ),
        ("core-i5-12400", {"gfni", "vpclmulqdq", "avx_vnni", "avx512_fp16"}, {"hybrid_cpu", "sse4a"}),
        ("ryzen-9-pro-3900", {"sha_ni", "adx", "sse4a"}, {"gfni", "vaes", "avx512f"}),
        ("kx-6000g", {"bmi1", "bmi2", "avx", "lzcnt"}, {"avx2", "fma"}),
        ("qemu-opteron-g3", {"popcnt", "lzcnt", "sse4a"}, {"ssse3", "sse4_1"}),
    ],
)
def test_features_beyond_the_levels(recorded, name, present, absent):
    names = Features(recorded(name)).names
    assert present <= names
    assert not absent & names


def test_there_is_no_feature_called_pext(recorded):
    with pytest.raises(ValueError, match=r"^unknown CPU feature 'pext': expected bmi2"):
        Features(recorded("zen5-kvm")).why_missing("pext")


def test_every_absent_feature_has_a_reason_and_no_present_one(recorded):
    for name in MACHINES:
        cpu = Features(recorded(name))
        assert {feature for feature in NAMES if not cpu.why_missing(feature)} == cpu.names


def test_a_machine_that_is_not_x86_64_has_nothing_and_says_so():
    cpu = Features(Dump({}))
    assert (cpu.vendor, cpu.family, cpu.model, cpu.brand, cpu.hypervisor) == ("", 0, 0, "", None)
    assert cpu.names == frozenset()
    assert cpu.why_missing("popcnt") == "this machine is not x86-64"


@pytest.mark.parametrize(
    ("name", "hypervisor"),
    [("zen5-kvm", "KVMKVMKVM"), ("qemu-haswell", "TCGTCGTCGTCG"), ("ryzen-9-7950x", None)],
)
def test_the_hypervisor_is_named(recorded, name, hypervisor):
    assert Features(recorded(name)).hypervisor == hypervisor


def test_a_hypervisor_without_a_name_is_unknown(recorded):
    assert Features(with_bit(recorded("ryzen-9-7950x"), (1, 0), ECX, 31, 1)).hypervisor == "unknown"


def test_the_brand_is_tidied(recorded):
    assert Features(recorded("kx-6000g")).brand == "ZHAOXIN KaiXian KX-6000G/4@2.6GHz"


@pytest.mark.parametrize("name", MACHINES)
def test_a_dump_survives_being_written(recorded, name):
    dump = recorded(name)
    assert Dump.from_json(dump.to_json()) == dump


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"xcr0": "7"}',
        '{"xcr0": "7", "leaves": []}',
        '{"xcr0": "x", "leaves": {}}',
        '{"xcr0": 7, "leaves": {}}',
        '{"xcr0": "7", "leaves": {"00000001": "0 0 0 0"}}',
        '{"xcr0": "7", "leaves": {"00000001.0": "0 0 0"}}',
        '{"xcr0": "7", "leaves": {"00000001.0": "0 0 0 z"}}',
        '{"xcr0": "7", "leaves": {"00000001.0": [0, 0, 0, 0]}}',
    ],
)
def test_other_text_is_not_a_dump(text):
    with pytest.raises(ValueError, match=r"^not a CPUID dump .*: expected "):
        Dump.from_json(text)


def test_no_serial_number_and_no_leaf_beyond_the_last_is_read():
    leaves = cpuid.read()
    if not leaves:
        pytest.skip("this machine is not x86-64")
    last, last_extended = leaves[0, 0][EAX], leaves[0x80000000, 0][EAX]
    assert (3, 0) not in leaves
    for leaf, _ in leaves:
        assert leaf <= last or leaf == 0x40000000 or 0x80000000 <= leaf <= last_extended


def test_this_cpu_is_read_once():
    assert detect() is detect()
    assert detect().dump.xcr0 == read_dump().xcr0


def test_linux_agrees_about_this_cpu():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        pytest.skip("no /proc/cpuinfo here")
    said = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    cpu = detect()
    if (said.get("vendor_id"), said.get("model")) != (cpu.vendor, str(cpu.model)):
        pytest.skip("/proc/cpuinfo describes another CPU")
    linux = {"sse3": "pni", "lzcnt": "abm"}
    asked = set().union(*PSABI.values(), {"gfni", "hypervisor"}) - {"osxsave"}
    flags = set(said["flags"].split())
    assert {name for name in asked if linux.get(name, name) in flags} == asked & cpu.names


def test_detection_imports_nothing_that_may_not_run_here():
    script = "import sys, slidebench.kernels.features; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "slidebench.kernels.features" in loaded
    assert not {"slidebench.harness", "msgspec", "cpuinfo"} & set(loaded)


def test_a_leaf_the_cpu_lacks_reads_as_zeros(recorded):
    assert recorded("qemu-conroe")[0x24, 0] == (0, 0, 0, 0)
    assert recorded("qemu-conroe")[0x1, 0][EBX] == 0x800


@pytest.mark.parametrize(
    ("vendor", "family", "speed"),
    [
        ("AuthenticAMD", 21, "microcoded"),  # Excavator
        ("AuthenticAMD", 23, "microcoded"),  # Zen, Zen+ and Zen 2
        ("HygonGenuine", 24, "microcoded"),
        ("AuthenticAMD", 25, "fast"),  # Zen 3 and 4
        ("AuthenticAMD", 26, "fast"),  # Zen 5
        ("AuthenticAMD", 27, "fast"),
        ("GenuineIntel", 6, "fast"),
        ("GenuineIntel", 19, "fast"),
        ("CentaurHauls", 7, "unknown"),
        ("GenuineFake?", 23, "unknown"),
    ],
)
def test_pext_goes_by_the_makers_families(vendor, family, speed):
    assert pext(vendor, family, has_bmi2=True).speed == speed
    assert pext(vendor, family, has_bmi2=True).reason
    assert pext(vendor, family, has_bmi2=False).speed == "absent"


@pytest.mark.parametrize(
    ("name", "slow"),
    [
        ("a12-9800", True),
        ("ryzen-9-pro-3900", True),
        ("qemu-dhyana", True),
        ("ryzen-9-7950x", False),
        ("core-i5-12400", False),
        ("fx-8350", False),  # it has none
    ],
)
def test_pext_is_slow_where_it_is_microcoded(recorded, name, slow):
    assert Features(recorded(name)).slow_pext is slow
