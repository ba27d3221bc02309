"""What the operating system reports about the CPU: files in /sys and /proc, which are never translated."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

_CPU = "sys/devices/system/cpu"


class CpuTimes(NamedTuple):
    """CPU time since boot, summed over all CPUs."""

    busy_seconds: float  # running programs and the kernel
    steal_seconds: float  # given to other virtual machines by the hypervisor
    total_seconds: float


def usable_cpus() -> int:
    """The number of logical CPUs that this process may use; all of them if the system does not say."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class System:
    """The files under `root`: "/", a recorded copy of it, or None if there are none.

    Every method returns None if its file cannot be read.
    """

    root: Path | None = Path("/")

    def logical_cpus(self) -> int | None:
        """The number of logical CPUs online."""
        online = self._read(f"{_CPU}/online")
        return _count(online) if online else None

    def smt_active(self) -> bool | None:
        """Whether simultaneous multithreading is on."""
        return self._flag(f"{_CPU}/smt/active")

    def cores_by_kind(self) -> dict[str, str] | None:
        """The logical CPUs of each kind on an Intel hybrid, such as {"P": "0-15", "E": "16-23"}."""
        kinds = {"P": self._read("sys/devices/cpu_core/cpus"), "E": self._read("sys/devices/cpu_atom/cpus")}
        return {kind: cpus for kind, cpus in kinds.items() if cpus} or None

    def governor(self) -> str | None:
        """The first CPU's frequency governor, such as "performance"."""
        return self._read(f"{_CPU}/cpu0/cpufreq/scaling_governor")

    def boost(self) -> bool | None:
        """Whether the clock may exceed its nominal frequency."""
        boost = self._flag(f"{_CPU}/cpufreq/boost")
        no_turbo = self._flag(f"{_CPU}/intel_pstate/no_turbo")
        return boost if no_turbo is None else not no_turbo

    def min_mhz(self) -> float | None:
        """The first CPU's lowest frequency."""
        return self._mhz("cpuinfo_min_freq")

    def max_mhz(self) -> float | None:
        """The first CPU's highest frequency."""
        return self._mhz("cpuinfo_max_freq")

    def microcode(self) -> str | None:
        """The microcode revision as the kernel writes it, such as "0xa20120a"."""
        return self._first_cpu().get("microcode")

    def signature(self) -> tuple[str, str, str] | None:
        """Vendor, family and model as the kernel writes them; "" for any that it leaves out."""
        first = self._first_cpu()
        if not first:
            return None
        return first.get("vendor_id", ""), first.get("cpu family", ""), first.get("model", "")

    def cpu_times(self) -> CpuTimes | None:
        """The CPU time spent since boot."""
        first = (self._read("proc/stat") or "").partition("\n")[0].split()
        if len(first) < 9 or first[0] != "cpu":
            return None
        user, nice, system, idle, waiting, interrupt, soft, steal = (
            int(ticks) / os.sysconf("SC_CLK_TCK") for ticks in first[1:9]
        )
        busy = user + nice + system + interrupt + soft
        return CpuTimes(busy, steal, busy + steal + idle + waiting)

    def on_battery(self) -> bool | None:
        """Whether a battery is being discharged; False on a machine without one."""
        if self.root is None:
            return None
        supplies = (self.root / "sys/class/power_supply").glob("*/status")
        return any(self._read(str(path.relative_to(self.root))) == "Discharging" for path in supplies)

    def kernel(self) -> str | None:
        """The kernel's name and release, such as "Linux 6.1.0-28-amd64"; never the host name."""
        parts = self._read("proc/sys/kernel/ostype"), self._read("proc/sys/kernel/osrelease")
        return " ".join(part for part in parts if part) or None

    def _first_cpu(self) -> dict[str, str]:
        """The fields of the first CPU in /proc/cpuinfo."""
        first, _, _ = (self._read("proc/cpuinfo") or "").partition("\n\n")
        rows = (line.partition(":") for line in first.splitlines())
        return {name.strip(): value.strip() for name, _, value in rows}

    def _read(self, path: str) -> str | None:
        if self.root is None:
            return None
        try:
            return (self.root / path).read_text("utf-8", "replace").strip() or None
        except OSError:
            return None

    def _flag(self, path: str) -> bool | None:
        return {"0": False, "1": True}.get(self._read(path) or "")

    def _mhz(self, name: str) -> float | None:
        khz = self._read(f"{_CPU}/cpu0/cpufreq/{name}")
        return int(khz) / 1000 if khz and khz.isdecimal() else None


def _count(ranges: str) -> int | None:
    """The length of a kernel list such as "0-3,8"; None if it is malformed."""
    total = 0
    for part in ranges.split(","):
        first, _, last = part.partition("-")
        if not (first.isdecimal() and (last or first).isdecimal()):
            return None
        total += int(last or first) - int(first) + 1
    return total
