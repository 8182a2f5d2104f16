"""A plain database in Datasette, in a real browser: names, links, search and counts."""

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from conftest import run


@pytest.fixture(scope="module")
def site(reports):
    """The address of the sample library's database."""
    reports.path("sample")
    database = reports.folder / "Browse.db"
    run("export", reports.library("sample"), "--format", "sqlite", "--output", database)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [str(database), "--metadata", f"{database}.metadata.json", "--port", str(port)]
    server = subprocess.Popen([sys.executable, "-m", "datasette", *words], stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}/Browse"
    deadline = time.monotonic() + 60
    while True:
        try:
            urllib.request.urlopen(address).close()
            break
        except urllib.error.URLError:
            assert time.monotonic() < deadline and server.poll() is None
            time.sleep(0.1)
    yield address
    server.terminate()
    server.wait()


def cells(browser, selector):
    return browser.run(f"return [...document.querySelectorAll({selector!r})].map((cell) => cell.textContent.trim())")


def test_links_are_names(browser, site):
    browser.open(f"{site}/artist_tracks")
    assert any("DJ Solir" in cell for cell in cells(browser, "td.col-artist"))
    assert not any(cell.isdigit() for cell in cells(browser, "td.col-track"))
    # The artists are counted beside the links.
    assert cells(browser, ".facet-results li")[0].split() == ["DJ", "Solir", "83"]
    browser.screenshot("datasette-links")


def test_a_row_has_links_from_other_tables(browser, site):
    browser.open(f"{site}/artists/37")
    assert "83 rows" in browser.run("return document.body.textContent")
    assert "Links from other tables" in cells(browser, "h2")
    browser.screenshot("datasette-artist")


def test_search(browser, site):
    browser.open(f"{site}/artists?_search=sarka")
    assert cells(browser, "td.col-name") == ["Šárka Hötíß"]
    browser.screenshot("datasette-search")


def test_views(browser, site):
    browser.open(f"{site}/artists_with_tracks?artists_name=DJ+Solir")
    assert len(cells(browser, "td.col-tracks_title")) == 83
