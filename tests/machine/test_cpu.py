import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import cpuinfo
import msgspec
import pytest
from click.testing import CliRunner
from paths import ROOT

from slidebench.harness.machine import cpu as cpu_module
from slidebench.harness.machine.cpu import Cache, Cpu, describe, machine_name, pext_expected, why_emulated
from slidebench.harness.machine.system import System
from slidebench.harness.verbs.measuring.run import command as run_verb
from slidebench.kernels.features import Dump, Features

KIB, MIB = 1024, 1024**2
NO_HOST = System(None)

# name: microarchitecture, what is known of its PEXT, whether it is a virtual machine
MACHINES = {
    "zen5-kvm": ("Zen 5", "fast", True),
    "qemu-qemu64": ("unknown", "absent", True),
    "qemu-conroe": ("Conroe", "absent", True),
    "qemu-penryn": ("Penryn", "absent", True),
    "qemu-nehalem": ("Nehalem", "absent", True),
    "qemu-sandybridge": ("Sandy Bridge", "absent", True),
    "qemu-haswell": ("Haswell", "fast", True),
    "qemu-haswell-without-bmi2": ("Haswell", "absent", True),
    "qemu-skylake-client": ("Skylake", "fast", True),
    "qemu-icelake-server-v1": ("Ice Lake", "fast", True),
    "qemu-icelake-server-v4": ("Ice Lake", "fast", True),
    "qemu-snowridge": ("Tremont", "absent", True),
    "qemu-opteron-g3": ("K10", "absent", True),
    "qemu-opteron-g5": ("Piledriver", "absent", True),
    "qemu-epyc": ("Zen", "microcoded", True),
    "qemu-epyc-rome": ("Zen 2", "microcoded", True),
    "qemu-epyc-milan": ("Zen 3", "fast", True),
    "qemu-dhyana": ("Dhyana", "microcoded", True),
    "fx-8350": ("Piledriver", "absent", False),
    "a12-9800": ("Excavator", "microcoded", False),
    "ryzen-9-pro-3900": ("Zen 2", "microcoded", False),
    "ryzen-9-7950x": ("Zen 4", "fast", False),
    "core-i5-12400": ("Alder Lake", "fast", False),
    "hygon-c86-3185": ("Dhyana", "microcoded", False),
    "kx-6000g": ("Lujiazui", "unknown", False),
}


def with_leaf(dump, key, registers):
    return replace(dump, leaves={**dump.leaves, key: registers})


def with_brand(dump, brand):
    raw = brand.encode("latin-1").ljust(48, b"\0")
    for leaf in range(3):
        words = (int.from_bytes(raw[at : at + 4], "little") for at in range(16 * leaf, 16 * leaf + 16, 4))
        dump = with_leaf(dump, (0x80000002 + leaf, 0), tuple(words))
    return dump


@pytest.fixture
def rosetta(recorded):
    """A dump like Rosetta 2's: family and model of a Westmere, Apple's brand, no hypervisor."""
    nehalem = recorded("qemu-nehalem")
    _, ebx, ecx, edx = nehalem[1, 0]
    dump = with_leaf(nehalem, (1, 0), (0x000206C0, ebx, ecx & ~(1 << 31), edx))
    return with_brand(dump, "VirtualApple @ 2.50GHz")


@pytest.mark.parametrize("name", MACHINES)
def test_recorded_machines_are_described(recorded, name):
    cpu = describe(recorded(name))
    assert (cpu.microarchitecture, pext_expected(cpu).speed, cpu.virtualised) == MACHINES[name]


def test_bmi1_without_bmi2_has_no_pext(recorded):
    cpu = describe(recorded("fx-8350"))
    assert "bmi1" in cpu.features
    assert pext_expected(cpu) == ("absent", "this CPU has no bmi2, which PEXT is part of")


def test_slow_pext_stays_usable_and_says_why(recorded):
    cpu = describe(recorded("ryzen-9-pro-3900"))
    assert "bmi2" in cpu.features
    assert pext_expected(cpu).reason == "AMD family 0x17 (Zen, Zen+ and Zen 2) runs PEXT from microcode"


def test_an_unknown_cpu_is_described_too(bare):
    cpu = describe(bare("GenuineFake?", 0xFFFFFFFF))
    assert (cpu.vendor, cpu.family, cpu.model, cpu.stepping) == ("GenuineFake?", 0x10E, 0xFF, 15)
    assert (cpu.brand, cpu.microarchitecture, cpu.caches, cpu.features) == ("unknown", "unknown", (), ())
    assert re.fullmatch(r"unknown-[0-9a-f]{6}", machine_name(cpu))


