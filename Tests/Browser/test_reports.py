"""Reports in a real browser: nothing goes wrong, nothing goes out, and what is drawn is what the data say."""

import importlib.util
import pathlib

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from conftest import HOSTILE, Reports

AXE = pathlib.Path(importlib.util.find_spec("selenium_axe_python").origin).parent / "axe-core" / "axe.min.js"


@pytest.mark.parametrize("name", Reports.names)
@pytest.mark.parametrize("look", ["light", "dark", "phone", "print", "print-dark"])
def test_page(browser, reports, name, look):
    """No errors, no requests, as many marks as data, and nothing that axe-core finds."""
    # A4 at 96 pixels in an inch.
    width = {"phone": 390, "print": 794, "print-dark": 794}.get(look, 1200)
    media = "print" if look.startswith("print") else ""
    browser.open(reports.path(name), width=width, dark=look.endswith("dark"), media=media)
    if media:
        # As a browser does before it prints, which unfolds the tables below the charts.
        browser.run("dispatchEvent(new Event('beforeprint'))")
        assert browser.run("return document.querySelectorAll('details:not([open])').length") == 0
    assert browser.console == []
    assert browser.requests == []
    assert browser.run("return document.documentElement.scrollWidth") <= width
    assert browser.run("return window.hacked") is None

    # A chart has as many marks as its table has rows; a diagram has a box for each entity.
    charts = browser.run(
        """return [...document.querySelectorAll("figure.chart:not(.diagram)")].map((figure) => [
             figure.querySelector("figcaption").textContent,
             figure.querySelectorAll("svg .mark").length - figure.querySelectorAll("svg circle.mark").length,
             figure.querySelectorAll("details tbody tr").length])"""
    )
    assert charts or name == "empty"
    for title, marks, rows in charts:
        assert marks == rows > 0, title

    browser.run(AXE.read_text(encoding="utf-8"))
    found = browser.driver.execute_async_script(
        "axe.run(document, {}).then(arguments[0], (error) => arguments[0]({violations: [{id: String(error)}]}))"
    )
    assert [(rule["id"], [node["html"][:200] for node in rule["nodes"]][:3]) for rule in found["violations"]] == []
    browser.screenshot(f"{name}-{look}")


@pytest.mark.parametrize("name", ["sample", "books", "odd"])
def test_paper(browser, reports, name):
    browser.open(reports.path(name))
    browser.run(
        "addEventListener('beforeprint', () => {"
        " window.folded = document.querySelectorAll('details:not([open])').length; })"
    )
    assert browser.paper(f"{name}-print").startswith(b"%PDF")
    # The tables below the charts are printed, and folded again afterwards.
    assert browser.run("return window.folded") == 0
    assert browser.run("return document.querySelectorAll('figure details[open]').length") == 0


def rows(browser):
    return browser.run(
        """return [...document.querySelectorAll(".rows tbody tr:not(.space)")].map((row) =>
             [...row.cells].map((cell) => cell.textContent))"""
    )


def search(browser, text):
    field = browser.driver.find_element(By.CSS_SELECTOR, ".search input")
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys(text or Keys.DELETE)


def test_search_and_sort(browser, reports):
    browser.open(reports.path("many"))
    status = browser.driver.find_element(By.CSS_SELECTOR, ".search [role=status]")
    # All 100,000 artists can be found, and only those in sight are elements.
    assert status.text == "100.000"
    assert 10 < len(rows(browser)) < 80
    search(browser, "artist 999")
    found = rows(browser)
    assert any(row[0] == "Artist 999" for row in found)
    assert all("999" in " ".join(row).replace(".", "") for row in found)
    search(browser, "")
    # By keyboard: the column of names, up, then down.
    name = browser.driver.find_element(By.CSS_SELECTOR, ".rows thead button")
    name.send_keys(Keys.ENTER)
    head = browser.driver.find_element(By.CSS_SELECTOR, ".rows thead th")
    assert head.get_attribute("aria-sort") == "ascending"
    assert [row[0] for row in rows(browser)][:3] == ["Artist 0", "Artist 1", "Artist 2"]
    name.send_keys(Keys.ENTER)
    assert head.get_attribute("aria-sort") == "descending"
    first = int(rows(browser)[0][0].split()[1])
    # Scrolled to its end, the table shows its last row.
    browser.run("const view = document.querySelector('.rows'); view.scrollTop = view.scrollHeight")
    browser.driver.execute_async_script("setTimeout(arguments[0], 300)")
    assert rows(browser)[-1][0] == "Artist 0" and first > 1000
    assert browser.run("return document.querySelectorAll('*').length") < 6000


def focused(browser):
    return browser.run("return document.activeElement.tagName + ' ' + document.activeElement.textContent")


def press(browser, *keys):
    for key in keys:
        ActionChains(browser.driver).send_keys(key).perform()


