"""RecordSummary to HTML, by way of templates/: every value is escaped there, and links are relative."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup

from slidebench import kernels
from slidebench.harness.charts import Chart
from slidebench.harness.charts.style import short_bytes
from slidebench.harness.code import disassembly
from slidebench.harness.records.schema import Record
from slidebench.harness.report import claims
from slidebench.harness.report import pair as pairs
from slidebench.harness.report.machines import Machine, Row
from slidebench.kernels.catalogue import Source, level_rank

HERE = Path(__file__).parent
ALL = ""  # in the place of a machine's name: charts of all machines together
METHOD = "The method is described in docs/method.md of the source tree, which this build does not have."


class Picture(NamedTuple):
    """A chart of the site: `stem` is its path without theme and ending."""

    question: str
    shows: str
    stem: str
    subject: str


class Charts:
    """The charts that were drawn, by machine, and why records of a machine, or of all, were not compared."""

    def __init__(self) -> None:
        self.of: dict[str, list[Picture]] = {}
        self.refused: dict[str, str] = {}

    def add(self, machine: str, chart: Chart[Any], stem: str, subject: str) -> None:
        self.of.setdefault(machine, []).append(Picture(chart.question, chart.shows, stem, subject))


class KernelPage(NamedTuple):
    """What there is to say of a kernel; `source` is None for one that only a record knows."""

    name: str
    path: str
    source: Source | None
    rows: list[Row]

    @property
    def title(self) -> str:
        return self.source.title if self.source else self.name

    @property
    def best(self) -> Row | None:
        """The row with the most nodes/s on the first machine that has one."""
        timed = [row for row in self.rows if row.nodes and row.machine is self.rows[0].machine]
        return max(timed, key=lambda row: row.nodes.median if row.nodes else 0, default=None)


def pages(
    machines: Sequence[Machine], charts: Charts, downloads: Mapping[str, Record], sizes: Mapping[str, int]
) -> dict[str, str]:
    """Every page by its path in the site."""
    of_kernels = _kernel_pages(machines)
    findings = [
        (claim, [claims.finding(claim, machine) for machine in machines]) for claim in claims.claims()
    ]
    common: dict[str, Any] = {
        "machines": machines,
        "charts": charts,
        "downloads": downloads,
        "sizes": sizes,
        "kernels": of_kernels,
        "kernel_paths": {page.name: page.path for page in of_kernels},
        "findings": findings,
        "pair": pairs.pair(machines),
        "pair_level": pairs.LEVEL,
        "pair_query": pairs.QUERY,
        "levels": sorted({level for machine in machines for level in machine.figures.levels}, key=level_rank),
        "method": _method(),
    }
    environment = _environment()

    def page(template: str, path: str, **more: Any) -> str:
        root = "../" * path.count("/")
        return environment.get_template(template).render(**common, **more, root=root, path=path)

    written = {
        f"{name}.html": page(f"{name}.html", f"{name}.html")
        for name in ("index", "figures", "charts", "kernels", "machines", "claims", "method", "records")
    }
    written[common["pair"].path] = page("pair.html", common["pair"].path)
    for each in of_kernels:
        listings, reason = disassembly.listings(each.name) if each.source else ([], "not part of this build")
        written[each.path] = page("kernel.html", each.path, kernel=each, listings=listings, unreadable=reason)
    for machine in machines:
        path = f"machines/{machine.name}.html"
        written[path] = page("machine.html", path, machine=machine)
    return written


def path_part(text: str) -> str:
    """Text from a record as one part of a path; a digest tells those apart that had to be altered."""
    safe = re.sub(r"[^A-Za-z0-9_+-]", "-", text)[:80]
    return safe if safe == text and safe else f"{safe}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _kernel_pages(machines: Sequence[Machine]) -> list[KernelPage]:
    """Every kernel of this build or of a record: fastest first, then those without figures."""
    order = [kernel for machine in machines for kernel in machine.figures.kernels]
    recorded = [row.kernel for machine in machines for row in machine.rows]
    return [
        KernelPage(
            name,
            f"kernels/{path_part(name)}.html",
            kernels.describe(name) if name in kernels.names() else None,
            [row for machine in machines for row in machine.rows if row.kernel == name],
        )
        for name in dict.fromkeys((*order, *kernels.names(), *recorded))
    ]


def _method() -> Markup:
    """docs/method.md as HTML; what looks like HTML in it is text."""
    path = HERE / "method.md"
    text = path.read_text("utf-8") if path.exists() else f"# Method\n\n{METHOD}\n"
    return Markup(MarkdownIt("commonmark", {"html": False}).enable("table").render(text))


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_clean,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "million": lambda rate: f"{rate / 1e6:.0f}",
        "percent": lambda fraction: f"{100 * fraction:.1f}",
        "ns": lambda time: f"{time:.2f}",
        "size": short_bytes,
        "short": _short,
        "day": lambda utc: f"{utc[:4]}-{utc[4:6]}-{utc[6:8]} {utc[9:11]}:{utc[11:13]} UTC",
        "linked": lambda text: text if re.fullmatch(r"https://[^\s\"'<>]+", text) else "",
    }
    return environment


def _clean(value: Any) -> Any:
    """Text without characters that cannot be shown: controls, and those that turn the line around."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return "".join(
        letter if letter.isprintable() or letter in "\n\t" else "\N{REPLACEMENT CHARACTER}"
        for letter in value
    )


def _short(text: str, longest: int = 80) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
