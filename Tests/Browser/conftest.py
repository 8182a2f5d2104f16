"""A real browser, and reports of libraries that are small, odd, large and empty."""

import base64
import functools
import json
import os
import pathlib
import subprocess
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = CHECKOUT / "SampleData"
SCREENSHOTS = pathlib.Path(os.environ.get("SCREENSHOTS", CHECKOUT / ".build" / "browser" / "screenshots"))

# Names that would be markup, script, formulas or the end of an element, if anything took them for more than text.
HOSTILE = [
    '</script><img src=x onerror="window.hacked=1">',
    "<!--<script>window.hacked=2</script>-->",
    '" onmouseover="window.hacked=3" x="',
    "javascript:window.hacked=4",
    "{{7*7}}${7*7}",
    '=HYPERLINK("https://example.com")',
    "a\u202egnp.exe",
    "\u0000\u0007bell",
    "𝕳𝖊𝖑𝖑𝖔 & 🏳️‍🌈 <b>",
    "]]></svg><svg onload=window.hacked=5>",
    "سلمى فسي",
    "王 小明",
    "x" * 5000,
]


def run(*words, expect=0, folder=None, data=None):
    """What the command prints."""
    result = subprocess.run(
        [os.environ["TRACKS_MIGRATE"], *map(str, words)], cwd=folder, capture_output=True, text=True, input=data
    )
    assert result.returncode == expect, result.stderr
    return result.stdout


def feed(path, tracks):
    """Writes a feed in the article's shape."""
    with open(path, "w", encoding="utf-8") as lines:
        for number, names in enumerate(tracks):
            artists = [
                {"id": f"a{name}", "name": name, "imageURL": f"https://i.example.com/{len(name)}"} for name in names
            ]
            lines.write(json.dumps({"title": f"Track {number} {names[:1]}", "artists": artists}) + "\n")
    return path


class Reports:
    """The reports, each made when it is first asked for."""

    names = ["before", "sample", "odd", "many", "empty", "books-before", "books", "notes", "batch"]

    def __init__(self, folder):
        self.folder = folder

    @functools.cache  # noqa: B019
    def path(self, name):
        page = self.folder / f"{name}.html"
        getattr(self, name.replace("-", "_"))(page)
        return page

    def library(self, name):
        return self.folder / f"{name}.sqlite"

    def copy(self, sample, name):
        library = self.library(name)
        library.write_bytes((SAMPLES / sample / "library-v1.sqlite").read_bytes())
        return library

    def before(self, page):
        run("report", self.copy("Tracks", "before"), "--output", page, "-q")

    def sample(self, page):
        library = self.copy("Tracks", "sample")
        run(library, "-q")
        run("report", library, "--output", page, "-q")

    def imported(self, name, page, tracks):
        run("import", feed(self.folder / f"{name}.ndjson", tracks), self.library(name), "-q")
        run("report", self.library(name), "--output", page, "-q")

    def odd(self, page):
        pairs = [[one, other] for one in HOSTILE for other in HOSTILE if one < other]
        self.imported("odd", page, pairs + [[name] for name in HOSTILE])

    def many(self, page):
        self.imported("many", page, [[f"Artist {number}", f"Artist {number % 1000}"] for number in range(100_000)])

    def empty(self, page):
        self.imported("empty", page, [])

    def app(self, example, page, *, migrated):
        library = self.copy(example, page.stem)
        model = SAMPLES / example / f"{example}.xcdatamodeld"
        statistics = self.folder / f"{page.stem}.json"
        words = ["report", library, "--model", model, "--output", page, "-q"]
        if migrated:
            run(library, "--model", model, "--stats", statistics, "-q")
            words += ["--stats", statistics]
        run(*words)

    def books_before(self, page):
        self.app("Books", page, migrated=False)

    def books(self, page):
        self.app("Books", page, migrated=True)

    def notes(self, page):
        self.app("Notes", page, migrated=True)

    def batch(self, page):
        (self.folder / "<b>broken.sqlite").write_bytes(b"garbage")
        libraries = [self.copy("Tracks", f"batch{number}") for number in range(3)] + ["<b>broken.sqlite"]
        results = run("batch", *libraries, "-q", expect=1, folder=self.folder)
        page.write_text(run("batch", "summarize", "-", "--format", "html", data=results), encoding="utf-8")


@pytest.fixture(scope="session")
def reports(tmp_path_factory):
    return Reports(tmp_path_factory.mktemp("reports"))


class Browser:
    """Chromium, told what to do by WebDriver."""

    def __init__(self):
        options = webdriver.ChromeOptions()
        # As root, which containers are run by, Chromium starts without its sandbox only.
        words = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]
        for word in words:
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.driver.set_script_timeout(120)

    def open(self, page, *, width=1200, height=900, dark=False, media=""):
        """Opens a page, and returns what went to the network and what the console said."""
        command = self.driver.execute_cdp_cmd
        scheme = "dark" if dark else "light"
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        command("Emulation.setEmulatedMedia", {"media": media, "features": features})
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        command("Emulation.setDeviceMetricsOverride", metrics)
        command("Emulation.setLocaleOverride", {"locale": "de-DE"})
        for kind in ("browser", "performance"):
            self.driver.get_log(kind)
        self.driver.get(page if isinstance(page, str) else page.as_uri())

    @property
    def console(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]

    @property
    def requests(self):
        """What was asked for from anywhere else than this page."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        urls = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
        return [url for url in urls if url.split("#")[0] != self.driver.current_url.split("#")[0]]

    def run(self, script, *values):
        return self.driver.execute_script(script, *values)

    def screenshot(self, name):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        size = self.run("return [innerWidth, Math.min(document.documentElement.scrollHeight, 12000)]")
        clip = {"x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1}
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
        (SCREENSHOTS / f"{name}.png").write_bytes(base64.b64decode(shot["data"]))

    def paper(self, name):
        """Prints the page to a PDF, and returns its size."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        document = base64.b64decode(self.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"])
        (SCREENSHOTS / f"{name}.pdf").write_bytes(document)
        return document


@pytest.fixture(scope="session")
def browser():
    browser = Browser()
    yield browser
    browser.driver.quit()


@pytest.fixture(scope="session")
def mermaid():
    """The address of a page that has Mermaid, from the files of a package."""
    import importlib.util

    spec = importlib.util.find_spec("nicegui")
    folder = pathlib.Path(spec.origin).parent / "elements" / "mermaid" / "dist"

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
