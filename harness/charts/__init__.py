"""Charts of records, each answering the question in its title. No display is needed.

    theme       colours, marks, matplotlib's settings
    frame       title, subtitle, notes, axes, text that fits
    captions    what charts take from records
    lines       line charts with a labelled line for each kernel
    ratios      tables of ratios, as `slidebench compare` makes them
    rows        dot plots with a row for each kernel
    nodes       perft nodes/s within a record
    lookups     attack queries within a record
    machines    several records: machines, history
    series      plain series from probes

A chart is a function from figures to a matplotlib figure, or None where there is nothing to draw, and one
line in RECORD_CHARTS, RECORDS_CHARTS or SERIES_CHARTS below.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from typing import Any, Generic, TypeVar

from matplotlib import rc_context
from matplotlib.figure import Figure

from slidebench.harness.analysis.compare import RatioTable
from slidebench.harness.analysis.summary import RecordSummary
from slidebench.harness.charts import lookups, machines, nodes, series
from slidebench.harness.charts.frame import scales_named, settled, titled
from slidebench.harness.charts.ratios import ratio_rows
from slidebench.harness.charts.series import Series
from slidebench.harness.charts.theme import THEMES, style

__all__ = ["RECORDS_CHARTS", "RECORD_CHARTS", "SERIES_CHARTS", "THEMES", "Chart", "comparison", "rendered"]

DOTS_PER_INCH = 150
Data = TypeVar("Data")


@dataclass(frozen=True)
class Chart(Generic[Data]):
    """A chart: its name in files and commands, the question it answers, and who draws it."""

    name: str
    question: str
    draw: Callable[[Data], Figure | None]

    @property
    def shows(self) -> str:
        """One sentence on what is drawn."""
        return (self.draw.__doc__ or "").partition("\n")[0]


RECORD_CHARTS: tuple[Chart[RecordSummary], ...] = (
    Chart("nodes-by-level", "Which kernel counts the most nodes per second?", nodes.nodes_by_level),
    Chart("gain-by-level", "What does each level gain over the one below?", nodes.gain_by_level),
    Chart("heat-map", "How fast is each kernel at each level?", nodes.heat_map),
    Chart("lookup-time", "How long does one query take?", lookups.throughput_and_latency),
    Chart("table-size", "Do larger tables cost time?", lookups.cost_by_table_size),
    Chart("working-set", "What if other data wants the caches?", lookups.cost_by_working_set),
)
RECORDS_CHARTS: tuple[Chart[Sequence[RecordSummary]], ...] = (
    Chart("machine-ratios", "How do machines and compilers compare?", machines.machine_ratios),
    Chart("history", "Has it become faster?", machines.history),
)
SERIES_CHARTS: tuple[Chart[Series], ...] = (
    Chart("pext-latency", "Does PEXT take longer for larger masks?", series.pext_latency),
    Chart("thread-time", "Do more threads help?", series.thread_time),
)


def comparison(sheet: RatioTable) -> Chart[Sequence[RecordSummary]]:
    """The chart of a sheet of ratios, drawn from the figures of the records that it compares."""
    return Chart("comparison", sheet.title, partial(ratio_rows, sheet))


def rendered(
    chart: Chart[Data], data: Data, theme: str = "light", formats: Sequence[str] = ("svg", "png")
) -> dict[str, bytes]:
    """A chart as file contents by format: svg and png; empty where there is nothing to draw.

    Equal data give equal bytes.
    """
    metadata: dict[str, dict[str, Any]] = {"svg": {"Date": None}, "png": {"Software": None}}
    files = {}
    with rc_context(style(theme)):
        figure = chart.draw(data)
        if figure is None:
            return {}
        titled(figure, chart.question)
        scales_named(figure)
        figure.set_dpi(DOTS_PER_INCH)
        settled(figure)
        for each in formats:
            content = BytesIO()
            figure.savefig(content, format=each, dpi=DOTS_PER_INCH, metadata=metadata[each])
            files[each] = content.getvalue()
    return files
