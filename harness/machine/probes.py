"""Latency and throughput of single instructions on this CPU, in core cycles.

A cycle is one step of a chain of dependent additions, which every x86-64 CPU executes at one per cycle. The
chain is timed between the samples of each instruction, so that both see the same clock frequency. Interrupts
and a busy machine only add time, so the minimum of many short samples counts. A chain of multiplications
validates the result: a step takes a whole number of cycles, 3 on most CPUs, 5 on Gracemont, 6 on Excavator
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
BLOCKS = 200  # 12,800 additions take 3 microseconds: many samples fit between two interrupts
ROUNDS = 20
MIN_PASSES = 3
MAX_PASSES = 30  # while the machine is too busy for valid results

# Hardware takes 3 cycles for any mask; microcode takes 18, and more with every bit (github.com/InstLatx64).
MAX_GROWTH = 1.5
MAX_FAST_CYCLES = 8.0


class Verdict(msgspec.Struct, frozen=True):
    """How this CPU runs PEXT, and one sentence on why."""

    speed: Literal["fast", "microcoded", "emulated", "absent"]
    reason: str


class Reading(msgspec.Struct, frozen=True):
    """The latency of an instruction, and its reciprocal throughput: cycles per independent instruction.

    `mask_bits` is the popcount of the mask of pext and pdep, None for other instructions.
    """

    instruction: str
    mask_bits: int | None
    latency_cycles: float
    throughput_cycles: float


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """All readings; `not_valid` says why they cannot be trusted, None if they can."""

    not_valid: str | None
    imul_cycles: float | None
    pext: Verdict
    readings: list[Reading]
    absent: dict[str, str]  # instructions that were not measured, with the reasons


def probe(instructions: Iterable[str] = ()) -> Report:
    """Measure the instructions, by default all, and classify PEXT. Takes about 0.1 s.

    Raises UnavailableError for a name that cannot be probed.
    """
    chosen = tuple(dict.fromkeys(instructions)) or probes.INSTRUCTIONS
    absent = {name: reason for name in chosen if (reason := probes.why_not(name))}
    every_series = [series for name in dict.fromkeys(("imul", "pext", *chosen)) for series in _series(name)]
    imul_cycles = _measure(every_series)
    readings = [series.reading() for series in every_series]
    latencies = {
        reading.mask_bits: reading.latency_cycles
        for reading in readings
        if reading.instruction == "pext" and reading.mask_bits is not None
    }
    return Report(
        not_valid=_not_valid(imul_cycles),
        imul_cycles=imul_cycles,
        pext=judge_pext(latencies, features.detect().pext, cpu.why_emulated()),
        readings=[reading for name in chosen for reading in readings if reading.instruction == name],
        absent=absent,
    )


def why_emulated() -> str | None:
    """One sentence on why times on this machine would be an emulator's; None if there is no sign of one.

    The signs are what CPUID says, and then a PEXT that is slower than on any CPU of the same family.
    """
    reason = cpu.why_emulated()
    if reason or probes.why_not("pext"):
        return reason
    verdict = probe(["pext"]).pext
    return verdict.reason if verdict.speed == "emulated" else None


def judge_pext(latencies: dict[int, float], expected: features.Pext, why_emulated: str | None) -> Verdict:
    """The verdict on latencies in cycles by mask bits, given the speed `expected` of the CPU's family."""
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
        return Verdict("emulated", f"{measured}: microcode is never that fast")
    return Verdict("microcoded", measured)


class _Series:
    """The samples of an instruction, and of the additions between them."""

    def __init__(self, instruction: str, mask_bits: int | None) -> None:
        self.instruction, self.mask_bits = instruction, mask_bits
        operand = () if mask_bits is None else ((1 << mask_bits) - 1,)
        self._probe = probes.Probe(instruction, *operand)
        self._add = probes.Probe("add")
        self._ticks: list[tuple[int, int, int]] = []

    def sample(self) -> None:
        """Take one pass of samples, less its first round, in which the CPU powers up its vector units."""
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
    """Sample until imul, the first of the series, takes a valid number of cycles; return that number."""
    imul_cycles = None
    for passes in range(MAX_PASSES if series else 0):
        if passes >= MIN_PASSES and _not_valid(imul_cycles) is None:
            break
        for instruction in series:
            instruction.sample()
        imul_cycles = series[0].reading().latency_cycles
    return imul_cycles


def _not_valid(imul_cycles: float | None) -> str | None:
    if imul_cycles is None:
        return "no readings: this machine is not x86-64"
    nearest = min(IMUL_CYCLES, key=lambda cycles: abs(imul_cycles - cycles))
    if abs(imul_cycles - nearest) > TOLERANCE:
        return (
            f"invalid readings (imul took {imul_cycles:.2f} cycles): expected a whole number from "
            f"{IMUL_CYCLES[0]} to {IMUL_CYCLES[-1]}, as on an idle machine"
        )
    return None
