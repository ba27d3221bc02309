"""Every chart says what it shows, hides nothing that is missing, and can be trusted with any record."""

import json
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
from command import slidebench
from made_records import made_record, with_lookups
from matplotlib import rc_context
from matplotlib.text import Text

from slidebench.harness.analysis.compare import RatioTable, kernels_table, levels_table, records_table
from slidebench.harness.analysis.summary import RecordSummary
from slidebench.harness.charts import (
    RECORD_CHARTS,
    RECORDS_CHARTS,
    SERIES_CHARTS,
    THEMES,
    Chart,
    comparison,
    rendered,
)
from slidebench.harness.charts.style import style
from slidebench.harness.machine.cpu import Cache
from slidebench.harness.records.schema import Record
from slidebench.harness.records.store import write_record
from slidebench.kernels import Choice

RATES = {
    Choice("pext", "v3"): 1.5e9,
    Choice("magic_fancy", "v2"): 1e9,
    Choice("magic_fancy", "v3"): 1.2e9,
}
WHY_NOT = {Choice("pext", "v2"): "needs level v3 or higher"}
WRONG = {Choice("rotated", "v2"): "rotated v2: wrong rook on d4"}
BY_NAME = {chart.name: chart for chart in (*RECORD_CHARTS, *RECORDS_CHARTS, *SERIES_CHARTS)}


def whole_record(**changes: object) -> Record:
    sizes = (1 << 10, 1 << 15, 1 << 20)
    record = made_record(RATES, absent=WHY_NOT, failed=WRONG, **changes)
    return with_lookups(record, {"pext": 1.0, "magic_fancy": 1.5}, working_sets=sizes)


def texts(svg: bytes) -> list[str]:
    """All text of a chart, which must be well-formed XML."""
    found = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return ["".join(each.itertext()).strip() for each in found]


def drawn(name: str, data: object, theme: str = "light") -> list[str]:
    return texts(rendered(BY_NAME[name], data, theme, ["svg"])["svg"])


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("chart", RECORD_CHARTS, ids=lambda chart: chart.name)
def test_equal_records_give_equal_bytes_under_the_question_the_chart_answers(
    chart: Chart, theme: str
) -> None:
    first, again = (rendered(chart, RecordSummary(whole_record()), theme) for _ in range(2))
    assert first == again
    assert {"svg", "png"} == first.keys()
    assert chart.question.endswith("?")
    assert chart.question in texts(first["svg"])


def test_a_light_and_a_dark_chart_differ_in_colours_only() -> None:
    for chart in RECORD_CHARTS:
        light, dark = (
            rendered(chart, RecordSummary(whole_record()), theme, ["svg"]).get("svg", b"<svg/>")
            for theme in THEMES
        )
        assert texts(light) == texts(dark)
        for theme, svg in zip(THEMES, (light, dark), strict=True):
            assert svg == b"<svg/>" or THEMES[theme][0].lower().encode() in svg


def test_what_is_missing_is_named_with_its_reason() -> None:
    figures = RecordSummary(whole_record())
    assert "v2: needs level v3 or higher" in drawn("nodes-by-level", figures)
    assert "needs level v3 or higher" in drawn("gain-by-level", figures)
    assert "a: needs level v3 or higher." in drawn("heat-map", figures)


def test_a_missing_cell_is_hatched_and_never_a_zero() -> None:
    svg = rendered(BY_NAME["heat-map"], RecordSummary(whole_record()), formats=["svg"])["svg"]
    assert b"<pattern" in svg
    assert "0" not in texts(svg)
    whole = made_record({key: rate for key, rate in RATES.items() if key[2] == "v3"})
    assert b"<pattern" not in rendered(BY_NAME["heat-map"], RecordSummary(whole), formats=["svg"])["svg"]


def test_n_interval_and_unit_are_stated() -> None:
    words = " ".join(drawn("nodes-by-level", RecordSummary(whole_record())))
    assert "median of 6 launches, 30 to 30 rounds; bars: 95 % interval" in words
    assert "million perft nodes per second" in words
    assert "ns per query" in " ".join(drawn("lookup-time", RecordSummary(whole_record())))


