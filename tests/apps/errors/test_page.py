"""The page in a real browser: filters, keys, links, decisions; it loads nothing, and nothing in words is HTML."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tagfield import InputError, Model, OutputError, write_errors_page
from tests.support.browser import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

EVIL = "</script><script>document.title='hit'</script>"
TRAIN = [["Anna", "left", "Oslo"], ["Ben", "in", "Oslo"], ["Oslo", "left"]] * 4
TAGS = [["B-PER", "O", "B-LOC"], ["B-PER", "O", "B-LOC"], ["B-LOC", "O"]] * 4
MODEL = Model.train_words(TRAIN, TAGS, settings="lbfgs")
# The second sentence is right, the last one has a label that the model does not know.
X = [["Anna", "left", "Oslo"], ["Ben", "left"], ["Anna", "Ben"], [EVIL, "in", "Oslo"]]
Y = [["O", "O", "B-LOC"], ["B-PER", "O"], ["B-LOC", "B-LOC"], ["B-<b>X", "O", "O"]]


def data_of(path: Path) -> dict[str, Any]:
    raw = re.search(r'<script type="application/json" id="data">(.*?)</script>', path.read_text(), re.DOTALL)
    assert raw is not None
    return json.loads(raw[1])  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("page") / "errors.html"
    write_errors_page(MODEL, (X, Y), found, train=(TRAIN, TAGS), name="<i>names</i>")
    return found


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    with chromium() as found:
        yield found


@pytest.fixture(params=[(1400, 900), pytest.param((400, 740), marks=pytest.mark.slow)], ids=["desk", "phone"])
def page(request: pytest.FixtureRequest, browser: "Browser", path: Path) -> Iterator["Page"]:
    width, height = request.param
    opened = browser.new_page(viewport={"width": width, "height": height})
    requests: list[str] = []
    messages: list[str] = []
    opened.on("request", lambda each: requests.append(each.url))
    opened.on("console", lambda each: messages.append(each.text))
    opened.on("pageerror", lambda each: messages.append(str(each)))
    opened.goto(path.as_uri())
    yield opened
    opened.close()
    assert {each for each in requests if not each.startswith("blob:")} == {path.as_uri()}, "the page loaded something"
    assert messages == [], "the page wrote to the console"


def numbers(page: "Page") -> list[str]:
    return page.locator("#list > li .head a").all_inner_texts()


def test_words_and_labels_are_never_html(page: "Page", path: Path) -> None:
    assert page.title() == "Errors of <i>names</i>"
    assert path.read_text().count("<script") == 2
    assert EVIL in page.locator("#sentence-4").inner_text()
    assert "B-<b>X" in page.locator("#sentence-4 .chip").first.inner_text()
    assert "The model cannot predict B-<b>X" in page.locator("#sentence-4").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_filters(page: "Page") -> None:
    assert sorted(numbers(page)) == ["Sentence 1", "Sentence 3", "Sentence 4"]
    places = page.locator("#kinds [data-kind=all] i").inner_text()
    assert page.locator("#status").inner_text() == f"{places} places in 3 sentences"
    page.locator("#pairs button", has_text="B-<b>X").click()
    assert numbers(page) == ["Sentence 4"]
    assert page.locator("#status").inner_text().startswith("1 place in 1 of 3 sentences")
    page.keyboard.press("Escape")
    assert len(numbers(page)) == 3
    page.locator("[data-kind=unseen]").click()
    assert numbers(page) == ["Sentence 4"]
    page.locator("#clear").click()
    page.keyboard.press("/")
    page.keyboard.type("anna ben")
    page.locator("#status", has_text="1 of 3 sentences").wait_for()
    assert numbers(page) == ["Sentence 3"]
    page.keyboard.press("Escape")
    page.locator("#order").select_option("file")
    assert numbers(page) == ["Sentence 1", "Sentence 3", "Sentence 4"]


def test_the_matrix_has_the_confusions_of_the_list(page: "Page") -> None:
    if not page.locator("#matrix").is_visible():
        page.locator("#whole summary").click()
    for button in page.locator("#pairs button").all():
        pair = button.get_attribute("data-pair")
        assert page.locator(f"#matrix [data-pair='{pair}']").count() == 1
    note = page.locator("#matrix-note").bounding_box()
    assert note is not None
    assert note["x"] + note["width"] <= page.evaluate("window.innerWidth")


def test_the_terms_on_the_page_add_up(page: "Page") -> None:
    for details in page.locator(".place details").all():
        details.locator("summary").click()
        details.locator("tr.sum").wait_for()
        *rows, total = (
            round(100 * float(text.replace("−", "-"))) for text in details.locator("td.amount").all_inner_texts()
        )
        assert sum(rows) == total
        assert details.locator(".train li").count() >= 1


def test_keys_move_decide_and_download(page: "Page") -> None:
    page.keyboard.press("j")
    assert page.locator(".place.here").count() == 1
    page.keyboard.press("p")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    assert page.locator(".place.here details[open]").count() == 1
    page.keyboard.press("u")
    page.keyboard.press("u")  # undone
    page.keyboard.press("k")
    pressed = page.locator(".decide [aria-pressed=true]")
    assert pressed.all_inner_texts() == ["Prediction is right"]
    with page.expect_download() as caught:
        page.locator("#download").click()
    rows = [line.split("\t") for line in Path(caught.value.path()).read_text().splitlines()]
    assert [len(row) for row in rows] == [8, 8]
    assert rows[1][-1] == "prediction is right"
    page.reload()
    assert page.locator(".decide [aria-pressed=true]").all_inner_texts() == ["Prediction is right"]


def test_a_link_leads_to_its_sentence(browser: "Browser", path: Path) -> None:
    page = browser.new_page()
    page.goto(f"{path.as_uri()}#sentence-3")
    assert page.locator(".linked").get_attribute("id") == "sentence-3"
    page.evaluate("location.hash = '#sentence-2'")
    page.locator("#status", has_text="Sentence 2 is not on this page").wait_for()
    page.close()


def test_what_is_left_out_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, long = tmp_path / "errors.html", ["Anna", *["left"] * 60]
    X, y = [long * 5] + [["Anna"]] * 9, [["O"] * 305] + [["O"]] * 9
    page = write_errors_page(MODEL, (X, y), path, sentences=4)
    assert "shows 4 of the 10 sentences with errors" in path.read_text()
    assert (page.sentences, len(data_of(path)["sentences"])) == (4, 4)
    (cut,) = [each for each in data_of(path)["sentences"] if each["number"] == 1] or [None]
    assert cut is None or len(cut["words"]) < 305
    monkeypatch.setattr("tagfield.apps.errors.records.BUDGET", 1_000)
    assert write_errors_page(MODEL, (X, y), path).sentences < 4


def test_no_errors_is_a_page_too(tmp_path: Path) -> None:
    path = tmp_path / "errors.html"
    assert len(write_errors_page(MODEL, (TRAIN, TAGS), path).errors) == 0
    assert "No errors: the model gives all 32 tokens their gold labels." in path.read_text()


def test_bad_arguments(tmp_path: Path) -> None:
    other = tmp_path / "other.html"
    other.write_text("mine")
    with pytest.raises(OutputError, match="exists and is not a page of tagfield errors"):
        write_errors_page(MODEL, (X, Y), other)
    assert other.read_text() == "mine"
    with pytest.raises(InputError, match="sentences must be at least 1, got 0"):
        write_errors_page(MODEL, (X, Y), tmp_path / "a.html", sentences=0)
    with pytest.raises(InputError, match="model must be a Model or a fitted CRF, got str"):
        write_errors_page("model", (X, Y), tmp_path / "a.html")


def test_a_number_is_no_path_and_no_open_file_is_closed(tmp_path: Path) -> None:
    (tmp_path / "open.txt").write_text("content")
    with open(tmp_path / "open.txt", "rb") as file:
        with pytest.raises(TypeError):
            write_errors_page(MODEL, (X, Y), file.fileno())
        assert file.read() == b"content"
