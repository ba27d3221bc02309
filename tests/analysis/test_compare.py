"""Like is compared with like, and what cannot be compared says why."""

import io
from pathlib import Path

import pytest
from made_records import made_record
from rich.console import Console

from slidebench.harness.analysis.compare import (
    CompareError,
    kernels_table,
    levels_table,
    record_labels,
    records_table,
)
from slidebench.harness.analysis.recommend import recommendations
from slidebench.harness.records.store import write_record
from slidebench.harness.verbs.results.compare import ratio_table
from slidebench.kernels import Choice

FANCY_V2, FANCY_V3 = Choice("magic_fancy", "v2"), Choice("magic_fancy", "v3")
PEXT_V2, PEXT_V3 = Choice("pext", "v2"), Choice("pext", "v3")


def test_two_machines_are_compared_kernel_by_kernel() -> None:
    slow_pext = made_record({FANCY_V3: 1e9, PEXT_V3: 2e8}, brand="Zen 2", seed=2)
    fast_pext = made_record({FANCY_V3: 1.1e9, PEXT_V3: 1.2e9}, brand="Haswell", seed=3)
    sheet = records_table([slow_pext, fast_pext])
    cells = {Choice(row.kernel, row.part, row.popcount): cells[0].comparison for row, cells in sheet.rows}
    assert cells[FANCY_V3].ratio == pytest.approx(1.1, rel=0.01)
    assert cells[PEXT_V3].ratio == pytest.approx(6, rel=0.01)
    assert all(found.verdict == "faster" and found.low < found.ratio < found.high for found in cells.values())
    assert any(note.startswith("CPU: Zen 2") for note in sheet.notes)
    assert sheet.comparisons == 2


def test_a_blank_has_its_reason() -> None:
    first = made_record({FANCY_V3: 1e9, PEXT_V3: 1e9})
    second = made_record(
        {FANCY_V3: 1e9}, absent={PEXT_V3: "this CPU has no bmi2"}, brand="Old CPU", compiler="clang 19"
    )
    cells = dict(records_table([first, second]).rows)
    assert cells["pext", "builtin", "v3"][0] == (None, "this CPU has no bmi2")
    third = made_record({FANCY_V3: 1e9}, failed={PEXT_V3: "wrong rook on d4"}, brand="Odd CPU")
    assert (
        dict(records_table([first, third]).rows)["pext", "builtin", "v3"][0].reason == "failed verification"
    )
    fourth = made_record({FANCY_V3: 1e9}, complete=False, brand="Busy CPU")
    assert (
        dict(records_table([first, fourth]).rows)["pext", "builtin", "v3"][0].reason
        == "the run was cut short"
    )


@pytest.mark.parametrize(
    "change", [{"generator": "2"}, {"workloads": made_record({FANCY_V3: 1e9}).workloads[:5]}]
)
def test_unlike_records_are_refused_naming_what_differs(change: dict) -> None:
    first = made_record({FANCY_V3: 1e9})
    second = made_record({FANCY_V3: 1e9}, **change)
    with pytest.raises(CompareError, match=r"differ in (generator|perft positions)"):
        records_table([first, second])
    with pytest.raises(CompareError, match=r"differ in (generator|perft positions)"):
        kernels_table([first, second], "magic_fancy")


def test_levels_gain_over_the_level_below() -> None:
    record = made_record(
        {FANCY_V2: 1e9, FANCY_V3: 1.3e9, PEXT_V3: 1.5e9}, absent={PEXT_V2: "pext needs level v3"}
    )
    sheet = levels_table([record])
    assert sheet.columns == ["v3 / v2"]
    cells = dict(sheet.rows)
    assert cells["magic_fancy", "builtin", ""][0].comparison.ratio == pytest.approx(1.3, rel=0.01)
    assert cells["pext", "builtin", ""][0].reason == "needs level v3"


def test_kernels_stand_against_a_base_at_the_same_level() -> None:
    record = made_record({FANCY_V3: 1e9, PEXT_V3: 1.0005e9}, scatter=0.01)
    cells = dict(kernels_table([record], "magic_fancy").rows)
    assert cells["pext", "builtin", ""][0].comparison.verdict == "no difference shown"
    with pytest.raises(CompareError, match="no record has timed 'rotated'"):
        kernels_table([record], "rotated")


def test_labels_are_as_short_as_they_can_be() -> None:
    same = made_record({FANCY_V3: 1e9})
    other_compiler = made_record({FANCY_V3: 1e9}, compiler="clang 19.1.7")
    assert record_labels([same, other_compiler]) == ["gcc 12.2.0", "clang 19.1.7"]
    assert record_labels([same, same])[0].endswith("[1]")


def test_what_differs_between_records_is_named_whatever_is_compared() -> None:
    records = [
        made_record({FANCY_V2: 1e9, FANCY_V3: 1.1e9, PEXT_V3: 2e9}, compiler=compiler, commit=commit)
        for compiler, commit in (("gcc 12.2.0", "aaaaaaaaaaaa"), ("clang 19.1.7", "bbbbbbbbbbbb"))
    ]
    for sheet in (records_table(records), levels_table(records), kernels_table(records, "magic_fancy")):
        assert sheet.notes == [
            "compiler: gcc 12.2.0; clang 19.1.7",
            "commit: aaaaaaaaaaaa; bbbbbbbbbbbb",
        ]
    assert records_table(records).title == "How many times as fast as gcc 12.2.0?"
    assert records_table(records).columns == ["clang 19.1.7"]
    rows = [str(row) for row, _ in kernels_table(records, "magic_fancy").rows]
    assert rows == ["pext builtin gcc 12.2.0", "pext builtin clang 19.1.7"]


