"""The description of a computer's CPU for its records: which CPU it is, and its configuration.

The identity comes from CPUID as this process reads it, so under an emulator it is that of the emulated CPU
and not of the host's; the configuration comes from /sys and /proc. Nothing depends on the locale, and nothing
identifies the computer or its owner.
"""

import hashlib
import os
import platform
import re
from functools import cache
from pathlib import Path
from typing import Literal

import cpuinfo  # type: ignore[import-untyped]
import msgspec

from slidebench.harness.bounded_types import Measure, Whole
from slidebench.harness.machine.microarchitectures import ROSETTA_BRAND, UNKNOWN, microarchitecture
from slidebench.harness.machine.system import System
from slidebench.kernels.features import EAX, EBX, Dump, Features, Pext, detect, pext

CoreKind = Literal["P", "E"]
CacheType = Literal["data", "instruction", "unified"]
_TYPES: dict[int, CacheType] = {1: "data", 2: "instruction", 3: "unified"}  # as CPUID numbers them


class Cache(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A cache of a core, and the number of logical CPUs that share it; None if the CPU does not report it."""

    level: Whole
    type: CacheType
    bytes: Whole
    line_bytes: Whole
    ways: Whole | None
    shared_by: Whole | None


class Cpu(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A computer's CPU. None means that neither the CPU nor the operating system reports it."""

    vendor: str
    family: Whole
    model: Whole
    stepping: Whole
    brand: str
    microarchitecture: str
    features: tuple[str, ...]
    caches: tuple[Cache, ...]
    hypervisor: str | None
    virtualised: bool
    core_kind: CoreKind | None  # of the core that read CPUID, on hybrid CPUs only
    cores_by_kind: dict[str, str] | None
    logical_cpus: Whole | None
    smt_active: bool | None
    governor: str | None
    boost: bool | None
    min_mhz: Measure | None
    max_mhz: Measure | None
    microcode: str | None
    operating_system: str | None


def describe(dump: Dump | None = None, system: System | None = None) -> Cpu:
    """The CPU of this computer, or of the one that recorded `dump`; `system` has its /sys and /proc.

    The first call without a dump takes about a second, in which py-cpuinfo measures a clock frequency.
    """
    here = dump is None
    features = detect() if dump is None else Features(dump)
    system = system or System(Path("/") if here else None)
    logical_cpus = system.logical_cpus() or (os.cpu_count() if here else None)
    return Cpu(
        vendor=features.vendor,
        family=features.family,
        model=features.model,
        stepping=features.stepping,
        brand=(_py_cpuinfo_brand(features) if here else "") or features.brand or UNKNOWN,
        microarchitecture=microarchitecture(features),
        features=tuple(sorted(features.names)),
        caches=caches(features.dump, logical_cpus),
        hypervisor=features.hypervisor,
        virtualised=features.hypervisor is not None,
        core_kind=_core_kind(features),
        cores_by_kind=system.cores_by_kind(),
        logical_cpus=logical_cpus,
        smt_active=system.smt_active(),
        governor=system.governor(),
        boost=system.boost(),
        min_mhz=system.min_mhz(),
        max_mhz=system.max_mhz(),
        # A guest sees a number that the hypervisor has made up.
        microcode=system.microcode() if features.hypervisor is None else None,
        operating_system=system.kernel() or (f"{platform.system()} {platform.release()}" if here else None),
    )


def pext_expected(cpu: Cpu) -> Pext:
    """The expected speed of PEXT by the CPU's family, and why."""
    return pext(cpu.vendor, cpu.family, "bmi2" in cpu.features)


def why_emulated(dump: Dump | None = None, system: System | None = None) -> str | None:
    """One sentence on why the CPU is emulated or its code translated; None if there is no sign of that.

    Under qemu-user, /proc/cpuinfo describes the host. The arguments are those of `describe`.
    """
    features = detect() if dump is None else Features(dump)
    system = system or System(Path("/") if dump is None else None)
    if not features.vendor:
        return None
    if (features.hypervisor or "").startswith("TCG"):
        return f"CPUID names QEMU's emulator ({features.hypervisor})"
    if features.brand.startswith(ROSETTA_BRAND):
        return f"CPUID names Apple's translator Rosetta ({features.brand})"
    here = features.vendor, str(features.family), str(features.model)
    host = system.signature()
    if host is not None and host != here:
        return f"CPUID says {_signature_text(*here)}, /proc/cpuinfo says {_signature_text(*host)}"
    return None


def _signature_text(vendor: str, family: str, model: str) -> str:
    return f"{vendor} family {family} model {model}" if vendor else "not x86-64"


def machine_name(cpu: Cpu) -> str:
    """The name of the folder of this computer's records, such as "zen5-3f9a1c".

    Equal CPUs with as many logical CPUs online have equal names, whichever core of a hybrid reads CPUID. The
    name says nothing about the owner.
    """
    slug = re.sub(r"[^a-z0-9]", "", cpu.microarchitecture.lower().replace("+", "plus"))
    caches_hashed = None if cpu.core_kind else cpu.caches  # P and E cores have different ones
    identity = (
        cpu.vendor, cpu.family, cpu.model, cpu.stepping, cpu.brand, caches_hashed, cpu.logical_cpus,
        cpu.virtualised,
    )  # fmt: skip
    return f"{slug}-{hashlib.sha256(msgspec.json.encode(identity)).hexdigest()[:6]}"


def caches(dump: Dump, logical_cpus: int | None = None) -> tuple[Cache, ...]:
    """The caches, nearest first, from leaf 0x8000001D (AMD), 4 (Intel, Zhaoxin) or 0x80000005 (old AMD).

    CPUs count sharers in APIC ids, which have gaps; there are never more than `logical_cpus`.
    """
    for leaf in (0x8000001D, 0x4):
        subleaves = [registers for (key, _), registers in sorted(dump.leaves.items()) if key == leaf]
        if subleaves:
            return tuple(
                _listed_cache(registers, logical_cpus)
                for registers in subleaves
                if registers[EAX] & 0x1F in _TYPES
            )
    return _old_amd_caches(dump)


def _listed_cache(registers: tuple[int, int, int, int], logical_cpus: int | None) -> Cache:
    eax, ebx, ecx, _ = registers
    line, partitions, ways = (ebx & 0xFFF) + 1, (ebx >> 12 & 0x3FF) + 1, (ebx >> 22) + 1
    sharers = (eax >> 14 & 0xFFF) + 1
    return Cache(
        level=eax >> 5 & 7,
        type=_TYPES[eax & 0x1F],
        bytes=line * partitions * ways * (ecx + 1),
        line_bytes=line,
        ways=ways,
        shared_by=min(sharers, logical_cpus or sharers),
    )


_OLD_AMD_WAYS = {1: 1, 2: 2, 4: 4, 6: 8, 8: 16, 10: 32, 11: 48, 12: 64, 13: 96, 14: 128}


def _old_amd_caches(dump: Dump) -> tuple[Cache, ...]:
    _, _, data, code = dump[0x80000005, 0]
    _, _, l2, l3 = dump[0x80000006, 0]
    all_caches = (
        Cache(1, "data", (data >> 24) << 10, data & 0xFF, data >> 16 & 0xFF, None),
        Cache(1, "instruction", (code >> 24) << 10, code & 0xFF, code >> 16 & 0xFF, None),
        Cache(2, "unified", (l2 >> 16) << 10, l2 & 0xFF, _OLD_AMD_WAYS.get(l2 >> 12 & 0xF), None),
        Cache(3, "unified", (l3 >> 18) << 19, l3 & 0xFF, _OLD_AMD_WAYS.get(l3 >> 12 & 0xF), None),
    )
    return tuple(cache for cache in all_caches if cache.bytes)


def _core_kind(features: Features) -> CoreKind | None:
    """The kind of core on a hybrid, from leaf 0x1A (Intel) or 0x80000026 (AMD)."""
    if "hybrid_cpu" in features.names:
        kinds: dict[int, CoreKind] = {0x40: "P", 0x20: "E"}
        return kinds.get(features.dump[0x1A, 0][EAX] >> 24)
    topology = features.dump[0x80000026, 0]
    if topology[EAX] >> 30 & 1:
        return "E" if topology[EBX] >> 28 else "P"
    return None


@cache
def _py_cpuinfo() -> dict[str, object]:
    """py-cpuinfo's answer, cached, as it takes a second; empty if it fails."""
    try:
        return dict(cpuinfo.get_cpu_info())
    except Exception:  # it raises plain Exception on an unknown platform
        return {}


def _py_cpuinfo_brand(features: Features) -> str:
    """py-cpuinfo's brand string; "" if it describes another CPU than CPUID does.

    Under an emulator it reads the host's /proc/cpuinfo.
    """
    answer = _py_cpuinfo()
    described = tuple(answer.get(key) for key in ("vendor_id_raw", "family", "model", "stepping"))
    if features.vendor and described != (features.vendor, features.family, features.model, features.stepping):
        return ""
    return " ".join(str(answer.get("brand_raw", "")).split())
