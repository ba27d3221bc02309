"""Modelled cycles per query on other CPUs: llvm-mca 19, a static pipeline model, on the built loops.

The model assumes that every load hits the L1 cache and that no branch is mispredicted, and it ignores the
values of masks. Its figures are labelled "modelled" and shown next to a measurement of the same loops on this
CPU. Only CPUs whose figures were checked are modelled.
"""

import json
import shutil
import subprocess
from collections.abc import Sequence
from typing import Literal

import msgspec

from slidebench import kernels
from slidebench.harness import workloads
from slidebench.harness.code import stopwatch
from slidebench.harness.code.loops import LoopError, query_loop
from slidebench.harness.errors import UserError
from slidebench.harness.machine import cpu
from slidebench.kernels import catalogue

TOOL = "llvm-mca-19"
ITERATIONS = 1000
MASK_INSTRUCTIONS = ("pext", "pdep")


class ModelError(UserError):
    """A CPU without a good model, or llvm-mca missing or failing."""


class Target(msgspec.Struct, frozen=True):
    """A CPU that llvm-mca models well: highest level, features beyond it, and whether it models PEXT."""

    level: str
    features: frozenset[str] = frozenset()
    pext: bool = True


_BEYOND_V4 = frozenset({"avx512_bitalg", "avx512_vbmi", "avx512_vbmi2", "avx512_vpopcntdq", "gfni"})
TARGETS = {
    "haswell": Target("v3"),
    "skylake": Target("v3"),
    "icelake-server": Target("v4", _BEYOND_V4),
    "znver1": Target("v3", pext=False),
    "znver2": Target("v3", pext=False),
    "znver3": Target("v3"),
    "znver4": Target("v4", _BEYOND_V4),
}
REFUSED = {
    "alderlake": "LLVM 19 gets its scalar instructions wrong",
    "sapphirerapids": "LLVM 19 gets its scalar instructions wrong",
    "znver5": "LLVM 19 gives it the figures of znver4",
}
NEAREST = {
    "Haswell": "haswell", "Skylake": "skylake", "Ice Lake": "icelake-server",
    "Zen": "znver1", "Zen+": "znver1", "Zen 2": "znver2",
    "Zen 3": "znver3", "Zen 4": "znver4", "Zen 5": "znver4",
}  # fmt: skip


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """Cycles per query of one loop on one CPU, or why it has no figure."""

    kernel: str
    level: str
    query: str
    order: workloads.Order
    cpu: str
    label: Literal["modelled", "measured"]
    cycles: float | None
    why_not: str | None = None


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """Estimates for the targets, and for this CPU: measured, and modelled as the nearest known CPU."""

    modelled: list[Estimate]
    here: str
    nearest: str | None
    measured: list[Estimate]
    nearest_modelled: list[Estimate]


def model(targets: Sequence[str], choices: Sequence[kernels.Choice], query: str) -> Model:
    """Model every loop on every target, and measure it on this CPU if it can run there.

    Raises ModelError for a target without a good model, and if llvm-mca 19 is not installed.
    """
    loops = _loops(choices, query)
    here = cpu.describe()
    nearest = NEAREST.get(here.microarchitecture)
    return Model(
        modelled=_modelled(loops, targets),
        here=here.microarchitecture,
        nearest=nearest,
        measured=_measured(loops),
        nearest_modelled=_modelled(loops, [nearest]) if nearest else [],
    )


def modelled(targets: Sequence[str], choices: Sequence[kernels.Choice], query: str) -> list[Estimate]:
    """Model every loop on every target, in the order of the targets.

    Nothing is run, so equal builds give equal figures.

    Raises ModelError as `model` does.
    """
    return _modelled(_loops(choices, query), targets)


def check_target(name: str) -> None:
    """Raise ModelError for a CPU without a good model."""
    if name not in TARGETS:
        reason = REFUSED.get(name, "its model was not checked")
        raise ModelError(f"{name} is not modelled ({reason}): expected one of {', '.join(TARGETS)}")