@pytest.mark.parametrize("count", [1, 45])
def test_one_kernel_and_forty_five_are_all_named(count: int) -> None:
    rates = {
        Choice(f"kernel_{place:02}", level): 1e9 + place * 1e7
        for place in range(count)
        for level in ("v1", "v2")
    }
    record = with_lookups(
        made_record(rates), {kernel: 1.0 + int(kernel[-2:]) / 100 for kernel, _, _ in rates}
    )
    for name in ("nodes-by-level", "gain-by-level", "heat-map", "lookup-time"):
        assert {kernel for kernel, _, _ in rates} <= set(drawn(name, RecordSummary(record))), name
    assert {f"{kernel}, 8 B" for kernel, _, _ in rates} <= set(drawn("table-size", RecordSummary(record)))


def test_names_in_the_margin_do_not_lie_on_each_other() -> None:
    rates = {Choice(f"kernel_{place:02}", "v1"): 1e9 for place in range(45)}
    record = with_lookups(
        made_record(rates), {kernel: 1.0 for kernel, _, _ in rates}, working_sets=(1 << 10,)
    )
    with rc_context(style("light")):
        figure = BY_NAME["working-set"].draw(RecordSummary(record))
        figure.draw_without_rendering()
        boxes = sorted(
            (box.y0, box.y1)
            for text in figure.axes[0].texts
            if text.get_text().startswith("kernel_")
            for box in [Text.get_window_extent(text)]  # an annotation's own includes its line
        )
    assert len(boxes) == 45
    assert all(high <= low + 1.5 for (_, high), (low, _) in pairwise(boxes))


def test_rows_of_the_table_size_chart_go_by_size_and_tell_warm_from_cold() -> None:
    record = whole_record()
    sizes = {"pext": 843 << 10, "magic_fancy": 4 << 10}
    for build in record.builds:
        build.table_bytes = sizes.get(build.kernel, 0)
    cache = Cache(level=1, type="data", bytes=48 << 10, line_bytes=64, ways=12, shared_by=2)
    record.machine = msgspec.structs.replace(record.machine, caches=(cache,))
    assert "cold caches: not timed in this run." in drawn("table-size", RecordSummary(record))
    record.workloads[-1] = msgspec.structs.replace(
        record.workloads[-1], working_set_bytes=0, evicting_bytes=4 << 20
    )
    words = drawn("table-size", RecordSummary(record))
    assert [word for word in words if "KiB" in word] == [
        "magic_fancy, 4 KiB", "pext, 843 KiB", "above fits L1 48 KiB",
    ]  # fmt: skip
    assert {"warm caches", "cold caches"} <= set(words)
    assert "Cold: 4 MiB of other data read before every 256 queries." in words


def test_a_logarithmic_axis_says_so() -> None:
    assert "ns per query" in drawn("lookup-time", RecordSummary(whole_record()))
    slow = with_lookups(made_record(RATES), {"pext": 0.5, "magic_fancy": 50.0})
    assert "ns per query (log scale)" in drawn("lookup-time", RecordSummary(slow))


def test_an_interval_that_reaches_below_0_leaves_the_axis_linear_and_the_point_there() -> None:
    record = whole_record()
    beside = record.workloads[-1]
    for samples in record.samples:
        if samples.workload == beside.name:
            samples.cpu_nanoseconds = [
                -each if launch < 2 else each
                for launch, each in zip(samples.launches, samples.cpu_nanoseconds, strict=True)
            ]
    figures = RecordSummary(record)
    found = figures.lookup(Choice("pext", "v3"), beside)
    assert found is not None
    assert found.low < 0 < found.median
    words = drawn("working-set", figures)
    assert "nanoseconds that a queen query adds" in words
    assert {"pext", "magic_fancy"} <= set(words)
    assert not [word for word in words if "left out" in word]


def test_nodes_stand_on_a_linear_axis_however_slow_the_slowest() -> None:
    record = made_record({Choice("pext", "v1"): 3e9, Choice("hypercube", "v1"): 3e7})
    words = drawn("nodes-by-level", RecordSummary(record))
    assert "million perft nodes per second, one thread, bulk counted" in words
    assert {"0", "1000", "2000", "3000"} <= set(words)


def test_what_a_record_does_not_have_is_not_drawn() -> None:
    perft_only = RecordSummary(made_record(RATES))
    for name in ("lookup-time", "table-size", "working-set"):
        assert rendered(BY_NAME[name], perft_only) == {}
    empty = made_record({}, failed=WRONG)
    assert all(rendered(chart, RecordSummary(empty)) == {} for chart in RECORD_CHARTS)