def test_a_machine_that_is_not_x86_64_is_described_too():
    cpu = describe(Dump({}))
    assert (cpu.vendor, cpu.microarchitecture, pext_expected(cpu).speed) == ("", "unknown", "absent")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "ryzen-9-7950x",
            (
                Cache(1, "data", 32 * KIB, 64, 8, 2),
                Cache(1, "instruction", 32 * KIB, 64, 8, 2),
                Cache(2, "unified", 1 * MIB, 64, 8, 2),
                Cache(3, "unified", 32 * MIB, 64, 16, 16),
            ),
        ),
        (
            "core-i5-12400",  # six cores of two threads; its 32 numbers for sharers of level 3 have gaps
            (
                Cache(1, "data", 48 * KIB, 64, 12, 2),
                Cache(1, "instruction", 32 * KIB, 64, 8, 2),
                Cache(2, "unified", 1280 * KIB, 64, 10, 2),
                Cache(3, "unified", 18 * MIB, 64, 9, 12),
            ),
        ),
        (
            "a12-9800",  # no leaf 0x8000001D
            (
                Cache(1, "data", 32 * KIB, 64, 8, None),
                Cache(1, "instruction", 96 * KIB, 64, 3, None),
                Cache(2, "unified", 1 * MIB, 64, 16, None),
            ),
        ),
        (
            "kx-6000g",
            (
                Cache(1, "data", 32 * KIB, 64, 8, 1),
                Cache(1, "instruction", 32 * KIB, 64, 8, 1),
                Cache(2, "unified", 4 * MIB, 64, 16, 4),
            ),
        ),
    ],
)
def test_caches_are_those_on_the_data_sheet(recorded, name, expected):
    logical_cpus = {"core-i5-12400": 12}.get(name)
    assert cpu_module.caches(recorded(name), logical_cpus) == expected


def test_a_cache_of_a_type_unknown_today_is_left_out(recorded):
    zen = recorded("ryzen-9-7950x")
    strange = with_leaf(zen, (0x8000001D, 4), (0x84, *zen[0x8000001D, 3][1:]))
    assert cpu_module.caches(strange) == cpu_module.caches(zen)


def test_the_state_of_the_computer_is_read_from_sys_and_proc(recorded, tmp_path, write_system):
    system = write_system(
        tmp_path,
        sys__devices__system__cpu__online="0-7,16",
        sys__devices__system__cpu__smt__active="1",
        sys__devices__system__cpu__cpu0__cpufreq__scaling_governor="powersave",
        sys__devices__system__cpu__cpu0__cpufreq__cpuinfo_min_freq="400000",
        sys__devices__system__cpu__cpu0__cpufreq__cpuinfo_max_freq="5881000",
        sys__devices__system__cpu__cpufreq__boost="1",
        proc__cpuinfo="processor\t: 0\nmicrocode\t: 0xa601203\n\nprocessor\t: 1\nmicrocode\t: 0xa601203\n",
        proc__sys__kernel__ostype="Linux",
        proc__sys__kernel__osrelease="6.1.0-28-amd64",
        proc__sys__kernel__hostname="my-own-computer",
    )
    cpu = describe(recorded("ryzen-9-7950x"), system)
    assert (cpu.logical_cpus, cpu.smt_active, cpu.governor, cpu.boost) == (9, True, "powersave", True)
    assert (cpu.min_mhz, cpu.max_mhz) == (400.0, 5881.0)
    assert (cpu.microcode, cpu.operating_system) == ("0xa601203", "Linux 6.1.0-28-amd64")
    assert "my-own-computer" not in str(cpu)


def test_what_cannot_be_read_is_none(recorded, tmp_path):
    for system in (System(tmp_path), NO_HOST):
        cpu = describe(recorded("core-i5-12400"), system)
        assert (cpu.logical_cpus, cpu.smt_active, cpu.governor, cpu.boost) == (None, None, None, None)
        assert (cpu.min_mhz, cpu.max_mhz, cpu.microcode, cpu.operating_system) == (None, None, None, None)
        assert cpu.cores_by_kind is None


def test_the_microcode_a_hypervisor_shows_is_not_recorded(recorded, tmp_path, write_system):
    system = write_system(tmp_path, proc__cpuinfo="microcode\t: 0x1000065")
    assert describe(recorded("zen5-kvm"), system).microcode is None


HOST = "vendor_id\t: AuthenticAMD\ncpu family\t: 26\nmodel\t: 2\n\nvendor_id\t: AuthenticAMD\n"


