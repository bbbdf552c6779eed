"""The report page in a real browser: what it shows, how it reacts, and that it loads nothing.

The tests use the system's Chromium, which `make browser` installs; without it they are skipped.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tagfield.compare.compare import compare
from tagfield.compare.plan import Plan
from tagfield.compare.report_page import page_data, page_text
from tagfield.compare.results import Results
from tagfield.compare.summary import summarise
from tagfield.data.encode import encode_sequences
from tagfield.demo import addresses
from tests.support.browser import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

EVIL = "<img src=http://127.0.0.1/x onerror=document.title='hit'>"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """A comparison on addresses, with a label that contains HTML."""
    corpus = addresses(seed=1, train=60, test=30)
    sides = []
    for sentences in (corpus.train, corpus.test):
        X = [[[f"w={word}", f"s={shape}"] for word, shape, _ in rows] for rows in sentences]
        sides.append((X, [[label.replace("CITY", EVIL) for _, _, label in rows] for rows in sentences]))
    train = encode_sequences(*sides[0])
    test = encode_sequences(*sides[1], attributes=train.attributes, labels=train.labels)
    plan = Plan(("sgd", "u2.g1", "lbfgs"), ("observed", "all"), seeds=2, epochs=6, iterations=8)
    folder = tmp_path_factory.mktemp("compared")
    return compare(train, test, plan, folder, workers=2, about={"name": "addresses </title>"})


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    with chromium() as found:
        yield found


class Opened:
    """The page, with its requests and its console messages."""

    def __init__(self, page: "Page", address: str) -> None:
        self.page, self.address = page, address
        self.requests: list[str] = []
        self.messages: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.messages.append(message.text))
        page.on("pageerror", lambda error: self.messages.append(str(error)))
        page.goto(address)

    def curves(self) -> list[str]:
        return [node.get_attribute("data-recipe") or "" for node in self.page.locator("path.curve").all()]

    def ticks(self) -> list[str]:
        return self.page.locator("#chart > text").all_text_contents()

    def box(self, place: "Locator") -> tuple[float, float, float, float]:
        place.scroll_into_view_if_needed()
        found = place.bounding_box()
        assert found is not None
        return found["x"], found["y"], found["width"], found["height"]


@pytest.fixture(params=[(1200, 900), pytest.param((360, 740), marks=pytest.mark.slow)], ids=["desk", "phone"])
def opened(request: pytest.FixtureRequest, browser: "Browser", results: Results, tmp_path: Path) -> Iterator[Opened]:
    path = tmp_path / "index.html"
    path.write_text(page_text(results), encoding="utf-8")
    width, height = request.param
    page = browser.new_page(viewport={"width": width, "height": height})
    found = Opened(page, path.as_uri())
    yield found
    page.close()
    assert found.requests == [found.address], "the page loaded something"
    assert found.messages == [], "the page wrote to the console"


def test_the_page_links_to_no_other_host(results: Results) -> None:
    text = page_text(results)
    addresses = set(re.findall(r"(?:https?:)?//[\w.-]+\.\w+[\w/.-]*", text))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://127.0.0.1/x"}  # the SVG namespace, and the label above
    assert "<img" not in text
    assert re.findall(r"<(?:script|link|img|iframe)[^>]*(?:src|href)=(?!\"data:)", text) == []


def test_it_fits_the_screen_and_shows_everything(opened: Opened, results: Results) -> None:
    page = opened.page
    assert page.title() == "Recipes compared: addresses </title>"
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert page.locator("#summary-table tbody tr").count() == len(summarise(results)) == 6
    assert opened.curves() == ["sgd", "lbfgs", "u2.g1"]
    for name in ("token accuracy %", "chunk F1 %"):
        past = page.locator("#summary-table th", has_text=name).evaluate(
            "head => head.getBoundingClientRect().right - head.closest('.scroll').getBoundingClientRect().right"
        )
        assert past <= 1, f"{name} is in sight"
    assert page.locator("#settings .scroll").evaluate("box => box.scrollWidth <= box.clientWidth")
    settings = page.locator("#settings-table").inner_text()
    for text in ("python", "numpy", "c2", "kernels", str(results.data["fingerprint"])):
        assert text in settings
    heading = page.locator("h1").bounding_box()
    assert heading is not None
    assert heading["x"] >= 0


def test_the_table_sorts_both_ways(opened: Opened) -> None:
    page = opened.page
    heads = page.locator("#summary-table thead th").all_text_contents()
    column = heads.index("token accuracy %") + 1
    head = page.locator(f"#summary-table thead th:nth-child({column}) button")
    cells = page.locator(f"#summary-table tbody td:nth-child({column})")

    def figures() -> list[float]:
        return [float(cell.get_attribute("data-value") or "nan") for cell in cells.all()]

    head.click()
    assert figures() == sorted(figures(), reverse=True)
    head.click()
    assert figures() == sorted(figures())
    assert figures()[0] < figures()[-1]
    page.locator("#summary-table thead th:nth-child(1) button").focus()
    page.keyboard.press("Enter")
    names = page.locator("#summary-table tbody td:nth-child(1)").all_text_contents()
    assert names == sorted(names)


def test_hovering_reads_the_curves(opened: Opened, results: Results) -> None:
    page = opened.page
    x, y, width, height = opened.box(page.locator("#chart"))
    page.mouse.move(x + width - 20, y + height / 2)
    tip = page.locator("#tip")
    assert tip.is_visible()
    assert tip.locator("div").first.inner_text() == "epoch 6"
    shown = dict(
        zip(
            tip.locator("td:first-child").all_inner_texts(), tip.locator("td:last-child").all_inner_texts(), strict=True
        )
    )
    for group in page_data(results)["groups"]:
        if group["features"] == "all":
            curve = group["curves"]["test_accuracy"]
            label = {"sgd": "SGD", "lbfgs": "L-BFGS", "u2.g1": "U2*.G1"}[group["recipe"]]
            expected = f"{100 * curve['mean'][5]:.2f}"
            if group["seeds"] > 1:
                expected += f" ± {100 * curve['sd'][5]:.2f}"
            assert shown[label] == expected
    box = tip.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= page.evaluate("window.innerWidth")
    page.mouse.move(x + width / 2, y - 40)
    assert tip.is_hidden()


def test_dragging_zooms_in_and_double_click_resets(opened: Opened) -> None:
    page = opened.page
    whole = opened.ticks()
    x, y, width, height = opened.box(page.locator("#chart"))
    page.mouse.move(x + width * 0.4, y + height * 0.2)
    page.mouse.down()
    page.mouse.move(x + width * 0.7, y + height * 0.5, steps=4)
    page.mouse.up()
    assert opened.ticks() != whole
    page.mouse.dblclick(x + width * 0.5, y + height * 0.5)
    assert opened.ticks() == whole
    page.mouse.move(x + width * 0.4, y + height * 0.2)
    page.mouse.down()
    page.mouse.move(x + width * 0.7, y + height * 0.5, steps=4)
    page.mouse.up()
    page.locator("#reset").click()
    assert opened.ticks() == whole
    page.locator("#against").select_option("seconds")
    assert "seconds of training, one core" in opened.ticks()
    page.locator("#metric").select_option("objective")
    assert "objective" in opened.ticks()


def test_the_legend_hides_and_shows(opened: Opened) -> None:
    button = opened.page.locator("#legend button[data-recipe=sgd]")
    button.click()
    assert opened.curves() == ["lbfgs", "u2.g1"]
    assert button.get_attribute("aria-pressed") == "false"
    opened.page.locator("#features").select_option("observed")
    assert opened.curves() == ["lbfgs", "u2.g1"]
    opened.page.locator("#legend button[data-recipe=sgd]").click()
    assert len(opened.curves()) == 3


def test_labels_and_confusion_of_any_recipe(opened: Opened, results: Results) -> None:
    page = opened.page
    groups = [group for group in page_data(results)["groups"] if "labels" in group]
    place = next(i for i, g in enumerate(groups) if (g["recipe"], g["features"]) == ("sgd", "all"))
    page.locator("#group").select_option(str(place))
    rows = page.locator("#label-table tbody tr").all()
    assert len(rows) == len(groups[place]["labels"])
    for row, (label, gold, predicted, correct) in zip(rows, groups[place]["labels"], strict=True):
        cells = row.locator("td").all_text_contents()
        f1 = 200 * correct / (gold + predicted)
        assert cells[0] == label
        assert cells[3] == f"{f1:.2f}"
    assert any(EVIL in row.locator("td").first.inner_text() for row in rows)
    names, counts = groups[place]["confusion"]["labels"], groups[place]["confusion"]["counts"]
    at = names.index("B-STREET")
    cell = page.locator(f"#matrix tbody tr:nth-child({at + 1}) td").nth(at)
    cell.click()
    text = page.locator("#confusion-cell").inner_text()
    assert text.startswith(f"gold B-STREET, predicted B-STREET: {counts[at][at]} of {sum(counts[at])}")
    assert page.locator("#confusion-of").inner_text() == "SGD, all"


def test_a_tap_reads_the_curves_too(browser: "Browser", results: Results, tmp_path: Path) -> None:
    path = tmp_path / "index.html"
    path.write_text(page_text(results), encoding="utf-8")
    page = browser.new_page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    page.goto(path.as_uri())
    chart = page.locator("#chart")
    chart.scroll_into_view_if_needed()
    chart.tap(position={"x": 200, "y": 150})
    assert page.locator("#tip").is_visible()
    page.locator("#curves h2").tap()
    assert page.locator("#tip").is_hidden()
    page.close()


def test_dark_mode_is_readable(browser: "Browser", results: Results, tmp_path: Path) -> None:
    path = tmp_path / "index.html"
    path.write_text(page_text(results), encoding="utf-8")
    page = browser.new_page(color_scheme="dark")
    page.goto(path.as_uri())
    ink, paper, line = page.evaluate(
        "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor,"
        " getComputedStyle(document.querySelector('path.curve[data-recipe=sgd]')).stroke]"
    )
    page.close()
    assert line == ink  # black lines take the text colour
    light, dark = (sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in (ink, paper))
    assert light > 600
    assert dark < 120


def test_the_embedded_data_is_whole(results: Results) -> None:
    text = page_text(results)
    raw = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert raw is not None
    assert json.loads(raw[1]) == json.loads(json.dumps(page_data(results)))