@pytest.mark.parametrize("by", ["record", "level", "kernel"])
def test_a_level_that_no_record_has_timed_is_refused(by: str) -> None:
    records = [made_record({FANCY_V3: 1e9}), made_record({FANCY_V3: 1e9}, brand="Other CPU")]
    with pytest.raises(CompareError, match=r"no record has timed level 'v9'; there are v3"):
        match by:
            case "record":
                records_table(records, "v9")
            case "level":
                levels_table(records, "v9")
            case _:
                kernels_table(records, "magic_fancy", "v9")


def test_the_lowest_level_gains_over_none() -> None:
    record = made_record({FANCY_V2: 1e9, FANCY_V3: 1e9})
    with pytest.raises(CompareError, match="no record has a level below v2"):
        levels_table([record], "v2")


def test_records_without_a_round_in_common_say_so() -> None:
    first, second = made_record({FANCY_V3: 1e9}), made_record({FANCY_V3: 1e9}, brand="Stopped CPU")
    for samples in second.samples:
        samples.launches, samples.rounds, samples.cpu_nanoseconds = [], [], []
    assert records_table([first, second]).rows[0][1][0] == (None, "no round to compare")


def test_the_table_states_how_many_comparisons_were_judged_together() -> None:
    record = made_record({FANCY_V3: 1e9, PEXT_V3: 2e9})
    assert "1 comparisons judged together (Holm, 5 %)" in str(
        ratio_table(kernels_table([record], "magic_fancy")).caption
    )


def test_markup_in_a_record_is_shown_as_it_is() -> None:
    hostile = "[/bold] [red]"
    record = made_record({FANCY_V3: 1e9, Choice(hostile, "v3"): 1e9}, absent={PEXT_V2: hostile})
    console = Console(width=300, record=True, file=io.StringIO())
    console.print(ratio_table(kernels_table([record], "magic_fancy")))
    assert hostile in console.export_text()


class TestRecommending:
    def test_the_fastest_is_named_with_what_it_would_be_without_pext(self) -> None:
        pdep = Choice("pext_pdep", "v3")  # uses PEXT too
        record = made_record({FANCY_V3: 1e9, PEXT_V3: 1.2e9, pdep: 1.1e9, Choice("rotated", "v3"): 7e8})
        (found,) = recommendations(record)
        assert (found.level, found.kernel, found.without_pext, found.equals) == (
            "v3",
            "pext",
            "magic_fancy",
            [],
        )
        assert found.rate.low < 1.2e9 < found.rate.high

    def test_slow_pext_is_not_recommended_whatever_the_cpus_name(self) -> None:
        record = made_record({FANCY_V3: 1e9, PEXT_V3: 2e8}, brand="AMD Ryzen 5 3600")
        (found,) = recommendations(record)
        assert (found.kernel, found.without_pext) == ("magic_fancy", None)

    def test_kernels_that_do_not_differ_stand_beside_the_fastest(self) -> None:
        record = made_record({FANCY_V3: 1e9, PEXT_V3: 1e9}, scatter=0.01)
        (found,) = recommendations(record)
        assert len(found.equals) == 1

    def test_a_popcount_that_gains_more_is_named_with_the_kernel_that_showed_it(self) -> None:
        at_v1 = {Choice("magic_fancy", "v1"): 1e9, Choice("magic_plain", "v1"): 1.1e9}
        others = {Choice("magic_fancy", "v1", "table16"): 1.3e9, Choice("magic_fancy", "v1", "swar"): 1.2e9}
        (found,) = recommendations(made_record(at_v1 | others))
        assert found.kernel == "magic_plain"
        assert found.faster_popcount is not None
        assert found.faster_popcount[:2] == ("table16", "magic_fancy")
        assert found.faster_popcount.ratio == pytest.approx(1.3, rel=0.01)
        (found,) = recommendations(made_record(at_v1 | dict.fromkeys(others, 0.9e9)))
        assert found.faster_popcount is None


def test_records_survive_writing_and_comparing_from_files(tmp_path: Path) -> None:
    from test_cli import slidebench

    for name, rate in (("a", 1e9), ("b", 2e9)):
        write_record(made_record({FANCY_V3: rate, PEXT_V3: rate}, brand=name), tmp_path / f"{name}.json")
    result = slidebench("compare", "a.json", "b.json", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "differs  CPU: a (unknown); b (unknown)" in result.stdout
    result = slidebench("compare", "a.json", cwd=tmp_path)
    assert result.returncode == 0
    write_record(made_record({FANCY_V3: 1e9}), tmp_path / "one.json")
    result = slidebench("compare", "one.json", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("slidebench: nothing to compare: ")
    result = slidebench("compare", "a.json", "--by", "record", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("slidebench: comparing records takes two or more")
