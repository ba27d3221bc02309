"""RecordSummary of others: each traceable, none promoted."""

import json
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from slidebench.harness.analysis.published import PublishedFigure, cpus, figures
from slidebench.harness.machine import microarchitectures


def slidebench(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "slidebench.harness", "published", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "figure", figures(), ids=lambda figure: f"{figure.cpu} {figure.quantity} {figure.where}"
)
def test_every_figure_has_a_unit_a_source_a_date_and_a_class(figure: PublishedFigure) -> None:
    assert figure.unit
    assert figure.source.startswith("https://")
    assert datetime(2026, 1, 1, tzinfo=UTC).date() <= figure.read <= datetime.now(UTC).date()
    assert figure.label in ("published", "interpolated")
    assert figure.note or figure.label == "published"  # the formula


def test_no_figure_stands_there_twice() -> None:
    keys = [(figure.cpu, figure.quantity, figure.source, figure.where) for figure in figures()]
    assert len(keys) == len(set(keys))


def test_cpus_are_named_as_in_records() -> None:
    named = {row.name for rows in microarchitectures._TABLE.values() for row in rows}
    assert {cpu.removesuffix(" P") for cpu in cpus()} <= named


@pytest.mark.parametrize(
    ("cpu", "quantity", "value"),
    [
        ("Haswell", "pext latency", 3),
        ("Zen 3", "pext latency", 3),
        ("Zen 5", "pext throughput", 0.33),
        ("Excavator", "pext latency", 20.5),
        ("Nehalem", "popcnt latency", 3),
    ],
)
def test_figures_are_those_of_the_sources(cpu: str, quantity: str, value: float) -> None:
    assert [figure.value for figure in figures() if (figure.cpu, figure.quantity) == (cpu, quantity)] == [
        value
    ]


def test_interpolated_figures_follow_from_the_published_ones() -> None:
    published = {
        int(figure.quantity.split()[2]): figure.value
        for figure in figures()
        if figure.quantity.startswith("pdep32 latency")
    }
    interpolated = [figure for figure in figures() if figure.label == "interpolated"]
    assert len(interpolated) == 3
    for figure in interpolated:
        bits = int(figure.quantity.split()[2])
        expected = published[8] + (published[16] - published[8]) * (bits - 8) / 8
        assert figure.value == pytest.approx(expected, abs=0.5)


def test_sources_that_disagree_on_a_mask_are_all_shown_with_that_note() -> None:
    rows = json.loads(slidebench("--cpu", "Zen 2", "--json").stdout)
    latencies = {row["value"]: row["note"] for row in rows if row["quantity"] == "pext latency"}
    assert latencies.keys() == {19, 152}
    assert all("mask not stated" in note for note in latencies.values())


def test_an_unknown_cpu_gives_one_line_and_status_2() -> None:
    result = slidebench("--cpu", "Zen 99")
    assert result.returncode == 2
    assert result.stderr.startswith("slidebench: ")
    assert "nothing is published here on 'Zen 99'; on Nehalem, Haswell" in result.stderr
    assert result.stderr.count("\n") == 1