@pytest.mark.parametrize(
    ("name", "cpuinfo", "reason"),
    [
        ("zen5-kvm", HOST, None),
        ("zen5-kvm", None, None),  # no /proc
        ("qemu-epyc-rome", HOST, "CPUID names QEMU's emulator (TCGTCGTCGTCG)"),
        (
            "ryzen-9-7950x",
            HOST,
            "CPUID says AuthenticAMD family 25 model 97, /proc/cpuinfo says AuthenticAMD family 26 model 2",
        ),
        (
            "ryzen-9-7950x",
            "processor\t: 0\nCPU implementer\t: 0x41\n",
            "CPUID says AuthenticAMD family 25 model 97, /proc/cpuinfo says not x86-64",
        ),
    ],
)
def test_an_emulated_cpu_is_known_by_its_name_or_by_its_host(
    recorded, tmp_path, write_system, name, cpuinfo, reason
):
    system = write_system(tmp_path, proc__cpuinfo=cpuinfo) if cpuinfo else System(tmp_path)
    assert why_emulated(recorded(name), system) == reason


def test_rosetta_is_known_by_its_brand(rosetta):
    assert describe(rosetta).microarchitecture == "unknown"
    assert why_emulated(rosetta) == "CPUID names Apple's translator Rosetta (VirtualApple @ 2.50GHz)"


def test_a_run_refuses_to_time_code_that_rosetta_translates(rosetta, monkeypatch, tmp_path):
    monkeypatch.setattr(cpu_module, "detect", lambda: Features(rosetta))
    result = CliRunner().invoke(run_verb, ["--quick", "--results", str(tmp_path)])
    assert result.exit_code != 0
    assert "Rosetta" in result.output
    assert not any(tmp_path.iterdir())


def test_a_machine_that_is_not_x86_64_is_not_emulated(tmp_path, write_system):
    assert why_emulated(Dump({}), write_system(tmp_path, proc__cpuinfo="CPU implementer\t: 0x41")) is None


def hybrid(dump, core_type):
    """A dump of the i5-12400 turned into a P core (type 0x40) or E core (0x20) of a hybrid sibling."""
    eax, ebx, ecx, edx = dump[7, 0]
    dump = with_leaf(dump, (7, 0), (eax, ebx, ecx, edx | 1 << 15))
    dump = with_leaf(dump, (0x1A, 0), (core_type << 24 | 1, 0, 0, 0))
    return dump if core_type == 0x40 else with_leaf(dump, (4, 0), (0x3C004121, 0x01C0003F, 0x3F, 0))


def test_the_cores_of_an_intel_hybrid_have_kinds_and_one_name(recorded, tmp_path, write_system):
    system = write_system(tmp_path, sys__devices__cpu_core__cpus="0-15", sys__devices__cpu_atom__cpus="16-23")
    p, e = (describe(hybrid(recorded("core-i5-12400"), kind), system) for kind in (0x40, 0x20))
    assert (p.core_kind, e.core_kind) == ("P", "E")
    assert p.cores_by_kind == {"P": "0-15", "E": "16-23"}
    assert p.caches != e.caches
    assert machine_name(p) == machine_name(e)


def test_the_cores_of_an_amd_hybrid_have_kinds(recorded):
    zen = recorded("ryzen-9-7950x")
    p, e = (describe(with_leaf(zen, (0x80000026, 0), (1 << 30, kind << 28, 0, 0))) for kind in (0, 1))
    assert (p.core_kind, e.core_kind) == ("P", "E")


def test_equal_cores_have_no_kind(recorded):
    for name in ("ryzen-9-7950x", "core-i5-12400", "zen5-kvm"):
        assert describe(recorded(name)).core_kind is None


def test_machine_names_are_the_microarchitecture_and_a_hash(recorded, bare):
    names = {name: machine_name(describe(recorded(name))) for name in MACHINES}
    assert re.fullmatch(r"zen4-[0-9a-f]{6}", names["ryzen-9-7950x"])
    assert re.fullmatch(r"sandybridge-[0-9a-f]{6}", names["qemu-sandybridge"])
    assert machine_name(describe(bare("AuthenticAMD", 0x800F82))).startswith("zenplus-")
    assert names["ryzen-9-pro-3900"] != names["qemu-epyc-rome"]


def test_committed_records_lie_in_the_folder_of_their_machine():
    for path in (ROOT / "results/runs").glob("*/*.json"):
        machine = msgspec.convert(msgspec.json.decode(path.read_bytes())["machine"], Cpu)
        assert machine_name(machine) == path.parent.name


