"""A self-contained static site of records: pages, charts, disassembly, claims, and the records themselves.

    machines       records by machine, and what the pages show of them
    disassembly    the machine code of a kernel's lookup
    pair           one microarchitecture against another: measured, or modelled and published
    claims         what the literature says against what was measured; claims.toml holds the sayings
    pages          figures to HTML, by way of templates/
    static/        style sheet and the script that sorts and filters tables

Everything that comes from a record is escaped where it is shown, and made safe where it names a file. The
site needs no network: it works from a folder, and on GitHub Pages.
"""

import gzip
from collections.abc import Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any

from slidebench.harness.analysis.compare import CompareError
from slidebench.harness.charts import RECORD_CHARTS, RECORDS_CHARTS, THEMES, Chart, rendered
from slidebench.harness.files import write_atomically
from slidebench.harness.machine.cpu import machine_name
from slidebench.harness.records.schema import Record
from slidebench.harness.records.store import encode_record
from slidebench.harness.report.machines import Machine, machines
from slidebench.harness.report.pages import ALL, Charts, pages, path_part

STATIC = Path(__file__).parent / "static"


def site(records: Sequence[Record]) -> dict[str, bytes]:
    """Every file of the site by its path in it. Equal records, builds and tools give equal bytes."""
    found = machines(records)
    files = {f"static/{path.name}": path.read_bytes() for path in sorted(STATIC.iterdir())}
    files[".nojekyll"] = b""  # GitHub Pages: serve the files as they are
    downloads = _downloads(found)
    files |= {path: gzip.compress(encode_record(record), mtime=0) for path, record in downloads.items()}
    charts = _charts(found, files)
    sizes = {path: len(files[path]) for path in downloads}
    for path, text in pages(found, charts, downloads, sizes).items():
        files[path] = text.encode()
    return files


def write_site(files: dict[str, bytes], folder: Path) -> int:
    """Write the files below a folder; returns their bytes together."""
    for path, content in files.items():
        write_atomically(folder / path, content, "choose another folder with -o")
    return sum(len(content) for content in files.values())


def _downloads(found: Sequence[Machine]) -> dict[str, Record]:
    """The records by the path each is offered at; two that began within one second stay two."""
    downloads: dict[str, Record] = {}
    for machine in found:
        for record in machine.records:
            commit = record.commit + ("-dirty" if record.dirty else "")
            stem = f"records/{machine_name(record.machine)}-{path_part(f'{record.started_utc}-{commit}')}"
            paths = (f"{name}.json.gz" for name in chain([stem], (f"{stem}-{number}" for number in count(2))))
            downloads[next(path for path in paths if downloads.get(path, record) == record)] = record
    return downloads


def _charts(found: Sequence[Machine], files: dict[str, bytes]) -> Charts:
    """Draw every chart in every theme into `files`; returns where each stands."""
    drawn = Charts()

    def draw(of: str, chart: Chart[Any], data: object, subject: str) -> None:
        stem = "-".join(filter(None, (of, chart.name)))
        try:
            if _drawn(chart, data, f"charts/{stem}", files):
                drawn.add(of, chart, f"charts/{stem}", subject)
        except CompareError as error:
            drawn.refused[of] = str(error)

    for machine in found:
        for of_one in RECORD_CHARTS:
            draw(machine.name, of_one, machine.figures, machine.brand)
        for of_several in RECORDS_CHARTS:
            draw(machine.name, of_several, machine.every, machine.brand)
    for of_all in RECORDS_CHARTS:
        draw(ALL, of_all, [machine.figures for machine in found], ", ".join(each.brand for each in found))
    return drawn


def _drawn(chart: Chart[Any], data: object, stem: str, files: dict[str, bytes]) -> bool:
    for theme in THEMES:
        content = rendered(chart, data, theme, ["svg"])
        if not content:
            return False
        files[f"{stem}-{theme}.svg"] = content["svg"]
    return True