@pytest.mark.parametrize(
    "text", ["$\\frac{1}{0$ & <script>alert(1)</script>", "\x00\x1b[31m\u202egnirb", "x" * 5000, ""]
)
def test_text_from_a_record_is_text_and_nothing_else(text: str) -> None:
    record = made_record({Choice(text or "pext", "v1"): 1e9, Choice("b", text or "v2"): 1e9},
                         absent={Choice("b", "v1"): text}, brand=text)  # fmt: skip
    for chart in RECORD_CHARTS:
        for content in rendered(chart, RecordSummary(record), formats=["svg"]).values():
            assert b"<script" not in content
            assert all(letter.isprintable() for line in texts(content) for letter in line.replace("\n", ""))
            assert max(map(len, texts(content))) < 300


class TestRecords:
    def test_machines_stand_against_the_first(self) -> None:
        here = whole_record()
        there = whole_record(brand="Zen 2", seed=9)
        words = " ".join(drawn("machine-ratios", [RecordSummary(here), RecordSummary(there)]))
        assert "times as fast" in words
        assert "comparisons judged together (Holm, 5 %)" in words
        assert rendered(BY_NAME["machine-ratios"], [RecordSummary(here), RecordSummary(here)]) == {}

    def test_compilers_stand_against_the_first_too(self) -> None:
        older = whole_record(compiler="clang 18.1.0", started_utc="20261001T120000Z")
        gcc, clang = whole_record(), whole_record(compiler="clang 18.1.0", seed=9)
        words = drawn("machine-ratios", [RecordSummary(each) for each in (gcc, older, clang)])
        assert "clang 18.1.0" in words
        assert any(word.startswith("gcc 12.2.0: Test CPU") for word in words)
        assert "Differs: compiler: gcc 12.2.0; clang 18.1.0." in words, "the older run is left out"

    def test_a_kernel_that_a_record_lacks_has_no_row_but_is_counted(self) -> None:
        few = made_record(
            {key: rate for key, rate in RATES.items() if key[0] == "pext"},
            absent={Choice("magic_fancy", level): "not built" for level in ("v2", "v3")},
            compiler="clang 18.1.0",
        )
        for records in ([whole_record(), few], [few, whole_record()]):
            words = drawn("machine-ratios", [RecordSummary(each) for each in records])
            assert "pext" in words
            assert not {"magic_fancy", "not built"} & set(words)
            assert "Rows left out, for want of a figure from clang 18.1.0: 1." in words

    def test_history_goes_by_time_and_breaks_where_the_questions_changed(self) -> None:
        runs = [
            made_record(RATES, started_utc="20261130T120000Z", commit="cccccccc", generator="2"),
            made_record(RATES, started_utc="20261101T120000Z", commit="aaaaaaaa"),
            made_record(RATES, started_utc="20261110T120000Z", commit="bbbbbbbb"),
        ]
        words = drawn("history", [RecordSummary(each) for each in runs])
        commits = [word for word in words if "2026-11" in word]
        assert [commit[:8] for commit in commits] == ["aaaaaaaa", "bbbbbbbb", "cccccccc"]
        assert any(word.startswith("Upright lines") for word in words)
        assert not any(
            word.startswith("Upright lines")
            for word in drawn("history", [RecordSummary(each) for each in runs[1:]])
        )

    def test_history_is_of_one_compiler_so_that_another_does_not_look_like_progress(self) -> None:
        gcc = [made_record(RATES, started_utc=f"2026110{day}T120000Z", commit=day * 12) for day in "12"]
        clang = [
            made_record(RATES, started_utc=f"2026110{day}T120000Z", commit=day * 12, compiler="clang 19.1.7")
            for day in "345"
        ]
        for runs, compiler, commits in (
            ([*gcc, *clang], "clang 19.1.7", ["33333333", "44444444", "55555555"]),
            ([*gcc, *clang[:1]], "gcc 12.2.0", ["11111111", "22222222"]),
            ([*gcc, *clang[:2]], "clang 19.1.7", ["33333333", "44444444"]),
        ):
            words = drawn("history", [RecordSummary(each) for each in runs])
            assert [word[:8] for word in words if "2026-11" in word] == commits
            (subtitle,) = (word for word in words if word.startswith("Test CPU"))
            assert f", {compiler} [" in subtitle
            assert f"Runs of other compilers left out: {len(runs) - len(commits)}." in words

    def test_a_commit_that_was_run_twice_has_one_place_in_the_history_and_is_none_alone(self) -> None:
        whole = made_record(RATES, started_utc="20261101T120000Z", commit="aaaaaaaa")
        quick = made_record({Choice("pext", "v3"): 1.5e9}, started_utc="20261102T120000Z", commit="aaaaaaaa")
        other = made_record(RATES, started_utc="20261103T120000Z", commit="bbbbbbbb")
        words = drawn("history", [RecordSummary(each) for each in (quick, other, whole)])
        assert [word for word in words if "2026-11" in word] == ["aaaaaaaa 2026-11-01", "bbbbbbbb 2026-11-03"]
        assert rendered(BY_NAME["history"], [RecordSummary(each) for each in (quick, whole)]) == {}

    def test_of_more_kernels_than_can_be_told_apart_history_shows_the_fastest_of_the_last_run(self) -> None:
        rates = {Choice(f"kernel_{place:02}", "v3"): 1e9 + 1e7 * place for place in range(22)}
        runs = [
            made_record(rates, started_utc="20261101T120000Z", commit="aaaaaaaa"),
            made_record(
                rates | {Choice("kernel_21", "v3"): 1e8},
                started_utc="20261102T120000Z",
                commit="bbbbbbbb",
            ),
        ]
        words = drawn("history", [RecordSummary(each) for each in runs])
        named = {word for word in words if word.startswith("kernel_")}
        assert named == {f"kernel_{place:02}" for place in range(1, 21)}
        assert "The 20 fastest kernels by the last run; 2 more are left out." in words


