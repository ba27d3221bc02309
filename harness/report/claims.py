"""What the literature says against what was measured: the sayings are in claims.toml."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from slidebench.harness.analysis.stats import compare, perft_groups
from slidebench.harness.analysis.summary import RecordSummary
from slidebench.harness.code import disassembly, elf
from slidebench.harness.report.machines import Machine
from slidebench.kernels import Choice, UnavailableError, catalogue, levels
from slidebench.kernels.catalogue import BUILTIN

Verdict = Literal["confirmed", "not confirmed", "not measured here"]
MULTIPLICATIONS = ("imul", "mul", "mulx")


class Claim(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """One claim; the fields are explained in claims.toml."""

    text: str
    claimed: str
    source: str
    measure: str
    low: float = 0.0
    high: float = 0.0
    kernels: list[str] = []
    base: str = ""
    levels: list[str] = []
    piece: str = ""
    order: str = ""
    variables: list[str] = []


class Measured(NamedTuple):
    """A measured number with its interval; exact ones have none."""

    what: str
    value: float
    low: float
    high: float
    unit: str

    @property
    def text(self) -> str:
        places = 0 if self.value >= 100 or self.value.is_integer() else 2
        value, low, high = (f"{each:.{places}f}" for each in (self.value, self.low, self.high))
        return f"{self.what}: {value}{'' if self.low == self.high else f' [{low} to {high}]'} {self.unit}"


class Finding(NamedTuple):
    """A claim on one machine: what was measured, and what that says."""

    machine: Machine
    verdict: Verdict
    measured: list[Measured]
    why: str


def claims() -> list[Claim]:
    """All claims. Raises msgspec.ValidationError for a malformed one."""
    path = Path(__file__).with_name("claims.toml")
    return msgspec.convert(tomllib.loads(path.read_text("utf-8"))["claim"], list[Claim])


def finding(claim: Claim, machine: Machine) -> Finding:
    """What a machine's record says of a claim: confirmed if every interval lies within the claim's bounds."""
    measured = MEASURES[claim.measure](claim, machine.figures)
    if not measured:
        missing = ", ".join(claim.kernels) or "perft"
        return Finding(machine, "not measured here", [], f"the record has no such figures of {missing}")
    inside = all(claim.low <= each.low and each.high <= claim.high for each in measured)
    return Finding(machine, "confirmed" if inside else "not confirmed", measured, "")


def _lookup_time(claim: Claim, figures: RecordSummary) -> list[Measured]:
    """Nanoseconds per query at the highest level."""
    workload = figures.plain(claim.piece, claim.order)
    found = [
        (f"{kernel} {level}", figures.lookup(Choice(kernel, level), workload))
        for kernel in claim.kernels
        for level in figures.levels[-1:]
    ]
    return [Measured(what, *time[:3], "ns") for what, time in found if time]


def _table_size(claim: Claim, figures: RecordSummary) -> list[Measured]:
    sizes = {kernel: _table_bytes(figures, kernel) for kernel in claim.kernels}
    return [_exact(kernel, size / 1024, "KiB") for kernel, size in sizes.items() if size]


def _init_seconds(claim: Claim, figures: RecordSummary) -> list[Measured]:
    """Seconds to fill the tables at the highest level, once, factors searched where a kernel does that."""
    return [
        _exact(_named(build.choice), build.init_nanoseconds / 1e9, "s")
        for build in figures.record.builds
        if build.kernel in claim.kernels and build.level == figures.levels[-1] and build.init_nanoseconds
    ]


def _table_ratio(claim: Claim, figures: RecordSummary) -> list[Measured]:
    base = _table_bytes(figures, claim.base)
    sizes = {kernel: _table_bytes(figures, kernel) for kernel in claim.kernels}
    return [
        _exact(f"{kernel} / {claim.base}", size / base, "times")
        for kernel, size in sizes.items()
        if size and base
    ]


def _variable_size(claim: Claim, figures: RecordSummary) -> list[Measured]:
    """Bytes of variables in the modules built here."""
    found = []
    for kernel in claim.kernels:
        try:
            symbols = elf.module_symbols(Choice(kernel, levels()[0], BUILTIN))
        except UnavailableError:
            continue
        found += [
            _exact(name, symbols[name].size / 1024, "KiB") for name in claim.variables if name in symbols
        ]
    return found


def _fastest(claim: Claim, figures: RecordSummary) -> list[Measured]:
    """Million nodes/s of the fastest kernel at each level."""
    found = []
    for level in figures.levels:
        ranked = [(rate, choice) for choice, rate in figures.nodes.items() if choice.level == level]
        rate, choice = max(ranked, key=lambda pair: pair[0].median)
        found.append(
            Measured(_named(choice), rate.median / 1e6, rate.low / 1e6, rate.high / 1e6, "million nodes/s")
        )
    return found


def _popcount_ratio(claim: Claim, figures: RecordSummary) -> list[Measured]:
    """Speed with arithmetic popcount as a part of that with the compiler's, where the level has POPCNT."""
    return _ratios(
        figures,
        [
            (f"{kernel} {level}, swar / {BUILTIN}", Choice(kernel, level, "swar"), Choice(kernel, level))
            for kernel in claim.kernels
            for level in figures.levels
            if "popcnt" in catalogue.level_features(level)
        ],
    )


