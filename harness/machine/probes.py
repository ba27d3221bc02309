"""Latency and throughput of single instructions on this CPU, in core cycles.

A cycle is one step of a chain of dependent additions, which every x86-64 CPU makes at one a cycle. The chain
is timed between the samples of each instruction, so that both see the same clock frequency. Interruptions and
a busy machine only add time: the least of many short samples counts. A chain of multiplications shows whether
that worked: a step takes a whole number of cycles, 3 on most CPUs, 5 on Gracemont, 6 on Excavator
(github.com/InstLatx64).
"""

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from slidebench.harness.machine import cpu
from slidebench.kernels import features, probes

MASK_BITS = (0, 6, 10, 12, 14, 30, 60)  # relevant masks have 5 to 12
MASKED = ("pext", "pdep")
IMUL_CYCLES = range(3, 7)
TOLERANCE = 0.1
BLOCKS = 200  # 12,800 additions are 3 microseconds: many samples fit between two interruptions
ROUNDS = 20
PASSES = 3
MAX_PROBE_ITERATIONS = 30  # while the machine is too busy for valid figures

# Hardware takes 3 cycles whatever the mask; microcode 18 and more for every bit (github.com/InstLatx64).
MAX_GROWTH = 1.5
MAX_FAST_CYCLES = 8.0


class Verdict(msgspec.Struct, frozen=True):
    """What PEXT is on this CPU, and one sentence on why."""

    speed: Literal["fast", "microcoded", "emulated", "absent"]
    reason: str


class Reading(msgspec.Struct, frozen=True):
    """One instruction: cycles until its result can be used, and cycles for each of many independent ones.

    `mask_bits` is the popcount of the mask of pext and pdep, None for the others.
    """

    instruction: str
    mask_bits: int | None
    latency_cycles: float
    throughput_cycles: float


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """All readings; `not_valid` says why they mean nothing, None if they do."""

    not_valid: str | None
    imul_cycles: float | None
    pext: Verdict
    readings: list[Reading]
    absent: dict[str, str]  # why instructions could not be measured


def probe(instructions: Iterable[str] = ()) -> Report:
    """Measure the instructions, or all there are, and judge PEXT; takes about 0.1 s.

    Raises UnavailableError for a name that cannot be probed.
    """
    chosen = tuple(dict.fromkeys(instructions)) or probes.INSTRUCTIONS
    absent = {name: reason for name in chosen if (reason := probes.why_not(name))}
    series = [one for name in ("imul", "pext", *chosen) for one in _series(name)]
    unique = list({(one.instruction, one.mask_bits): one for one in series}.values())
    imul_cycles = _measure(unique)
    readings = [one.reading() for one in unique]
    latencies = {
        one.mask_bits: one.latency_cycles
        for one in readings
        if one.instruction == "pext" and one.mask_bits is not None
    }
    return Report(
        not_valid=_not_valid(imul_cycles),
        imul_cycles=imul_cycles,
        pext=judge_pext(latencies, features.detect().pext, cpu.why_emulated()),
        readings=[one for name in chosen for one in readings if one.instruction == name],
        absent=absent,
    )


def why_emulated() -> str | None:
    """One sentence on why times taken here would be an emulator's; None if nothing says so.

    What the CPU says of itself comes first; then a PEXT slower than on any CPU of its name.
    """
    said = cpu.why_emulated()
    if said or probes.why_not("pext"):
        return said
    verdict = probe(["pext"]).pext
    return verdict.reason if verdict.speed == "emulated" else None


def judge_pext(latencies: dict[int, float], expected: features.Pext, why_emulated: str | None) -> Verdict:
    """The verdict on latencies in cycles by mask bits, given what the CPU's family promises."""
    if not latencies:
        return Verdict("absent", expected.reason)
    if why_emulated:
        return Verdict("emulated", why_emulated)
    fewest, most = min(latencies), max(latencies)
    shortest, longest = latencies[fewest], latencies[most]
    measured = f"{shortest:.1f} cycles with {fewest} mask bits, {longest:.1f} with {most}"
    if longest <= MAX_GROWTH * shortest and shortest <= MAX_FAST_CYCLES:
        return Verdict("fast", measured)
    if expected.speed == "fast":
        return Verdict("emulated", f"{measured}, but {expected.reason}")
    if shortest <= MAX_FAST_CYCLES:
        return Verdict("emulated", f"{measured}: microcode is never that quick")
    return Verdict("microcoded", measured)


class _Series:
    """The samples of one instruction, and of the additions between them."""

    def __init__(self, instruction: str, mask_bits: int | None) -> None:
        self.instruction, self.mask_bits = instruction, mask_bits
        operand = () if mask_bits is None else ((1 << mask_bits) - 1,)
        self._probe = probes.Probe(instruction, *operand)
        self._add = probes.Probe("add")
        self._ticks: list[tuple[int, int, int]] = []

    def sample(self) -> None:
        """One pass of samples; its first round, in which the CPU wakes its vector units, does not count."""
        self._ticks += [
            (
                self._probe.latency_ticks(BLOCKS),
                self._probe.throughput_ticks(BLOCKS),
                self._add.latency_ticks(BLOCKS),
            )
            for _ in range(ROUNDS)
        ][1:]

    def reading(self) -> Reading:
        latency, throughput, cycle = (min(ticks) for ticks in zip(*self._ticks, strict=True))
        return Reading(
            self.instruction, self.mask_bits, round(latency / cycle, 3), round(throughput / cycle, 3)
        )


def _series(instruction: str) -> Iterator[_Series]:
    if instruction in probes.INSTRUCTIONS and probes.why_not(instruction) is None:
        for mask_bits in MASK_BITS if instruction in MASKED else (None,):
            yield _Series(instruction, mask_bits)


def _measure(series: list[_Series]) -> float | None:
    """Sample until the multiplication is right, or for the most passes; returns its cycles."""
    imul_cycles = None
    for done in range(MAX_PROBE_ITERATIONS if series else 0):
        if done >= PASSES and _not_valid(imul_cycles) is None:
            break
        for one in series:
            one.sample()
        imul_cycles = series[0].reading().latency_cycles
    return imul_cycles


def _not_valid(imul_cycles: float | None) -> str | None:
    if imul_cycles is None:
        return "not valid: this machine is not x86-64"
    nearest = min(IMUL_CYCLES, key=lambda cycles: abs(imul_cycles - cycles))
    if abs(imul_cycles - nearest) > TOLERANCE:
        wanted = f"a whole number from {IMUL_CYCLES[0]} to {IMUL_CYCLES[-1]}"
        return (
            f"not valid: imul came out at {imul_cycles:.2f} cycles and not at {wanted}; "
            "try again on an idle machine"
        )
    return None
