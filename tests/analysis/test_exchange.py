"""Records travel: out to other programs, and in from other machines."""

import csv
import getpass
import io
import json
import re
import socket
from pathlib import Path

import msgspec
import pytest
from command import slidebench
from made_records import made_record
from paths import ROOT

from slidebench.harness.analysis.exchange import FORMATS, import_record
from slidebench.harness.records.reader import RecordError, read_record
from slidebench.harness.records.schema import Record
from slidebench.harness.records.store import write_record
from slidebench.harness.run.session import new_record
from slidebench.kernels import Choice

KEY = Choice("magic_fancy", "v3")
SCHEMA = ROOT / "docs" / "record.schema.json"


@pytest.fixture
def record() -> Record:
    return made_record({KEY: 1e9})


def test_json_is_the_record_itself(record: Record, tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text(FORMATS["json"](record))
    assert read_record(path) == record


def test_csv_has_a_row_for_each_workload(record: Record) -> None:
    rows = list(csv.DictReader(io.StringIO(FORMATS["csv"](record))))
    assert len(rows) == 6
    for row in rows:
        assert float(row["interval_low"]) < float(row["operations_per_second"]) < float(row["interval_high"])
        assert float(row["operations_per_second"]) == pytest.approx(1e9, rel=0.01)


def test_markdown_shows_million_nodes_per_second(record: Record) -> None:
    assert "| magic_fancy | builtin | v3 | 1000 ± " in FORMATS["markdown"](record)


def test_pyperf_reads_its_own_format(record: Record) -> None:
    pyperf = pytest.importorskip("pyperf")
    suite = pyperf.BenchmarkSuite.loads(FORMATS["pyperf"](record))
    assert len(suite) == 6
    for benchmark in suite.get_benchmarks():
        assert benchmark.get_nrun() == 6
        assert benchmark.median() == pytest.approx(1e-9, rel=0.01)


def test_github_action_benchmark_rows_have_name_unit_and_value(record: Record) -> None:
    for row in json.loads(FORMATS["github"](record)):
        assert row["name"].startswith("magic_fancy v3 builtin: perft ")
        assert row["unit"] == "operations/s"
        assert row["value"] == pytest.approx(1e9, rel=0.01)


def test_bencher_metrics_have_their_interval(record: Record) -> None:
    for metrics in json.loads(FORMATS["bencher"](record)).values():
        metric = metrics["operations_per_second"]
        assert metric["lower_value"] < metric["value"] < metric["upper_value"]


def test_markup_in_names_is_shown_as_it_is_and_no_cell_is_a_formula() -> None:
    record = made_record({Choice("<script>x</script>|[y](z)", "@v3", "=1+1"): 1e9}, brand="=CMD()")
    (row, *_) = csv.DictReader(io.StringIO(FORMATS["csv"](record)))
    assert (row["brand"], row["popcount"], row["level"]) == ("'=CMD()", "'=1+1", "'@v3")
    text = FORMATS["markdown"](record)
    assert r"| \<script\>x\</script\>\|\[y\]\(z\) | =1+1 | @v3 | 1000 ± " in text


def test_records_that_share_a_second_are_each_imported_once(record: Record, tmp_path: Path) -> None:
    others = [msgspec.structs.replace(record, seed=seed) for seed in (1, 2, 3)]
    for _ in range(2):
        for number, each in enumerate(others):
            source = tmp_path / f"{number}.json"
            write_record(each, source)
            import_record(source, tmp_path / "results")
    paths = list((tmp_path / "results").glob("runs/*/*.json"))
    assert sorted(read_record(path).seed for path in paths) == [1, 2, 3]


def test_a_broken_neighbour_is_no_hindrance(record: Record, tmp_path: Path) -> None:
    source = tmp_path / "record.json"
    write_record(record, source)
    first = import_record(source, tmp_path / "results")
    first.write_text("{")
    first.with_stem(f"{first.stem}-dirty").write_text("{")
    second = import_record(source, tmp_path / "results")
    assert second == first.with_stem(f"{first.stem}-2")
    assert import_record(source, tmp_path / "results") == second


def test_an_imported_record_is_filed_under_its_machine_and_only_once(record: Record, tmp_path: Path) -> None:
    source = tmp_path / "../x.json"
    write_record(record, source)
    path = import_record(source, tmp_path / "results")
    assert path.parent.parent == tmp_path / "results" / "runs"
    assert read_record(path) == record
    assert import_record(source, tmp_path / "results") == path
    source.unlink()


def test_text_that_is_no_record_is_not_imported(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"schema": 1, "machine": "../../etc"}')
    with pytest.raises(RecordError, match="not a slidebench record"):
        import_record(tmp_path / "x.json", tmp_path / "results")
    assert not (tmp_path / "results").exists()


def test_a_place_that_cannot_be_written_names_the_option_to_change(record: Record, tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    write_record(record, path)
    result = slidebench("export", str(path), "-o", str(path / "figures.csv"))
    assert result.returncode == 2
    assert result.stderr.endswith("): choose another -o\n")


def test_nothing_in_a_record_names_the_owner() -> None:
    """A record of this machine and build, with the reasons why kernels cannot run here."""
    text = FORMATS["json"](new_record(budget_seconds=1.0, seed=1))
    for private in (socket.gethostname(), getpass.getuser(), str(Path.home()), str(Path.cwd()), str(ROOT)):
        assert not re.search(rf"(?<![\w.-]){re.escape(private)}(?![\w-])", text), private


def test_the_published_schema_lets_no_part_have_unknown_fields() -> None:
    parts = json.loads(SCHEMA.read_text())["$defs"]
    assert {"Record", "Cpu", "Cache", "Perft", "Samples"} <= parts.keys()
    assert [name for name, part in parts.items() if part["additionalProperties"] is not False] == []


def test_the_published_schema_is_that_of_the_code() -> None:
    schema = msgspec.json.schema(Record)
    assert json.loads(SCHEMA.read_text()) == schema, "run `make schema`"
