"""The report in a real browser, from a folder and without a network, as its readers see it."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from made_sites import here, made_site

pytest.importorskip("playwright", reason="pip install playwright")
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

from slidebench.harness.report import site, write_site

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "google-chrome", "chromium-browser"))), None)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium: apt-get install chromium"),
]
PATIENCE_MS = 120_000  # a busy machine may start a page late
WIDTHS = (400, 1400)
SCHEMES = ("light", "dark")
BLANK = "\N{EN DASH}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_site(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        # The sandbox needs privileges that a container's root does not have.
        arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        yield playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(offline=True)
    yield context.new_page()
    context.close()


def opened(page: Page, path: Path) -> Page:
    page.set_default_timeout(PATIENCE_MS)
    page.goto(path.as_uri())
    page.wait_for_load_state("load")
    return page


def column(page: Page, number: int) -> list[str]:
    """The visible cells of a column of the page's first sortable table."""
    cells = page.locator(f"table.sortable tbody tr:visible > :nth-child({number})")
    return [text.strip() for text in cells.all_inner_texts()]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_page_opens_without_a_fault_and_fits_its_width(
    browser: Browser, folder: Path, width: int, scheme: Any, tmp_path: Path
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True)
    page = context.new_page()
    faults: list[str] = []
    page.on("console", lambda message: faults.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("requestfailed", lambda request: faults.append(f"missing: {request.url}"))
    page.on("dialog", lambda dialog: faults.append(f"dialog: {dialog.message}"))
    paths = sorted(folder.rglob("*.html"))
    assert len(paths) > 10
    for path in paths:
        opened(page, path)
        # Charts far down load late: ask for all of them.
        page.evaluate("document.querySelectorAll('img').forEach((each) => { each.loading = 'eager'; })")
        page.evaluate("Promise.all(Array.from(document.images, (each) => each.decode()))")
        assert page.evaluate("Array.from(document.images).every((each) => each.naturalWidth > 0)"), path
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        picture = tmp_path / f"{path.stem}.png"
        page.screenshot(path=picture)
        assert picture.stat().st_size > 5_000
    assert faults == []
    context.close()


@pytest.mark.parametrize("width", [1300, 1400])
def test_figures_fit_a_usual_screen_with_every_column_and_one_line_a_row(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    record = here()
    record.absent[0].reason = "not built" + ", make install" * 10
    write_site(site([record]), tmp_path)
    context = browser.new_context(viewport={"width": width, "height": 900}, offline=True)
    page = opened(context.new_page(), tmp_path / "figures.html")
    table = page.locator("table.figures")
    assert table.evaluate("(each) => each.parentElement.scrollWidth <= each.parentElement.clientWidth")
    heights = table.evaluate("(each) => Array.from(each.tBodies[0].rows, (row) => row.offsetHeight)")
    assert max(heights) < 2 * min(heights)
    context.close()


def test_pictures_follow_the_colour_scheme(browser: Browser, folder: Path) -> None:
    for scheme in SCHEMES:
        context = browser.new_context(color_scheme=scheme)  # type: ignore[arg-type]
        page = opened(context.new_page(), folder / "index.html")
        source = page.locator("figure img").first.evaluate("(each) => each.currentSrc")
        assert source.endswith(f"-{scheme}.svg")
        context.close()


def test_a_click_sorts_by_number_and_another_the_other_way(page: Page, folder: Path) -> None:
    opened(page, folder / "figures.html")
    heading = page.get_by_role("columnheader", name="million nodes/s")
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    texts = column(page, 5)
    numbers = [float(text.split()[0]) for text in texts if text != BLANK]
    assert numbers == sorted(numbers, reverse=True)
    assert len(set(numbers)) > 2
    assert texts[-1] == BLANK
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    texts = column(page, 5)
    assert [float(text.split()[0]) for text in texts if text != BLANK] == sorted(numbers)
    assert texts[-1] == BLANK, "what has no figure stays last either way"


def test_the_keyboard_sorts_too(page: Page, folder: Path) -> None:
    opened(page, folder / "kernels.html")
    heading = page.get_by_role("columnheader", name="title")
    heading.get_by_role("button").focus()
    page.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") == "ascending"
    titles = column(page, 2)
    assert titles == sorted(titles, key=str.lower)
    assert len(titles) > 3


def test_a_filter_keeps_the_rows_that_have_all_words(page: Page, folder: Path) -> None:
    opened(page, folder / "figures.html")
    everything = len(column(page, 2))
    page.get_by_label("Filter rows").fill("PEXT v3 timed")
    assert set(column(page, 2)) == {"pext"}
    assert set(column(page, 3)) == {"v3"}
    shown = len(column(page, 2))
    assert page.get_by_text(f"{shown} of {everything} rows").is_visible()
    page.get_by_label("Filter rows").fill("")
    assert len(column(page, 2)) == everything


def test_the_first_tab_stop_skips_the_menu(page: Page, folder: Path) -> None:
    opened(page, folder / "claims.html")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


@pytest.mark.parametrize("scheme", SCHEMES)
def test_no_page_breaks_a_rule_of_accessibility(browser: Browser, folder: Path, scheme: Any) -> None:
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)  # axe is a script from outside
    page = context.new_page()
    kernel, machine = (next((folder / part).iterdir()) for part in ("kernels", "machines"))
    for path in (*folder.glob("*.html"), kernel, machine):
        found = Axe().run(opened(page, path))
        assert found.violations_count == 0, f"{path.name}: {found.generate_report()}"
    context.close()
