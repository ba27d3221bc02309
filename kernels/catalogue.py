"""What can be built: the levels, and one kernel for each file in sliders/.

The build asks this file for its lists (`python catalogue.py modules`) and the installed package reads the
same tables, so a new kernel is one new file and a new level is one new line.

A slider or popcount file begins with a comment of `key: value` lines, then free text:

    # title: what people call it          # answers: one square | queen | set-wise
    # author: who devised it              # needs: lowest level, then any CPU features beyond it
    # year, source: where it is described # contains, lacks: instructions the built code must (not) have

`needs` lists only features of FEATURE_FLAGS: those of a level come with the level. `contains` and `lacks`
list mnemonics, separated by commas; `bextr from v3` applies to v3 and above. Any other key, level or feature
is an error, for the build too.
"""

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Level:
    """One x86-64 psABI level: its compiler flags, and the CPU features it adds to the level before.

    `tuning` flags are for kernels that also run below the level, where the compiler knows them.
    """

    name: str
    flags: str
    features: tuple[str, ...]
    tuning: str = ""


# The x86-64 psABI's micro-architecture levels (x86-64 ABI supplement, 2020).
LEVELS = (
    Level("v1", "-march=x86-64", ()),
    Level("v2", "-march=x86-64-v2", ("cx16", "lahf_lm", "popcnt", "sse3", "sse4_1", "sse4_2", "ssse3")),
    Level("v3", "-march=x86-64-v3",
          ("avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "lzcnt", "movbe", "osxsave")),
    # With AVX-512, gcc keeps integers in mask and vector registers when it runs out of others, and copies
    # structures in larger parts than they are read in (together 5 % of perft). Kernels that do not ask for
    # AVX-512 get the code of v3 instead.
    Level("v4", "-march=x86-64-v4", ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
          tuning=" ".join(["-mmove-max=128 -mstore-max=128", *(f"-ffixed-k{n}" for n in range(8)),
                           *(f"-ffixed-xmm{n}" for n in range(16, 32))])),
)  # fmt: skip
GENERIC = Level("generic", "", ())  # the only level of a machine that is not x86-64

# CPU features beyond the levels that a kernel may need, with the compiler flag for each.
FEATURE_FLAGS = {
    "gfni": "-mgfni",
    "avx512_vbmi": "-mavx512vbmi",
    "avx512_vbmi2": "-mavx512vbmi2",
    "avx512_bitalg": "-mavx512bitalg",
    "avx512_vpopcntdq": "-mavx512vpopcntdq",
}
# Features for which compilers define no macro.
NO_MACRO = {"cx16", "lahf_lm", "osxsave"}


class HeaderError(ValueError):
    """A mistake in the header of a slider or popcount file: `path:line: what is wrong: what was expected`."""


@dataclass(frozen=True)
class Source:
    """A slider or popcount file: its header fields ("" if absent) and the text below them, without `#`."""

    name: str
    title: str = ""
    author: str = ""
    year: str = ""
    source: str = ""
    needs: str = ""
    answers: str = ""
    contains: str = ""
    lacks: str = ""
    text: str = ""

    @property
    def fields(self) -> dict[str, str]:
        """The header fields that the file has, by key."""
        return {key: value for key in HEADER_KEYS if (value := getattr(self, key))}

    @property
    def lowest_level(self) -> str:
        return (self.needs or LEVELS[0].name).split()[0]

    @property
    def extra_features(self) -> tuple[str, ...]:
        """CPU features needed beyond the level."""
        return tuple(self.needs.split()[1:])


HEADER_KEYS = ("title", "author", "year", "source", "needs", "answers", "contains", "lacks")


def _require_known(kind: str, word: str, known: Iterable[str]) -> None:
    """Raise ValueError if a word of a header is not one of the known ones."""
    known = tuple(known)
    if word not in known:
        raise ValueError(f"unknown {kind} {word!r}: expected one of {', '.join(known)}")


def _check_field(key: str, value: str) -> None:
    """Raise ValueError if a header line has an unknown key, level or CPU feature."""
    _require_known("header key", key, HEADER_KEYS)
    levels = [level.name for level in LEVELS]
    if key == "needs":
        level, *features = value.split() or [""]
        _require_known("level", level, levels)
        for feature in features:
            if feature in level_features(level):
                raise ValueError(f"feature {feature!r} is part of {level}: expected only features beyond it")
            _require_known("feature", feature, FEATURE_FLAGS)
    if key in ("contains", "lacks"):
        for term in value.split(","):
            _, separator, level = term.strip().partition(" from ")
            if separator:
                _require_known("level", level, levels)


def read_source(path: Path) -> Source:
    """The header of one slider or popcount file. Raises HeaderError, naming the line, if it is invalid."""
    fields: dict[str, str] = {}
    text: list[str] = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if not line.startswith("#"):
            break
        content = line.removeprefix("#").removeprefix(" ")
        key, colon, value = content.partition(": ")
        if colon and key.isalpha() and not text:
            try:
                _check_field(key, value.strip())
            except ValueError as error:
                raise HeaderError(f"{path}:{number}: {error}") from None
            fields[key] = value.strip()
        elif content or text:
            text.append(content)
    return Source(path.stem, **fields, text="\n".join(text).strip("\n"))


def declared(field: str, level: str) -> list[str]:
    """The mnemonics of a `contains` or `lacks` field that apply to a level."""
    terms = [term.strip().partition(" from ") for term in field.split(",") if term.strip()]
    return [
        mnemonic for mnemonic, _, lowest in terms if not lowest or level_order(level) >= level_order(lowest)
    ]


@cache
def sliders() -> dict[str, Source]:
    """Every kernel by name: the files in sliders/."""
    return {path.stem: read_source(path) for path in sorted((HERE / "sliders").glob("*.pxi"))}


@cache
def popcounts() -> dict[str, Source]:
    """Every popcount by name: the files in popcounts/."""
    return {path.stem: read_source(path) for path in sorted((HERE / "popcounts").glob("*.pxi"))}


def level_order(name: str) -> int:
    """Position of a level in LEVELS; GENERIC counts as the first. Raises ValueError for any other name."""
    if name == GENERIC.name:
        return 0
    names = [level.name for level in LEVELS]
    _require_known("level", name, names)
    return names.index(name)


def level_rank(name: str) -> int:
    """A sort key for level names in records of other builds: 0 for a name that this build does not know."""
    return level_order(name) if name in {level.name for level in LEVELS} else 0


def level_features(name: str) -> tuple[str, ...]:
    """All CPU features that code of a level may use: its own and those of the levels before it."""
    if name == GENERIC.name:
        return ()
    return tuple(feature for level in LEVELS[: level_order(name) + 1] for feature in level.features)


def module_name(kernel: str, popcount: str, level: str) -> str:
    return f"{kernel}_{popcount}_{level}"


# The standard set, which `make bench` builds and a run times by default: the kernels that programs use, one
# or two of each family, and the other popcounts with one kernel.
STANDARD_KERNELS = (
    "ray_loop", "classical_rays", "rotated", "kindergarten",
    "magic_plain", "magic_fancy", "magic_black", "pext", "pext_soft",
    "hyperbola", "hyperbola_avx2",
    "kogge_stone", "kogge_stone_avx2", "kogge_stone_avx512", "kogge_stone_vpopcnt",
)  # fmt: skip
# Popcounts other than the builtin change how fast leaves are counted, not how attacks are looked up: each is
# built with one kernel (magic_fancy), or with those listed.
BUILTIN = "builtin"  # the compiler's own popcount, the default
POPCOUNT_KERNELS = {
    BUILTIN: None,
    "swar": ("magic_fancy", "magic_plain", "pext", "pext_soft", "ray_loop", "rotated"),
}


def combinations() -> list[tuple[str, str]]:
    """The (kernel, popcount) pairs that can be built: few kernels with a popcount other than the builtin."""
    return [
        (kernel, popcount)
        for popcount in popcounts()
        for kernel in sliders()
        if kernel in (POPCOUNT_KERNELS.get(popcount, ("magic_fancy",)) or sliders())
    ]


def standard(kernel: str, popcount: str) -> bool:
    """Whether a pair belongs to the standard set."""
    return kernel in STANDARD_KERNELS and (popcount == BUILTIN or kernel == "magic_fancy")


def too_low(kernel: str, level: str) -> bool:
    """Whether a kernel needs a higher level than this one."""
    return level_order(level) < level_order(sliders()[kernel].lowest_level)


# ---- what the build asks for -----------------------------------------------------------------------------


def _macro(feature: str) -> str:
    """The macro a compiler defines for a feature: __AVX2__, but __BMI__ and __AVX512VBMI__."""
    return f"__{'BMI' if feature == 'bmi1' else feature.upper().replace('AVX512_', 'AVX512')}__"


def _guard(level: str, extra: tuple[str, ...]) -> str:
    """A C header that stops the build if CFLAGS or the compiler's defaults changed the level."""
    allowed = {*level_features(level), *extra}
    lines = [f"/* Compiled for {level}: the compiler's macros must say so. */", "#pragma once"]
    for feature in (*level_features(LEVELS[-1].name), *FEATURE_FLAGS):
        if feature in NO_MACRO or level == GENERIC.name:
            continue
        if feature in allowed:
            problem = f"this compiler does not enable {feature} at {level}"
            lines += [f"#ifndef {_macro(feature)}", f'#error "{problem}"', "#endif"]
        else:
            problem = f"{feature} is enabled at {level}: take -m flags and -march out of CFLAGS"
            lines += [f"#ifdef {_macro(feature)}", f'#error "{problem}"', "#endif"]
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> None:
    """Answer the build: `levels FAMILY`, `pairs SET`, `modules SET LEVEL`, or `guard LEVEL [FEATURE...]`.

    SET is `all` or `standard`. The columns of a row are separated by "|".
    """
    match arguments:
        case ["levels", family]:
            for level in LEVELS if family == "x86_64" else (GENERIC,):
                print(level.name, level.flags, sep="|")
        case ["pairs", which]:
            for kernel, popcount in combinations():
                if which == "all" or standard(kernel, popcount):
                    print(kernel, popcount, sep="|")
        case ["modules", which, level]:
            tuning = next((each.tuning for each in LEVELS if each.name == level), "")
            for kernel, popcount in combinations():
                if (which == "all" or standard(kernel, popcount)) and not too_low(kernel, level):
                    features = sliders()[kernel].extra_features
                    flags = " ".join(FEATURE_FLAGS[feature] for feature in features)
                    print(
                        kernel,
                        popcount,
                        module_name(kernel, popcount, level),
                        " ".join(features),
                        flags,
                        "" if sliders()[kernel].lowest_level == level else tuning,
                        sep="|",
                    )
        case ["guard", level, *features]:
            print(_guard(level, tuple(features)), end="")
        case _:
            raise SystemExit(main.__doc__)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except HeaderError as error:
        raise SystemExit(str(error)) from None