def test_a_machine_keeps_its_name_when_only_its_state_changes(recorded, tmp_path, write_system):
    zen = recorded("ryzen-9-7950x")
    quiet = write_system(tmp_path / "a", sys__devices__system__cpu__cpufreq__boost="0")
    loud = write_system(tmp_path / "b", sys__devices__system__cpu__cpufreq__boost="1")
    half = write_system(tmp_path / "c", sys__devices__system__cpu__online="0-15")
    assert machine_name(describe(zen, quiet)) == machine_name(describe(zen, loud))
    assert machine_name(describe(zen, half)) != machine_name(describe(zen, quiet))


def test_a_description_can_be_written_and_read(recorded):
    cpu = describe(recorded("zen5-kvm"))
    assert msgspec.json.decode(msgspec.json.encode(cpu), type=Cpu) == cpu


def test_a_brand_that_is_not_ascii_can_be_written(recorded):
    dump = with_brand(recorded("ryzen-9-7950x"), "Prozessor Größe 2")
    assert describe(dump).brand == "Prozessor Gr\ufffd\ufffde 2"
    msgspec.json.encode(describe(dump))


RYZEN = {"vendor_id_raw": "AuthenticAMD", "family": 0x19, "model": 0x61, "stepping": 2}


@pytest.fixture
def asked(monkeypatch, recorded):
    """This computer is a Ryzen 9 7950X, and py-cpuinfo answers `asked.answer`, counting in `asked.times`."""
    asked = SimpleNamespace(times=0, answer=RYZEN)

    def get_cpu_info():
        asked.times += 1
        if not asked.answer:
            raise Exception("py-cpuinfo currently only works on X86 and some ARM CPUs.")
        return asked.answer

    monkeypatch.setattr(cpuinfo, "get_cpu_info", get_cpu_info)
    monkeypatch.setattr(cpu_module, "detect", lambda: Features(recorded("ryzen-9-7950x")))
    cpu_module._py_cpuinfo.cache_clear()
    yield asked
    cpu_module._py_cpuinfo.cache_clear()


def test_py_cpuinfo_is_asked_once_for_the_brand_and_not_for_recorded_cpus(asked, recorded):
    asked.answer = {**RYZEN, "brand_raw": "AMD Ryzen 9 7950X  as py-cpuinfo says it"}
    describe(recorded("zen5-kvm"))
    assert asked.times == 0
    assert describe().brand == describe().brand == "AMD Ryzen 9 7950X as py-cpuinfo says it"
    assert asked.times == 1


@pytest.mark.parametrize("answer", [{**RYZEN, "model": 0x21, "brand_raw": "the emulator's host"}, RYZEN, {}])
def test_cpuid_names_the_cpu_where_py_cpuinfo_does_not(asked, answer):
    asked.answer = answer
    assert describe().brand == "AMD Ryzen 9 7950X 16-Core Processor"


def test_py_cpuinfo_names_cpus_that_have_no_cpuid(asked, monkeypatch):
    monkeypatch.setattr(cpu_module, "detect", lambda: Features(Dump({})))
    asked.answer = {"brand_raw": "Cortex-A76"}
    assert describe().brand == "Cortex-A76"


DESCRIBE = """
import msgspec
from slidebench.harness.machine.cpu import describe
print(msgspec.json.encode(describe()).decode())
"""


def described(*emulator, **locale):
    """The description of the CPU that runs a fresh interpreter, as JSON."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))}
    command = [*emulator, sys.executable, "-c", DESCRIBE]
    return subprocess.run(command, env=kept | locale, capture_output=True, check=True).stdout


def test_this_computer_is_described_alike_in_every_locale():
    assert described(LC_ALL="de_DE.UTF-8", LANGUAGE="de") == described(LC_ALL="C")


@pytest.mark.skipif(not shutil.which("qemu-x86_64"), reason="qemu-x86_64 (qemu-user) is not installed")
def test_under_an_emulator_its_cpu_is_described_and_not_the_host():
    cpu = msgspec.json.decode(described("qemu-x86_64", "-cpu", "Nehalem"), type=Cpu)
    assert (cpu.vendor, cpu.family, cpu.model, cpu.microarchitecture) == ("GenuineIntel", 6, 0x1A, "Nehalem")
    assert (cpu.brand, cpu.hypervisor) == ("Intel Core i7 9xx (Nehalem Class Core i7)", "TCGTCGTCGTCG")
    assert "avx" not in cpu.features
