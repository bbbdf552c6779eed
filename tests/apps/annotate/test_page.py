"""The page in a real browser: ten sentences of a demo corpus give a model and a score; the keyboard; tags; a phone.

The tests use the system's Chromium, which `make browser` installs; without it they are skipped.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tagfield import Model, read
from tagfield.data.labels.schemes import chunks_of
from tests.support.annotation import TEXTS, Annotation
from tests.support.browser import chromium
from tests.support.cli_process import good

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PATIENCE = 90_000  # milliseconds, for a busy machine
UNNAMED = """() => [...document.querySelectorAll("button, input, [role=button]")]
    .filter((node) => node.offsetParent && !node.getAttribute("aria-label") && !node.textContent.trim())
    .map((node) => node.outerHTML)"""


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    with chromium() as found:
        yield found


def open_page(browser: "Browser", service: Annotation, *, phone: bool = False) -> "Page":
    size = {"width": 400, "height": 800} if phone else {"width": 1400, "height": 900}
    context = browser.new_context(viewport=size, color_scheme="dark" if phone else "light")  # type: ignore[arg-type]
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.on("pageerror", lambda error: pytest.fail(str(error)))
    page.goto(service.address)
    page.locator(".token").first.wait_for()
    return page


def words(page: "Page") -> list[str]:
    return page.locator(".token").all_inner_texts()


def drag(page: "Page", first: int, last: int) -> None:
    page.locator(".token").nth(first).evaluate("token => token.scrollIntoView({block: 'center'})")  # not under the bar
    a, b = (page.locator(".token").nth(index).bounding_box() for index in (first, last))
    assert a is not None
    assert b is not None
    page.mouse.move(a["x"] + 3, a["y"] + a["height"] / 2)
    page.mouse.down()
    page.mouse.move(b["x"] + b["width"] - 3, b["y"] + b["height"] / 2, steps=4)
    page.mouse.up()


def accept(page: "Page") -> None:
    before = page.locator("#counts").inner_text()
    page.keyboard.press("Enter")
    page.wait_for_function("text => document.getElementById('counts').innerText !== text", arg=before)


def marks(page: "Page") -> list[tuple[int, int, str]]:
    found = page.evaluate(
        """() => [...document.querySelectorAll("mark.span")].map((mark) => [
            Number(mark.querySelector(".token").dataset.index), mark.querySelectorAll(".token").length,
            mark.querySelector(".tag").textContent])"""
    )
    return [(start, start + count, label) for start, count, label in found]


@pytest.mark.parametrize(
    ("phone", "count"), [pytest.param(False, 10, marks=pytest.mark.slow), (True, 4)], ids=["desk", "phone"]
)
def test_ten_sentences_of_a_demo_corpus_give_a_model_and_a_score(
    browser: "Browser", tmp_path: Path, phone: bool, count: int
) -> None:
    good("demo-data", "addresses", "-o", tmp_path, "--train", "60", "--test", "20", "--quiet")
    gold = {s.words: chunks_of(list(map(str, s.labels))) for s in read(tmp_path / "train.txt").sentences()}
    output = tmp_path / "labelled.txt"
    service = Annotation(tmp_path / "train.txt", "-o", output, "--labels-from", tmp_path / "test.txt")
    try:
        page = open_page(browser, service, phone=phone)
        names = [text.split()[-1] for text in page.locator("#palette button[aria-pressed]").all_inner_texts()]
        assert not page.locator("#figure").is_visible()  # there is nothing to measure yet
        for _ in range(count):
            wanted = [(chunk.start, chunk.end, chunk.label) for chunk in gold[tuple(words(page))]]
            for mark in [mark for mark in marks(page) if mark not in wanted]:
                page.locator(".token").nth(mark[0]).click()  # selects the span
                page.get_by_role("button", name="Remove").click()
            for start, end, label in [mark for mark in wanted if mark not in marks(page)]:
                page.locator(f"#palette [aria-label='Label {label}']").click()
                drag(page, start, end - 1)
            assert marks(page) == wanted
            accept(page)
        assert names
        page.locator("#counts", has_text=f"{count} labelled · {60 - count} left").wait_for()
        page.locator("#meaning", has_text=f"you did not have to change, in the last {count - 1} sentences").wait_for()
        assert page.locator("#figure").inner_text().endswith("%")
        assert page.locator("#further", has_text="The model has learned from").is_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert page.evaluate(UNNAMED) == []
        page.close()
    finally:
        assert service.stop() == 0
    found = list(read(output).sentences())
    assert [chunks_of(list(map(str, s.labels))) for s in found] == [gold[s.words] for s in found]
    assert Model.load(tmp_path / "labelled.model").info["annotated"] == count
    done = good("train", output, "-o", tmp_path / "again", "--json")
    assert json.loads(done)["sequences"] == count


def test_the_keyboard_does_it_all(browser: "Browser", tmp_path: Path) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_text("\n".join(TEXTS))
    service = Annotation(texts, "-o", tmp_path / "labelled.txt")  # no labels yet
    try:
        page = open_page(browser, service)
        page.get_by_role("textbox", name="New label").fill("PER")
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Label PER").wait_for()
        first = words(page)
        for key in ("Home", "Shift+ArrowRight", "1"):
            page.keyboard.press(key)
        assert marks(page) == [(0, 2, "PER")]
        page.keyboard.press("Control+z")
        assert marks(page) == []
        for key in ("Home", "ArrowRight", "Space"):
            page.keyboard.press(key)
        assert marks(page) == [(1, 2, "PER")]
        page.keyboard.press("Backspace")
        assert marks(page) == []
        page.keyboard.press("Home")
        page.keyboard.press("1")
        accept(page)
        page.locator("#further", has_text="learned from 1").wait_for()
        second = words(page)
        assert second != first
        page.keyboard.press("Tab")  # to what is least sure
        assert page.locator(".token.picked, .span.chosen").count() >= 1
        page.keyboard.press("s")
        page.wait_for_function(
            "text => [...document.querySelectorAll('.token')].map((n) => n.innerText).join(' ') !== text",
            arg=" ".join(second),
        )
        page.keyboard.press("u")
        page.locator("#note", has_text="Taken back").wait_for()
        assert words(page) == first
        assert marks(page) == [(0, 1, "PER")]
        accept(page)
        other = open_page(browser, service)
        assert words(other) != words(page)  # leased
        other.close()
        page.close()
    finally:
        assert service.stop() == 0


def test_tags_of_words(browser: "Browser", tmp_path: Path) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_text("They sing\nDogs bark today\n")
    service = Annotation(texts, "-o", tmp_path / "labelled.txt", "--labels", "N,V,ADV", "--scheme", "none")
    try:
        page = open_page(browser, service)
        for _ in range(2):
            count = len(words(page))
            page.locator("#note", has_text="have no label yet").or_(page.locator(".tag:not(.missing)").first).wait_for()
            page.locator(".token").first.click()
            for key in ("1", "2", "3")[:count]:
                page.keyboard.press(key)
            accept(page)
        page.get_by_text("Everything is labelled").wait_for()
        page.close()
    finally:
        assert service.stop() == 0
    labels = {s.words: s.labels for s in read(tmp_path / "labelled.txt").sentences()}
    assert labels == {("They", "sing"): ("N", "V"), ("Dogs", "bark", "today"): ("N", "V", "ADV")}


def test_a_file_that_was_changed_by_hand_is_said_and_the_marks_stay(browser: "Browser", tmp_path: Path) -> None:
    texts, output = tmp_path / "texts.txt", tmp_path / "labelled.txt"
    texts.write_text("\n".join(TEXTS))
    service = Annotation(texts, "-o", output, "--labels", "PER,LOC")
    try:
        page = open_page(browser, service)
        page.locator(".token").first.click()
        accept(page)
        whole, shown = output.read_text(), words(page)
        page.locator("#further", has_text="learned from 1").wait_for()
        page.keyboard.press("Home")
        page.keyboard.press("2")
        left = marks(page)
        output.write_text(whole[:-7])  # half of it
        for key in ("Enter", "u"):
            page.keyboard.press(key)
            error = page.locator("#error", has_text="was changed by another program")
            error.wait_for()
            assert error.inner_text().startswith("nothing was saved: ")
            assert (
                "correct the file and save it, then try again; what was known before is kept in" in error.inner_text()
            )
            assert (words(page), marks(page)) == (shown, left)
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
            page.wait_for_function("() => !document.getElementById('board').classList.contains('stale')")
        assert output.read_text() == whole[:-7]
        assert output.with_name("labelled.kept-1.txt").read_text() == whole
        output.write_text(whole)
        accept(page)
        assert page.locator("#error").is_hidden()
        page.close()
    finally:
        assert service.stop() == 0
    assert [list(s.words) for s in read(output).sentences()][1:] == [shown]
