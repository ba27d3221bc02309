"""The kernels, levels and popcounts that exist, those that this machine can run, and why not the others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

from slidebench.kernels import catalogue, features
from slidebench.kernels.errors import UnavailableError

_BUILT = Path(__file__).parent / "built"


@dataclass(frozen=True, order=True)
class Choice:
    """A kernel, a level and a popcount: the key of everything that is built, timed and compared."""

    kernel: str
    level: str
    popcount: str = catalogue.BUILTIN

    def __str__(self) -> str:
        return f"{self.kernel} {self.level} {self.popcount}"

    @property
    def module_path(self) -> Path | None:
        """The file of the compiled module; None if it is not built."""
        return _built_modules().get(catalogue.module_name(self.kernel, self.popcount, self.level))


@dataclass(frozen=True)
class Selection:
    """The kernels that a user selects: by kernel, level and popcount, each a name or None for any.

    Every method raises UnavailableError for an unknown name, and with the reason if no kernel is left.
    """

    kernel: str | None = None
    level: str | None = None
    popcount: str | None = None

    def best(self) -> Choice:
        """The default choice: the highest level that runs, with PEXT unless it is slow, else fancy magics.

        PEXT is microcoded on AMD families 0x15 to 0x18 (Excavator to Zen 2, and Hygon).
        """
        self._check_names()
        popcount = self.popcount or catalogue.BUILTIN
        preferred = ("magic_fancy",) if features.detect().slow_pext else ("pext", "magic_fancy")
        candidates = (self.kernel,) if self.kernel else preferred
        highest_first = (self.level,) if self.level else tuple(reversed(levels()))
        for level, kernel in product(highest_first, candidates):
            if why_not(kernel, level, popcount) is None:
                return Choice(kernel, level, popcount)
        raise _unavailable(Choice(candidates[0], self.level or levels()[-1], popcount))

    def runnable(self) -> list[Choice]:
        """The choices that this machine can run, ordered by kernel, popcount and level."""
        choices = [
            choice for choice in self._all() if why_not(choice.kernel, choice.level, choice.popcount) is None
        ]
        if not choices:
            self.best()  # raises with the reason
        return choices

    def built(self) -> list[Choice]:
        """The choices that are built, whether this machine can run them or not."""
        choices = [choice for choice in self._all() if choice.module_path]
        if not choices:
            raise _unavailable(self._all()[0])
        return choices

    def _all(self) -> list[Choice]:
        self._check_names()
        return [
            Choice(kernel, level, popcount)
            for kernel, popcount, level in product(
                (self.kernel,) if self.kernel else names(),
                (self.popcount,) if self.popcount else popcounts(),
                (self.level,) if self.level else levels(),
            )
        ]

    def _check_names(self) -> None:
        if self.kernel is not None:
            require("kernel", self.kernel, names())
        if self.level is not None:
            require("level", self.level, levels())
        if self.popcount is not None:
            require("popcount", self.popcount, popcounts())


def _unavailable(choice: Choice) -> UnavailableError:
    reason = why_not(choice.kernel, choice.level, choice.popcount)
    return UnavailableError(f"{choice.kernel} at {choice.level}: {reason}")


def names() -> tuple[str, ...]:
    """The names of all kernels, one for each file in sliders/."""
    return tuple(catalogue.sliders())


def levels() -> tuple[str, ...]:
    """The levels of this architecture, lowest first: v1 to v4, or `generic` alone."""
    if catalogue.GENERIC.name in _built_levels():
        return (catalogue.GENERIC.name,)
    return tuple(level.name for level in catalogue.LEVELS)


def popcounts() -> tuple[str, ...]:
    """The names of all popcounts, one for each file in popcounts/."""
    return tuple(catalogue.popcounts())


def combinations() -> tuple[tuple[str, str], ...]:
    """The (kernel, popcount) pairs that can be built."""
    return tuple(catalogue.combinations())


def standard(choice: Choice) -> bool:
    """Whether a choice belongs to the standard set, which a run times by default."""
    return catalogue.standard(choice.kernel, choice.popcount)


def describe(kernel: str) -> catalogue.Source:
    """The header of a kernel's file: title, author, year, source, needs, answers, text.

    Raises UnavailableError for an unknown kernel.
    """
    require("kernel", kernel, names())
    return catalogue.sliders()[kernel]


def why_not(kernel: str, level: str, popcount: str = catalogue.BUILTIN) -> str | None:
    """One sentence on why this machine cannot run a kernel at a level; None if it can.

    No kernel is imported to find out. Raises UnavailableError for unknown names.
    """
    source = describe(kernel)
    require("level", level, levels())
    require("popcount", popcount, popcounts())
    if catalogue.too_low(kernel, level):
        return f"needs level {source.lowest_level} or higher"
    if catalogue.module_name(kernel, popcount, level) not in _built_modules():
        reasons = _missing()
        reason = reasons.get(level) or reasons.get(catalogue.module_name(kernel, popcount, level))
        if reason:
            return f"not built: {reason}"
        if (kernel, popcount) in combinations():
            return "not built: run `make install`, which builds every kernel"
        return f"not built with {popcount} popcount at {level}"
    return features.detect().why_missing(*catalogue.level_features(level), *source.extra_features) or None


def why_not_level(level: str) -> str | None:
    """One sentence on why this machine cannot run any kernel at a level; None if it can."""
    require("level", level, levels())
    reason = _missing().get(level)
    if reason:
        return f"not built: {reason}"
    return features.detect().why_missing(*catalogue.level_features(level)) or None


@cache
def build_commit() -> tuple[str, bool]:
    """The git commit of this build ("unknown" outside a checkout), and whether the checkout was dirty."""
    commit = (_BUILT / "commit.txt").read_text("utf-8").strip()
    return commit.removesuffix("-dirty"), commit.endswith("-dirty")


def require(kind: str, name: str, accepted: tuple[str, ...]) -> None:
    """Raise UnavailableError unless `name` is one of the accepted names."""
    if name not in accepted:
        raise UnavailableError(f"unknown {kind} {name!r}: expected one of {', '.join(accepted)}")


@cache
def _built_modules() -> dict[str, Path]:
    return {path.name.partition(".")[0]: path for path in sorted(_BUILT.glob("*.so"))}


@cache
def _built_levels() -> frozenset[str]:
    return frozenset(name.rpartition("_")[2] for name in _built_modules())


@cache
def _missing() -> dict[str, str]:
    """The levels and modules that the compiler could not build, with the reasons."""
    path = _BUILT / "missing.txt"
    rows = path.read_text("utf-8").splitlines() if path.exists() else []
    return {name: reason for name, _, reason in (row.partition(": ") for row in rows) if reason}