def test_keyboard(browser, reports):
    """Arrows go from row to row, Enter opens one with its tracks, and one Tab leaves the table."""
    browser.open(reports.path("sample"))
    browser.run("document.querySelector('.rows').focus()")
    # Five heads, and one row of all.
    press(browser, *[Keys.TAB] * 6)
    assert focused(browser) == "BUTTON DJ Solir"
    press(browser, Keys.ARROW_DOWN)
    second = focused(browser)
    assert second.startswith("BUTTON ") and second != "BUTTON DJ Solir"
    # The last row is far out of sight, and made only now.
    press(browser, Keys.END)
    assert focused(browser).startswith("BUTTON ") and focused(browser) != second
    press(browser, Keys.HOME, Keys.ENTER)
    tracks = browser.run("return [...document.querySelectorAll('dialog[open] li')].length")
    assert tracks == 83
    assert "tracks-migrate artist" in browser.run("return document.querySelector('dialog').textContent")
    browser.screenshot("sample-dialog")
    press(browser, Keys.ESCAPE)
    # The event that removes it comes after the key.
    WebDriverWait(browser.driver, 10).until(lambda driver: browser.run("return !document.querySelector('dialog')"))
    assert focused(browser) == "BUTTON DJ Solir"
    press(browser, Keys.TAB)
    assert not browser.run("return document.querySelector('.search').contains(document.activeElement)")


def test_sections_fold(browser, reports):
    browser.open(reports.path("sample"))
    browser.run("document.querySelectorAll('section > details').forEach((fold) => fold.removeAttribute('open'))")
    browser.driver.find_element(By.CSS_SELECTOR, ".findings a[href='#rejects']").click()
    # A page hears of a new place in it a little later.
    opened = "return document.querySelector('#rejects > details').open"
    WebDriverWait(browser.driver, 20).until(lambda _: browser.run(opened))
    assert not browser.run("return document.querySelector('#artists > details').open")


@pytest.mark.parametrize("name", Reports.names)
@pytest.mark.parametrize("width", [390, 1200])
def test_numbers_do_not_break(browser, reports, name, width):
    browser.open(reports.path(name), width=width)
    assert (
        browser.run(
            """return [...document.querySelectorAll("data, .figure, td.number")].filter((number) => {
                 const range = document.createRange();
                 range.selectNodeContents(number);
                 return new Set([...range.getClientRects()].map((box) => Math.round(box.bottom / 4))).size > 1;
               }).map((number) => number.textContent)"""
        )
        == []
    )
    # No label of a chart is cut by the edge of its drawing.
    assert (
        browser.run(
            """return [...document.querySelectorAll(".chart:not(.diagram):not(.network) svg text")].filter((text) => {
                 const [place, frame] = [text.getBBox(), text.ownerSVGElement.viewBox.baseVal];
                 return place.x < -1 || place.x + place.width > frame.width + 1;
               }).map((text) => text.textContent)"""
        )
        == []
    )


def test_failed_libraries_are_marked(browser, reports):
    browser.open(reports.path("batch"))
    marked = browser.run("return [...document.querySelectorAll('tr.fault')].map((row) => row.cells[0].textContent)")
    assert marked == ["<b>broken.sqlite"]


def test_numbers_are_in_the_readers_language(browser, reports):
    browser.open(reports.path("many"))
    assert browser.run("return document.querySelector('.cards data').textContent") == "100.000"


def test_hostile_names_are_text(browser, reports):
    browser.open(reports.path("odd"))
    assert browser.run("return document.querySelectorAll('img, iframe, object, embed').length") == 0
    scripts = browser.run("return [...document.scripts].map((script) => script.type)")
    assert sorted(scripts) == ["", "application/json"]
    names = {row[0] for row in rows(browser)}
    for name in HOSTILE:
        # A long name is cut where it would only fill the page.
        assert any(name[:300] == shown or name.replace("\0", "\u2400") == shown for shown in names), name
    # Nothing but the web is linked.
    links = browser.run("return [...document.links].map((link) => link.getAttribute('href'))")
    assert all(link.startswith(("#", "https://i.example.com/")) for link in links)
    for event in ["mouseover", "click", "focus"]:
        browser.run(f"document.querySelectorAll('*').forEach((e) => e.dispatchEvent(new Event('{event}')))")
    assert browser.run("return window.hacked") is None
    assert browser.console == []


def test_rejects_show_the_fault(browser, reports):
    browser.open(reports.path("sample"))
    marks = browser.run("return [...document.querySelectorAll('#rejects mark')].map((mark) => mark.textContent)")
    assert "end" in marks and "}" in marks


def test_diff_is_not_told_by_colour_alone(browser, reports):
    browser.open(reports.path("books"))
    added = browser.run("return [...document.querySelectorAll('.box.added .name')].map((name) => name.textContent)")
    assert added and all(name.startswith("+ ") for name in added)