class _Loop:
    """One loop of one built kernel: its assembly, or why it has none."""

    def __init__(self, choice: kernels.Choice, query: str, order: workloads.Order) -> None:
        self.choice, self.query, self.order = choice, query, order
        self.lines: list[str] = []
        self.why_not: str | None = None
        try:
            self.lines = query_loop(choice, f"{query}_{order}")
        except LoopError as error:
            self.why_not = str(error)

    def estimate(
        self,
        name: str,
        label: Literal["modelled", "measured"],
        cycles: float | None,
        why_not: str | None = None,
    ) -> Estimate:
        return Estimate(
            kernel=self.choice.kernel, level=self.choice.level, query=self.query, order=self.order,
            cpu=name, label=label, cycles=None if cycles is None else round(cycles, 2), why_not=why_not,
        )  # fmt: skip

    def why_not_on(self, name: str) -> str | None:
        """Why a target's model gives no figure for this loop; None if it gives one."""
        target = TARGETS[name]
        missing = set(catalogue.sliders()[self.choice.kernel].extra_features) - target.features
        if catalogue.level_order(self.choice.level) > catalogue.level_order(target.level):
            return f"{name} cannot run {self.choice.level}"
        if missing:
            return f"{name} has no {', '.join(sorted(missing))}"
        if not target.pext and any(line.startswith(MASK_INSTRUCTIONS) for line in self.lines):
            return f"{name} runs PEXT from microcode, which its model gets wrong"
        return self.why_not


def _loops(choices: Sequence[kernels.Choice], query: str) -> list[_Loop]:
    return [_Loop(choice, query, order) for choice in choices for order in workloads.ORDERS]


def _modelled(loops: Sequence[_Loop], targets: Sequence[str]) -> list[Estimate]:
    for target in targets:
        check_target(target)
    return [estimate for target in targets for estimate in _on_target(loops, target)]


def _on_target(loops: Sequence[_Loop], target: str) -> list[Estimate]:
    refusals = [loop.why_not_on(target) for loop in loops]
    possible = [loop for loop, refusal in zip(loops, refusals, strict=True) if refusal is None]
    cycles = iter(_analysed([loop.lines for loop in possible], target))
    return [
        loop.estimate(target, "modelled", None if refusal else next(cycles), refusal)
        for loop, refusal in zip(loops, refusals, strict=True)
    ]


def _analysed(loops: list[list[str]], target: str) -> list[float]:
    """Cycles per iteration of each loop, over ITERATIONS iterations in llvm-mca."""
    if not loops:
        return []
    tool = shutil.which(TOOL)
    if tool is None:
        raise ModelError(f"{TOOL} is not installed: on Debian, apt-get install llvm-19")
    text = "".join("# LLVM-MCA-BEGIN\n" + "\n".join(lines) + "\n# LLVM-MCA-END\n" for lines in loops)
    command = [tool, "-mtriple=x86_64-linux-gnu", f"-mcpu={target}", "--json", f"--iterations={ITERATIONS}"]
    result = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if result.returncode:
        raise ModelError(f"{TOOL} cannot read a loop: {result.stderr.strip().splitlines()[0]}")
    regions = json.loads(result.stdout)["CodeRegions"]
    return [region["SummaryView"]["TotalCycles"] / ITERATIONS for region in regions]


def _measured(loops: Sequence[_Loop]) -> list[Estimate]:
    """Cycles per query on this CPU, or the reason why it cannot run a loop."""
    return [_measure(loop, cpu.why_emulated()) for loop in loops]


def _measure(loop: _Loop, emulated: str | None) -> Estimate:
    choice = loop.choice
    refusal = emulated or kernels.why_not(choice.kernel, choice.level, choice.popcount)
    if refusal:
        return loop.estimate("here", "measured", None, refusal)
    return loop.estimate("here", "measured", stopwatch.cycles_per_query(choice, loop.query, loop.order))