class TestComparison:
    """One chart draws any table of ratios."""

    WHY = "needs level v3 or higher"
    RECORDS = (whole_record(), whole_record(compiler="clang 19.1.7", commit="fedcba987654", seed=9))

    @pytest.mark.parametrize(
        ("sheet", "columns"),
        [
            (records_table(RECORDS), {"clang 19.1.7", "v2", "v3"}),
            (levels_table(RECORDS), {"v3 / v2", "gcc 12.2.0", "clang 19.1.7", WHY}),
            (kernels_table(RECORDS, "magic_fancy"), {"v2", "v3", "gcc 12.2.0", "clang 19.1.7", WHY}),
            (kernels_table(RECORDS[:1], "magic_fancy"), {"v2", "v3", WHY}),
        ],
        ids=["records", "levels", "kernels", "kernels of one record"],
    )
    def test_it_asks_the_tables_question_and_names_every_record_and_level(
        self, sheet: RatioTable, columns: set[str]
    ) -> None:
        figures = [RecordSummary(record) for record in self.RECORDS[: 2 if sheet.notes else 1]]
        words = texts(rendered(comparison(sheet), figures, formats=["svg"])["svg"])
        assert sheet.title in words
        assert {*columns, "pext", "times as fast (log scale)"} <= set(words)
        assert all(f"Differs: {note}." in words for note in sheet.notes)

    @pytest.mark.parametrize("theme", THEMES)
    def test_series_differ_in_their_marks_where_colours_cannot_be_told(self, theme: str) -> None:
        with rc_context(style(theme)):
            figure = comparison(records_table(self.RECORDS)).draw(
                [RecordSummary(each) for each in self.RECORDS]
            )
        handles = figure.legends[0].legend_handles
        assert len({handle.get_marker() for handle in handles}) == len(handles) == 2

    @pytest.mark.parametrize("arguments", [[], ["--by", "level"], ["--by", "kernel"]], ids=str)
    @pytest.mark.parametrize(("ending", "begins"), [("svg", b"<?xml"), ("png", b"\x89PNG")])
    def test_compare_writes_it_beside_its_table(
        self, arguments: list[str], ending: str, begins: bytes, tmp_path: Path
    ) -> None:
        for name, record in zip("ab", self.RECORDS, strict=True):
            write_record(record, tmp_path / f"{name}.json")
        command = ["compare", "a.json", "b.json", *arguments, "--chart", f"new/ratios.{ending}"]
        result = slidebench(*command, cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        assert "How many times as fast as" in result.stdout
        assert (tmp_path / f"new/ratios.{ending}").read_bytes().startswith(begins)

    @pytest.mark.parametrize(
        ("chart", "message"),
        [
            ("ratios.pdf", "ratios.pdf has another ending than .svg or .png"),
            ("a.json/ratios.svg", "cannot write a.json/ratios.svg (File exists): choose another --chart"),
        ],
    )
    def test_faults_take_one_line(self, chart: str, message: str, tmp_path: Path) -> None:
        write_record(self.RECORDS[0], tmp_path / "a.json")
        result = slidebench("compare", "a.json", "--chart", chart, cwd=tmp_path)
        assert (result.returncode, result.stdout, result.stderr.count("\n")) == (2, "", 1)
        assert message in result.stderr


class TestSeries:
    @pytest.mark.parametrize("name", ["pext-latency", "thread-time"])
    def test_what_is_no_positive_number_is_left_out_and_counted(self, name: str) -> None:
        values: Mapping[int, object] = {1: 3.0, 7: float("nan"), 13: 0.0, 17: -1.0, 19: None, 32: 9.0}
        words = drawn(name, values)
        assert "4 left out: not a positive number." in words
        assert {"1", "32"} <= set(words)
        assert not {"7", "13", "17", "19"} & set(words)
        assert rendered(BY_NAME[name], {1: None, 2: 0.0}) == {}


class TestPlot:
    def test_the_list_has_every_chart_with_its_question(self, tmp_path: Path) -> None:
        out = slidebench("plot", "--list", cwd=tmp_path).stdout
        assert all(chart.name in out and chart.question in out for chart in BY_NAME.values())

    def test_one_chart_of_two_machines_for_a_dark_page(self, tmp_path: Path) -> None:
        for name in ("a", "b"):
            write_record(whole_record(brand=name), tmp_path / f"{name}.json")
        result = slidebench("plot", "a.json", "b.json", "--chart", "machine-ratios", "--dark", cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        assert result.stdout.split() == [
            f"results/charts/machine-ratios-dark.{each}" for each in ("svg", "png")
        ]

    def test_records_that_measured_unlike_things_have_charts_of_their_own_only(self, tmp_path: Path) -> None:
        for name, generator in (("a", "1"), ("b", "2")):
            write_record(whole_record(brand=name, generator=generator), tmp_path / f"{name}.json")
        result = slidebench("plot", "a.json", "b.json", cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        assert result.stderr.startswith("no machine-ratios: ")
        assert len(result.stdout.split()) == 2 * 2 * len(RECORD_CHARTS)
        result = slidebench("plot", "a.json", "b.json", "--chart", "machine-ratios", cwd=tmp_path)
        assert (result.returncode, result.stderr.count("\n")) == (2, 1)

    def test_a_series_comes_from_a_json_object(self, tmp_path: Path) -> None:
        (tmp_path / "cycles.json").write_text(json.dumps({"6": 3.0, "12": 250.5}))
        result = slidebench("plot", "cycles.json", "--chart", "pext-latency", cwd=tmp_path)
        assert (tmp_path / "results/charts/pext-latency.svg").exists(), result.stderr

    def test_pext_latency_comes_from_a_probe(self, tmp_path: Path) -> None:
        readings = [
            {"instruction": name, "mask_bits": bits, "latency_cycles": 3.0, "throughput_cycles": 1.0}
            for name, bits in (("imul", None), ("pext", 6), ("pext", 23))
        ]
        pext = {"speed": "fast", "reason": "3 cycles"}
        report = {"not_valid": None, "imul_cycles": 3.0, "pext": pext, "readings": readings, "absent": {}}
        (tmp_path / "probe.json").write_text(json.dumps(report))
        (tmp_path / "busy.json").write_text(json.dumps(report | {"not_valid": "not valid: busy"}))
        result = slidebench("plot", "probe.json", "--chart", "pext-latency", cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        assert {"6", "23"} <= set(texts((tmp_path / "results/charts/pext-latency.svg").read_bytes()))
        refused = slidebench("plot", "busy.json", "--chart", "pext-latency", cwd=tmp_path)
        assert refused.stderr == "slidebench: busy.json: not valid: busy\n"

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ([], "give records"),
            (["r.json", "--chart", "nosuch"], "no chart is called 'nosuch'; there are nodes-by-level"),
            (["r.json", "--chart", "pext-latency"], "r.json is not a JSON object of numbers"),
            (["r.json", "--chart", "history"], "nothing to draw: history"),
        ],
    )
    def test_faults_take_one_line(self, arguments: list[str], message: str, tmp_path: Path) -> None:
        write_record(whole_record(), tmp_path / "r.json")
        result = slidebench("plot", *arguments, cwd=tmp_path)
        assert (result.returncode, result.stderr.count("\n")) == (2, 1)
        assert message in result.stderr
