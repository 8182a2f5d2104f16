"""The site that `make docs` makes, in a real browser: no dead link, no error, nothing that axe-core finds."""

import functools
import json
import os
import pathlib
import threading
import time
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urldefrag, urlparse

import pytest

from conftest import CHECKOUT
from test_reports import AXE

SITE = pathlib.Path(os.environ.get("SITE", CHECKOUT / ".build" / "site"))
pytestmark = pytest.mark.skipif(not (SITE / "index.html").exists(), reason="'make docs' was not run")


@pytest.fixture(scope="module")
def site():
    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


def links(browser):
    return browser.run("return [...document.querySelectorAll('a[href]')].map((link) => link.href)")


@pytest.mark.parametrize("look", ["light", "dark", "phone"])
def test_landing_page(browser, site, look):
    width = 390 if look == "phone" else 1200
    browser.open(site, width=width, dark=look == "dark")
    assert browser.console == []
    assert all(url.startswith(site) for url in browser.requests)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    # Each picture has arrived, in the proportions that the page keeps room for.
    pictures = browser.run(
        """return [...document.images].map((image) =>
             [image.src, image.naturalWidth / image.naturalHeight,
              image.getAttribute("width") / image.getAttribute("height")])"""
    )
    assert len(pictures) == 2
    for source, natural, promised in pictures:
        assert abs(natural - promised) < 0.02, source
    browser.run(AXE.read_text(encoding="utf-8"))
    found = browser.driver.execute_async_script("axe.run(document, {}).then(arguments[0])")
    assert [(rule["id"], [node["html"][:200] for node in rule["nodes"]][:3]) for rule in found["violations"]] == []
    browser.screenshot(f"site-{look}")


def test_links(browser, site):
    """Whatever the landing page leads to is there, and each article of the documentation shows its own text."""
    browser.open(site)
    found = {urldefrag(link)[0] for link in links(browser)}
    assert len(found) > 4
    articles = (SITE / "data" / "documentation").glob("*/*.json")
    articles = [path for path in articles if json.loads(path.read_bytes()).get("kind") == "article"]
    assert len(articles) > 8
    pages = {site + str(path.relative_to(SITE / "data").with_suffix("")) + "/" for path in articles}
    for page in sorted(found | pages):
        assert page.startswith(site), page
        browser.open(page)
        deadline = time.monotonic() + 20
        while not (heading := browser.run("return document.querySelector('h1')?.textContent.trim()")):
            assert time.monotonic() < deadline, page
            time.sleep(0.05)
        assert "not found" not in heading.lower(), page
        errors = [message for message in browser.console if "favicon" not in message]
        assert errors == [], page


def test_references():
    """Every page that the documentation refers to exists as a file."""
    missing = set()
    for path in (SITE / "data" / "documentation").rglob("*.json"):
        for reference in json.loads(path.read_bytes()).get("references", {}).values():
            url = urlparse(reference.get("url", ""))
            if url.scheme or not url.path.startswith("/documentation/"):
                continue
            if not (SITE / "data" / (url.path.strip("/") + ".json")).exists():
                missing.add(url.path)
    assert missing == set()