def _level_ratio(claim: Claim, figures: RecordSummary) -> list[Measured]:
    one, other = claim.levels
    return _ratios(
        figures,
        [
            (f"{kernel}, {one} / {other}", Choice(kernel, one), Choice(kernel, other))
            for kernel in claim.kernels
        ],
    )


def _kernel_ratio(claim: Claim, figures: RecordSummary) -> list[Measured]:
    return _ratios(
        figures,
        [
            (f"{kernel} / {claim.base}, {level}", Choice(kernel, level), Choice(claim.base, level))
            for kernel in claim.kernels
            for level in figures.levels
        ],
    )


def _multiplications(claim: Claim, figures: RecordSummary) -> list[Measured]:
    """Multiply instructions in the loop over rook queries, as built here at the highest level."""
    found = []
    for kernel in claim.kernels:
        try:
            mnemonics = disassembly.listing(Choice(kernel, levels()[-1], BUILTIN)).mnemonics
        except UnavailableError:
            continue
        found.append(_exact(kernel, sum(each in MULTIPLICATIONS for each in mnemonics), "multiplications"))
    return found


MEASURES: dict[str, Callable[[Claim, RecordSummary], list[Measured]]] = {
    "lookup_time": _lookup_time,
    "table_size": _table_size,
    "init_seconds": _init_seconds,
    "table_ratio": _table_ratio,
    "variable_size": _variable_size,
    "fastest": _fastest,
    "popcount_ratio": _popcount_ratio,
    "level_ratio": _level_ratio,
    "kernel_ratio": _kernel_ratio,
    "multiplications": _multiplications,
}


def _named(choice: Choice) -> str:
    """The kernel and level, and the popcount where it is not the one to expect."""
    named = f"{choice.kernel} {choice.level}"
    return named if choice.popcount == BUILTIN else f"{named}, {choice.popcount} popcount"


def _table_bytes(figures: RecordSummary, kernel: str) -> int:
    sizes = [build.table_bytes for choice, build in figures.builds.items() if choice.kernel == kernel]
    return max(sizes, default=0)


def _exact(what: str, value: float, unit: str) -> Measured:
    return Measured(what, float(value), value, value, unit)


def _ratios(figures: RecordSummary, wanted: list[tuple[str, Choice, Choice]]) -> list[Measured]:
    """Ratios of nodes/s within rounds, where the record has both."""
    groups = perft_groups(figures.record)
    there = [(what, one, other) for what, one, other in wanted if one in groups and other in groups]
    found = compare([(groups[one], groups[other]) for _, one, other in there])
    return [
        Measured(what, each.ratio, each.low, each.high, "times")
        for (what, _, _), each in zip(there, found, strict=True)
        if each
    ]
