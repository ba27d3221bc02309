"""The site is whole, small, the same for the same records, and no record can do harm through it."""

import gzip
import re
import shutil
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import ClassVar

import msgspec
import pytest
from command import slidebench
from made_records import made_record, with_lookups
from made_sites import FANCY, LEVELS, PEXT, here, there

from slidebench import kernels
from slidebench.harness.analysis.published import figures
from slidebench.harness.code.disassembly import listing
from slidebench.harness.code.model import TOOL
from slidebench.harness.machine.cpu import machine_name
from slidebench.harness.records.schema import Record, RecordedWarning
from slidebench.harness.records.store import encode_record, write_record
from slidebench.harness.report import pair, site
from slidebench.harness.report.claims import MEASURES, Claim, claims, finding
from slidebench.harness.report.machines import Machine
from slidebench.kernels import Choice, UnavailableError

needs_tool = pytest.mark.skipif(not shutil.which(TOOL), reason=f"{TOOL} (llvm-19) is not installed")
THROUGHPUT = {"piece": "rook", "order": "throughput"}
LATENCY = {"piece": "rook", "order": "latency"}
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{ 7*7 }}\x00\u202e"


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return site([here(), there()])


class Parsed(HTMLParser):
    """Links, identifiers, headings and scripts of a page."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def all(self, tag: str, attribute: str) -> list[str]:
        return [
            value for name, found in self.tags if name == tag and (value := found.get(attribute)) is not None
        ]

    @property
    def links(self) -> list[str]:
        sources = [each.partition(" ")[0] for each in self.all("source", "srcset")]
        return [*self.all("a", "href"), *self.all("link", "href"), *self.all("script", "src"),
                *self.all("img", "src"), *sources]  # fmt: skip


def pages(files: dict[str, bytes]) -> dict[str, Parsed]:
    return {path: Parsed(content) for path, content in files.items() if path.endswith(".html")}


class TestSite:
    def test_every_kernel_and_machine_has_a_page(self, files: dict[str, bytes]) -> None:
        for name in ("index", "figures", "charts", "kernels", "machines", "claims", "method", "records",
                     "zen2-haswell"):  # fmt: skip
            assert f"{name}.html" in files
        assert {f"kernels/{name}.html" for name in kernels.names()} <= files.keys()
        assert sum(path.startswith("machines/") for path in files) == 2
        assert ".nojekyll" in files

    def test_no_link_is_broken_and_none_needs_a_network(self, files: dict[str, bytes]) -> None:
        for path, page in pages(files).items():
            for link in page.links:
                if link.startswith("https://"):
                    assert link in page.all("a", "href"), f"{path} loads {link}"
                    continue
                target, _, anchor = link.partition("#")
                parts: list[str] = list(PurePosixPath(path).parent.parts)
                for part in PurePosixPath(target).parts:
                    parts = parts[:-1] if part == ".." else [*parts, part]
                found = "/".join(parts) if target else path
                assert found in files, f"{path} links to {link}"
                if anchor:
                    assert f'id="{anchor}"'.encode() in files[found], f"{path} links to {link}"
        for name in ("static/style.css", "static/tables.js"):
            assert not re.search(rb"https?:|@import|url\(", files[name])

    def test_headings_pictures_and_language_are_there_for_those_who_listen(
        self, files: dict[str, bytes]
    ) -> None:
        for path, page in pages(files).items():
            headings = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
            assert headings[0] == 1, path
            assert headings.count(1) == 1, path
            assert all(after <= before + 1 for before, after in pairwise(headings)), path
            assert all(page.all("img", "alt")), path
            assert len(page.all("img", "alt")) == len(page.all("img", "src"))
            assert page.all("html", "lang") == ["en"]

    def test_the_recommendation_comes_first(self, files: dict[str, bytes]) -> None:
        text = re.sub(r"<[^>]+>|\s+", " ", files["index.html"].decode())
        assert re.search("v3 +pext +1500 +± [0-9.]+ % +\N{EN DASH} +magic_fancy", text)

    def test_what_was_not_timed_says_why(self, files: dict[str, bytes]) -> None:
        page = files["figures.html"].decode()
        assert "needs level v3 or higher" in page
        assert "rotated v1: wrong rook on d4" in page

    def test_figures_begin_with_what_was_timed_and_a_reason_is_whole_on_its_kernels_page(self) -> None:
        reason = "not built" + ", make install" * 10
        record = here()
        record.absent[0].reason = reason
        found = site([record, there()])
        rows = re.findall("<tr><td>.*?</tr>", found["figures.html"].decode(), re.DOTALL)
        timed = ["<td>timed</td>" in row for row in rows]
        assert timed == [True] * 10 + [False] * 3
        assert f'<span class="cut" title="{reason}">' in found["figures.html"].decode()
        assert f"<span>{reason}</span>" in found[f"kernels/{PEXT}.html"].decode()

    def test_every_column_of_query_times_has_its_unit(self, files: dict[str, bytes]) -> None:
        headings = re.findall("<th[^>]*>([^<]*)</th>", files["figures.html"].decode())
        queries = [heading for heading in headings if heading.startswith(kernels.PIECES)]
        assert queries == ["rook ns", "bishop ns", "queen ns", "queen latency ns"]

    def test_tables_of_the_method_are_tables(self, files: dict[str, bytes]) -> None:
        page = files["method.html"]
        assert b"<table>" in page
        assert b"<td>equal, nothing beside</td>" in page
        assert b"|" not in page

    def test_equal_records_give_equal_bytes(self) -> None:
        assert site([here()]) == site([here()])

    def test_records_come_out_as_they_went_in(self, files: dict[str, bytes]) -> None:
        (path,) = (
            path for path in files if path.startswith("records/") and b"Zen 2" in gzip.decompress(files[path])
        )
        assert gzip.decompress(files[path]) == encode_record(there())

    def test_two_runs_that_began_within_one_second_are_both_there(self) -> None:
        runs = [here(), here(seed=9), here()]
        held = [
            gzip.decompress(content) for path, content in site(runs).items() if path.startswith("records/")
        ]
        assert sorted(held) == sorted(encode_record(record) for record in runs[:2])

    def test_machines_that_measured_unlike_things_are_not_compared(self) -> None:
        other = there()
        other.generator = "0"
        found = site([here(), other])
        assert b"differ in generator" in found["charts.html"]
        assert "charts/machine-ratios-light.svg" not in found

    def test_two_compilers_of_one_machine_have_a_chart_or_a_reason_for_none(self) -> None:
        clang = here(compiler="clang 19.1.7", started_utc="20261201T120000Z", seed=3)
        assert sum(path.endswith("-machine-ratios-light.svg") for path in site([here(), clang])) == 1
        clang.generator = "0"
        found = site([here(), clang])
        assert b"Compilers are not compared: " in found["charts.html"]
        assert not [path for path in found if "machine-ratios" in path]

    def test_a_record_without_any_figure_still_has_its_pages(self) -> None:
        found = site([made_record({}, failed={Choice("rotated", "v1"): "wrong"}, complete=False)])
        assert b"no perft figures" in found["index.html"]
        assert b"cut short" in found["index.html"]

    def test_many_kernels_stay_within_the_size(self) -> None:
        rates = {
            Choice(f"kernel_{place:02}", level, popcount): 1e9
            for place in range(45) for popcount in ("builtin", "swar") for level in LEVELS
        }  # fmt: skip
        record = with_lookups(made_record(rates), {kernel: 1.0 for kernel, _, _ in rates})
        assert sum(map(len, site([record]).values())) < 5e6


def of(microarchitecture: str, rates: dict[Choice, float], **cpu: object) -> Record:
    """A record of a CPU with that name."""
    record = made_record(rates, brand=f"A {microarchitecture}", seed=len(microarchitecture))
    record.machine = msgspec.structs.replace(record.machine, microarchitecture=microarchitecture, **cpu)
    return record


def words(page: bytes) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page.decode())).split())


class TestZen2AgainstHaswell:
    PAGE = "zen2-haswell.html"
    ZEN2: ClassVar = of("Zen 2", {Choice(FANCY, "v3"): 1e9, Choice(PEXT, "v3"): 2e8})
    HASWELL: ClassVar = of("Haswell", {Choice(FANCY, "v3"): 8e8, Choice(PEXT, "v3"): 1e9})

    @pytest.mark.parametrize(
        ("records", "reason"),
        [
            ([here()], "no record here is of Zen 2 or Haswell"),
            ([here(), HASWELL], "no record here is of Zen 2"),
            ([ZEN2, of("Haswell", {}, hypervisor="TCGTCGTCGTCG")], "no record here is of Haswell"),
            ([ZEN2, of("Haswell", {})], "the records of Zen 2 and Haswell have no figure in common"),
        ],
        ids=["neither", "one", "an emulated one", "an empty one"],
    )
    def test_what_was_not_measured_is_not_called_so(self, records: list[Record], reason: str) -> None:
        text = words(site(records)[self.PAGE])
        assert text.count("Zen 2 against Haswell: modelled and published, not measured") == 2, (
            "title, heading"
        )
        assert f"Not measured: {reason}." in text
        assert " Modelled " in text
        assert " Published " in text

    @needs_tool
    def test_the_three_kernels_in_question_are_modelled_first(self, files: dict[str, bytes]) -> None:
        rows = re.findall(r"<tr><th scope=\"row\">.*?</tr>", files[self.PAGE].decode(), re.DOTALL)
        pext, fancy, hyperbola = (words(row.encode()).split(" ", 5) for row in rows[:3])
        assert [pext[0], fancy[0], hyperbola[0]] == [PEXT, FANCY, "hyperbola_avx2"]
        assert [pext[1], pext[3]] == ["\N{EN DASH}"] * 2, "the model gets PEXT wrong on Zen 2"
        assert pext[5] == "Zen 2 runs PEXT from microcode, which its model gets wrong"
        assert float(pext[2]) < float(pext[4]), "throughput and latency on Haswell"
        assert all(float(cycles) > 0 for row in (fancy, hyperbola) for cycles in row[1:5])

    @needs_tool
    def test_reasons_are_in_the_words_of_the_page(self, files: dict[str, bytes]) -> None:
        text = words(files[self.PAGE])
        assert "the loop over rook queries branches within a query" in text
        assert not re.search("znver2|haswell has|rook_(throughput|latency)", text)

    def test_every_published_figure_of_both_has_its_class_source_and_date(
        self, files: dict[str, bytes]
    ) -> None:
        page = files[self.PAGE].decode()
        published = [figure for figure in figures() if figure.cpu in ("Zen 2", "Haswell")]
        for figure in published:
            (row,) = (
                row
                for row in re.findall(r"<tr>.*?</tr>", page, re.DOTALL)
                if {figure.quantity, figure.cpu, figure.where, figure.source} <= set(re.split(r"[<>\"]", row))
            )
            assert f"{figure.value:g} {figure.unit} {figure.label} " in words(row.encode())
            assert f" {figure.read}" in words(row.encode())
        assert words(page.encode()).count(" published ") >= len(published)

    def test_without_the_model_it_says_why(self, monkeypatch: pytest.MonkeyPatch) -> None:
        pair._modelled.cache_clear()
        monkeypatch.setenv("PATH", "")
        text = words(site([here()])[self.PAGE])
        assert "Not modelled: llvm-mca-19 is not installed; on Debian: apt-get install llvm-19." in text
        assert "pext latency Zen 2 19 cycles published" in text

    def test_records_of_both_take_the_place_of_models(self) -> None:
        text = words(site([self.HASWELL, here(), self.ZEN2])[self.PAGE])
        assert text.count("Zen 2 against Haswell: measured") == 2
        assert text.count("Differs: CPU: A Zen 2 (Zen 2); A Haswell (Haswell)") == 1
        assert "Modelled" not in text
        assert "Published" not in text
        zen2, haswell = (machine_name(record.machine) for record in (self.ZEN2, self.HASWELL))
        assert re.search(
            f"How many times as fast as {zen2}\\? .* pext builtin v3 (4.9|5.0).* magic_fancy", text
        )
        assert re.search(rf"as fast as magic_fancy .* pext builtin {zen2} 0\.(19|20).* {haswell} 1\.2", text)

    def test_records_that_measured_unlike_things_are_not_compared(self) -> None:
        other = of("Haswell", {Choice(FANCY, "v3"): 8e8})
        other.generator = "0"
        assert "differ in generator: measure both" in words(site([self.ZEN2, other])[self.PAGE])


@pytest.fixture(scope="module")
def hostile() -> dict[str, bytes]:
    """A record that says HOSTILE wherever it may say anything."""
    key = (HOSTILE, HOSTILE, HOSTILE)
    record = made_record(
        {key: 1e9, Choice(FANCY, "v3"): 1e9},
        absent={Choice("../../" + HOSTILE, "v1"): HOSTILE},
        failed={(FANCY, HOSTILE, "v1"): HOSTILE},
        brand=HOSTILE,
        compiler=HOSTILE,
        started_utc="../../../" + HOSTILE,
        commit="../" + HOSTILE,
        warnings=[RecordedWarning(name=HOSTILE, detail=HOSTILE)],
    )
    record.machine = msgspec.structs.replace(
        record.machine, microarchitecture="../" + HOSTILE, vendor=HOSTILE, operating_system=HOSTILE,
        hypervisor=HOSTILE, virtualised=True,
    )  # fmt: skip
    with_lookups(record, {HOSTILE: 1.0})
    for workload in record.workloads:
        assert workload.name
    return site([record, of("Zen 2", {key: 1e9}), of("Haswell", {key: 2e9})])


class TestHostileRecords:
    def test_nothing_in_a_record_becomes_markup(self, hostile: dict[str, bytes]) -> None:
        for path, page in pages(hostile).items():
            scripts = [found for tag, found in page.tags if tag == "script"]
            assert [found.get("src", "").endswith("static/tables.js") for found in scripts] == [True], path
            assert not [found for _, found in page.tags for name in found if name.startswith("on")], path
            assert all(link == "x" or not link.startswith(("x", "javascript")) for link in page.links)
            assert "x" not in page.links, path
        assert b"&lt;script&gt;" in hostile["index.html"]
        assert b"&lt;script&gt;" in hostile[TestZen2AgainstHaswell.PAGE]
        assert b"{{ 7*7 }}" in hostile["index.html"]
        for path, content in hostile.items():
            if path.endswith((".html", ".svg")):
                assert b"<script>alert" not in content, path
                assert "\u202e".encode() not in content, path
                assert b"\x00" not in content, path

    def test_nothing_in_a_record_becomes_a_path(self, hostile: dict[str, bytes]) -> None:
        for path in hostile:
            assert re.fullmatch(r"(\w+/)?[A-Za-z0-9_+.-]+", path), path
            assert ".." not in path

    def test_long_names_do_not_fill_the_page(self) -> None:
        found = site([made_record({Choice("k" * 3000, "v1"): 1e9}, brand="b" * 100_000)])
        assert len(found["index.html"]) < 20_000
        assert max(map(len, found)) < 150


class TestClaims:
    def test_each_has_a_measure_bounds_and_a_word_on_its_source(self) -> None:
        for claim in claims():
            assert claim.measure in MEASURES
            assert claim.low <= claim.high
            assert claim.source == "" or claim.source.startswith("https://")
            assert {*claim.kernels, claim.base} - {"", "magic_fancy_edges"} <= set(kernels.names())

    @pytest.mark.parametrize(
        ("measure", "fields", "verdict"),
        [
            ("fastest", {"low": 900, "high": 1600}, "confirmed"),
            ("fastest", {"low": 100, "high": 1000}, "not confirmed"),
            ("lookup_time", {"kernels": [FANCY], **THROUGHPUT, "low": 1, "high": 3}, "confirmed"),
            ("lookup_time", {"kernels": [FANCY], **LATENCY, "low": 1, "high": 3}, "not confirmed"),
            ("popcount_ratio", {"kernels": [FANCY], "low": 0.4, "high": 0.6}, "confirmed"),
            ("level_ratio", {"kernels": [FANCY], "levels": ["v1", "v2"], "high": 0.6}, "not confirmed"),
            ("kernel_ratio", {"kernels": [PEXT], "base": FANCY, "low": 1, "high": 100}, "confirmed"),
            ("table_size", {"kernels": [FANCY], "low": 836, "high": 850}, "not confirmed"),
            ("table_ratio", {"kernels": ["no_such"], "base": FANCY, "high": 5}, "not measured here"),
            ("init_seconds", {"kernels": [FANCY], "low": 0.05, "high": 0.07}, "confirmed"),
            ("init_seconds", {"kernels": [PEXT, "no_such"], "low": 0.1, "high": 1}, "not confirmed"),
        ],
    )
    def test_the_whole_interval_must_lie_within_the_bounds(
        self, measure: str, fields: dict, verdict: str
    ) -> None:
        claim = Claim(text="", claimed="", source="", measure=measure, **fields)
        assert finding(claim, Machine([here()])).verdict == verdict

    def test_a_popcount_is_named_unless_it_is_the_builtin_one(self) -> None:
        record = made_record({Choice(FANCY, "v1", "table16"): 1.6e9, Choice(FANCY, "v1"): 1.3e9,
                              Choice(FANCY, "v2"): 2e9})  # fmt: skip
        claim = Claim(text="", claimed="", source="", measure="fastest", high=3000)
        measured = finding(claim, Machine([record])).measured
        assert [each.what for each in measured] == ["magic_fancy v1, table16 popcount", "magic_fancy v2"]

    def test_the_ratio_is_the_right_way_up(self) -> None:
        claim = Claim(
            text="", claimed="", source="", measure="popcount_ratio", kernels=[FANCY], low=0, high=1
        )
        (measured,) = finding(claim, Machine([here()])).measured
        assert measured.value == pytest.approx(0.5, rel=0.01)
        assert measured.text.startswith("magic_fancy v2, swar / builtin: 0.50 [0.5")


class TestDisassembly:
    def test_a_lookup_has_the_instructions_its_file_declares(self) -> None:
        level = kernels.levels()[-1]
        if level == "generic":
            pytest.skip("this machine is not x86-64")
        assert "pext" in listing(Choice(PEXT, level, "builtin")).mnemonics
        assert "imul" in listing(Choice(FANCY, level, "builtin")).mnemonics
        assert "pext" not in listing(Choice(FANCY, level, "builtin")).mnemonics

    def test_data_it_reads_is_named(self) -> None:
        lines = listing(Choice(FANCY, kernels.levels()[0], "builtin")).lines
        assert any(line.endswith("; magics") for line in lines)
        assert lines[0].startswith("    0  ")

    def test_what_is_not_built_says_so(self) -> None:
        with pytest.raises(UnavailableError, match="pext needs level v3 or higher"):
            listing(Choice(PEXT, "v1", "builtin"))


class TestVerb:
    def test_all_records_of_the_results_by_default(self, tmp_path: Path) -> None:
        write_record(here(), tmp_path / "results/runs/a/one.json")
        result = slidebench("report", cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        assert re.fullmatch(r"site/index.html  \(\d+ files, [\d.]+ MB\)\n", result.stdout)
        assert (tmp_path / "site/index.html").exists()

    def test_without_records_it_says_how_to_make_one(self, tmp_path: Path) -> None:
        result = slidebench("report", cwd=tmp_path)
        assert (result.returncode, result.stderr.count("\n")) == (2, 1)
        assert "no records in results/runs; make one with `slidebench run`" in result.stderr
