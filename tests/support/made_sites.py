"""Two made machines, and the site of their records."""

from pathlib import Path

from made_records import made_record, with_lookups

from slidebench.harness.records.schema import Record
from slidebench.harness.report import site, write_site
from slidebench.kernels import Choice

FANCY, PLAIN, PEXT = "magic_fancy", "magic_plain", "pext"
LEVELS = ("v1", "v2", "v3")


def here(**changes: object) -> Record:
    """A machine where fancy magics are fastest but for PEXT, and one kernel is wrong."""
    rates = {Choice(FANCY, level): 1e9 + 1e8 * place for place, level in enumerate(LEVELS)}
    rates |= {Choice(PLAIN, level): 0.9e9 + 1e8 * place for place, level in enumerate(LEVELS)}
    rates |= {Choice(FANCY, "v2", "swar"): 0.55e9, Choice(PEXT, "v3"): 1.5e9}
    record = made_record(
        rates,
        absent={Choice(PEXT, level): "needs level v3 or higher" for level in LEVELS[:2]},
        failed={Choice("rotated", "v1"): "rotated v1: wrong rook on d4"},
        **changes,
    )
    return with_lookups(record, {FANCY: 1.5, PLAIN: 2.5, PEXT: 1.2})


def there() -> Record:
    """A machine with slow PEXT."""
    return made_record({Choice(FANCY, "v3"): 8e8, Choice(PEXT, "v3"): 1e8}, brand="Zen 2", seed=7)


def made_site(folder: Path) -> Path:
    """The site of two machines, one with two runs."""
    later = here(started_utc="20261201T120000Z", commit="fedcba987654", seed=3)
    write_site(site([here(), later, there()]), folder)
    return folder
