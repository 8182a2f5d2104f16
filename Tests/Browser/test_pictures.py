"""Pictures of models and plans, read by the programs that they are written for."""

import subprocess
import xml.etree.ElementTree

import pytest

from conftest import SAMPLES, run

MODELS = {name: SAMPLES / name / f"{name}.xcdatamodeld" for name in ["Tracks", "Books", "Notes"]}


@pytest.fixture(scope="module")
def odd_model(tmp_path_factory):
    """A model whose names mean something in every language that pictures are written in."""
    folder = tmp_path_factory.mktemp("models") / "Odd.xcdatamodel"
    folder.mkdir()
    entities = ["style", "end", "Größe", "class", "Box", "Tëst_1"]
    bodies = "".join(
        f'<entity name="{name}" syncable="YES"><attribute name="{name.lower()}" optional="YES" attributeType="String"/>'
        f'<relationship name="to{number}" optional="YES" toMany="YES" destinationEntity="{entities[number - 1]}"/>'
        "</entity>"
        for number, name in enumerate(entities)
    )
    (folder / "contents").write_text(
        '<?xml version="1.0" encoding="UTF-8" standalone="yes"?><model type="com.apple.IDECoreDataModeler.DataModel" '
        f'documentVersion="1.0">{bodies}</model>',
        encoding="utf-8",
    )
    return folder


def pictures(odd_model, form):
    """Every model, every pair of versions, and a plan."""
    shown = [run("models", "show", model, "--as", form) for model in [*MODELS.values(), odd_model]]
    versions = sorted(MODELS["Books"].glob("*.xcdatamodel"))
    pairs = [(one, other) for one in versions for other in versions if one != other]
    pairs += [(MODELS["Notes"], odd_model), (odd_model, MODELS["Tracks"])]
    differing = [run("models", "diff", *pair, "--as", form, expect=3) for pair in pairs]
    store = SAMPLES / "Books" / "library-v1.sqlite"
    return [*shown, *differing, run(store, "--model", MODELS["Books"], "--dry-run", "--as", form)]


def test_mermaid(browser, mermaid, odd_model):
    browser.driver.get(mermaid)
    script = """
      const [text, done] = arguments;
      import("/index.js").then(async (module) => {
        const mermaid = module.mermaid ?? module.default?.mermaid ?? module.default;
        mermaid.initialize({ startOnLoad: false, securityLevel: "strict" });
        await mermaid.parse(text);
        const { svg } = await mermaid.render("m" + Math.random().toString(36).slice(2), text);
        done(svg);
      }).catch((error) => done("error: " + error));
    """
    for text in pictures(odd_model, "mermaid"):
        drawn = browser.driver.execute_async_script(script, text)
        assert drawn.startswith("<svg"), drawn + text


def test_mermaid_in_markdown(browser, mermaid, odd_model):
    text = run("models", "diff", MODELS["Books"] / "Books.xcdatamodel", MODELS["Books"], "--as", "markdown", expect=3)
    assert "```mermaid\nerDiagram\n" in text and "| entity |" in text


def test_dot(odd_model):
    for text in pictures(odd_model, "dot"):
        drawn = subprocess.run(["dot", "-Tsvg"], input=text, capture_output=True, text=True)
        assert drawn.returncode == 0 and drawn.stderr == "", drawn.stderr + text


def test_svg(browser, odd_model, tmp_path):
    for number, text in enumerate(pictures(odd_model, "svg")):
        assert xml.etree.ElementTree.fromstring(text).tag.endswith("svg")
        page = tmp_path / f"{number}.svg"
        page.write_text(text, encoding="utf-8")
        browser.open(page, dark=number % 2 == 1)
        assert browser.console == []
        assert browser.requests == []
        boxes = browser.run(
            "return [...document.querySelectorAll('.box')].map((b) => b.getBBox()).map((b) => "
            "[b.x, b.y, b.width, b.height])"
        )
        assert boxes
        for place, (x, y, width, height) in enumerate(boxes):
            for left, top, wide, high in boxes[place + 1 :]:
                apart = x + width <= left or left + wide <= x or y + height <= top or top + high <= y
                assert apart, "boxes overlap"
        # No text leaves its box.
        assert (
            browser.run(
                """return [...document.querySelectorAll(".box")].filter((box) => {
                 const frame = box.querySelector("rect").getBBox();
                 return [...box.querySelectorAll("text")].some((text) => {
                   const place = text.getBBox();
                   return place.x < frame.x - 1 || place.x + place.width > frame.x + frame.width + 1;
                 });
               }).map((box) => box.textContent)"""
            )
            == []
        )
        if number < 4:
            browser.screenshot(f"model-{number}")
