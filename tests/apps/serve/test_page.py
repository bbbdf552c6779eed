"""The page of the service in a real browser: labels as you type, reasons, pins, copies, keys, and no other host.

The tests use the system's Chromium, which `make browser` installs; without it they are skipped.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.browser import chromium
from tests.support.service import Service, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PATIENCE = 90_000  # milliseconds, for a busy machine
TEXT = "Anna lives in New York. Ben went to Rome."
UNNAMED = """() => [...document.querySelectorAll("button, select, textarea, input, [role=button]")]
    .filter((node) => node.offsetParent && !node.getAttribute("aria-label"))
    .filter((node) => !(node.labels?.[0] ?? node).textContent.trim())
    .map((node) => node.outerHTML)"""
EVIL = "<img src=x onerror=document.title='hit'> lives in Oslo."


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    with chromium() as found:
        yield found


class Opened:
    """The page, with its requests and its console messages."""

    def __init__(self, page: "Page", service: Service) -> None:
        self.page, self.service = page, service
        self.requests: list[str] = []
        self.messages: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.messages.append(message.text))
        page.on("pageerror", lambda error: self.messages.append(str(error)))
        page.set_default_timeout(PATIENCE)
        page.goto(service.address)
        page.locator("#model option").first.wait_for(state="attached")

    def type(self, text: str) -> None:
        self.page.locator("#text").fill(text)
        self.page.locator("#status").get_by_text("words").wait_for()

    def spans(self) -> list[str]:
        """The words of each span and its label."""
        found = []
        for mark in self.page.locator("mark.span").all():
            words = " ".join(mark.locator(".token").all_inner_texts())
            found.append(f"{words}/{mark.locator('.tag').evaluate('tag => tag.firstChild.data')}")
        return found

    def adds_up(self) -> None:
        """The terms of the explanation, as they are shown."""
        *amounts, total = [
            round(100 * float(text.replace("−", "-"))) for text in self.page.locator("#terms .amount").all_inner_texts()
        ]
        assert len(amounts) > 3
        assert sum(amounts) == total
        assert f"{total / 100:.2f} ahead of" in self.page.locator("#sum").inner_text()

    def token(self, text: str):
        return self.page.locator(".token", has_text=text).first

    def drag(self, first: str, last: str) -> None:
        a, b = self.token(first).bounding_box(), self.token(last).bounding_box()
        assert a is not None
        assert b is not None
        mouse = self.page.mouse
        mouse.move(a["x"] + 4, a["y"] + a["height"] / 2)
        mouse.down()
        mouse.move(b["x"] + b["width"] - 4, b["y"] + b["height"] / 2, steps=5)
        mouse.up()


PHONE = pytest.param(("phone", 400, 800, "dark"), marks=pytest.mark.slow)


@pytest.fixture(params=[("desk", 1400, 900, "light"), PHONE], ids=["desk", "phone"])
def opened(request: pytest.FixtureRequest, browser: "Browser", service: Service) -> Iterator[Opened]:
    _, width, height, scheme = request.param
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=scheme,
        permissions=["clipboard-read", "clipboard-write"],
    )
    found = Opened(context.new_page(), service)
    yield found
    assert all(url.startswith(service.address) for url in found.requests), found.requests
    assert found.messages == [], "the page wrote to the console"
    assert found.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), (
        "it is wider than the screen"
    )
    context.close()


def test_lines_stand_by_themselves_unless_the_reader_says_otherwise(opened: Opened) -> None:
    page = opened.page
    opened.type("Anna lives in New\nYork")
    page.locator("#which").get_by_text("of sentence 1 of 2").wait_for()
    assert "New York/LOC" not in opened.spans()
    page.get_by_label("Each line by itself").uncheck()
    page.locator("mark.span").filter(has_text="York").filter(has_text="New").wait_for()
    assert page.locator("#which").inner_text() == ""
    opened.token("York").click()
    page.locator("#reasons").wait_for()
    page.locator("#text").fill("One line.")
    page.locator("#apart").wait_for(state="hidden")
    assert opened.messages == []


def test_labels_as_you_type_and_why(opened: Opened) -> None:
    page = opened.page
    assert page.get_by_text("The labelled text appears here.").is_visible()
    assert not page.locator("#hint").is_visible()  # there is no word to click yet
    page.locator("#text").press_sequentially("Anna lives in", delay=5)
    page.locator("mark.span").wait_for()
    opened.type(TEXT)
    page.locator("mark.span", has_text="Rome").wait_for()
    assert opened.spans() == ["Anna/PER", "New York/LOC", "Ben/PER", "Rome/LOC"]
    assert page.locator("#legend li").all_text_contents() == ["PER2", "LOC2"]
    assert page.locator("#paths li").count() == 6
    opened.token("Ben").click()
    page.locator("#terms li").first.wait_for()
    assert page.locator("#word").inner_text() == "Ben"
    assert page.locator("#label").inner_text() == "B-PER"
    assert page.locator("#which").inner_text() == "of sentence 2 of 2"
    assert not page.get_by_text("The labelled text appears here.").is_visible()
    opened.adds_up()
    page.get_by_role("button", name="Show all").click()
    opened.adds_up()
    page.locator("#expected").select_option("B-LOC")
    page.locator("#sum", has_text="ahead of B-LOC").wait_for()
    page.locator("#chances button", has_text="I-LOC").click()
    page.locator("#sum", has_text="ahead of I-LOC").wait_for()
    page.get_by_role("button", name="Close").click()
    assert not page.locator("#reasons").is_visible()


def test_dragging_pins_a_label_and_the_rest_follows(opened: Opened) -> None:
    page = opened.page
    opened.type("🙂 Anna lives in New York.")
    page.locator("mark.span", has_text="York").wait_for()
    opened.drag("lives", "in")
    menu = page.get_by_role("menu", name="Pin a label")
    menu.wait_for()
    assert menu.get_by_role("menuitem").all_inner_texts() == ["PER", "LOC", "O · no label"]
    menu.get_by_role("menuitem", name="LOC").click()
    page.locator("mark.pinned").wait_for()
    assert opened.spans()[-3:] == ["Anna/PER", "lives in/LOC", "New York/LOC"]
    page.locator("#text").press("Home")
    page.locator("#text").press_sequentially("So ")  # the pin moves with its words
    page.locator(".token", has_text="So").wait_for()
    assert "lives in/LOC" in opened.spans()
    opened.drag("lives", "in")
    menu.get_by_role("menuitem", name="Remove the pin").click()
    page.locator("mark.pinned").wait_for(state="detached")
    assert opened.spans()[-2:] == ["Anna/PER", "New York/LOC"]


def test_the_keyboard_does_it_all(opened: Opened) -> None:
    page = opened.page
    opened.type(TEXT)
    page.locator("mark.span", has_text="Rome").wait_for()
    opened.token("Anna").focus()
    assert page.locator(".token[tabindex='0']").count() == 1
    for key in ("ArrowRight", "Shift+ArrowRight", "Enter"):
        page.keyboard.press(key)
    page.get_by_role("menu").wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.locator("mark.pinned", has_text="lives").wait_for()
    assert opened.spans()[1] == "lives in/LOC"
    focused = page.locator(".token:focus")
    assert focused.inner_text() == "in"
    page.keyboard.press("Home")
    page.keyboard.press("p")
    page.get_by_role("menu").wait_for()
    page.keyboard.press("Escape")
    assert not page.get_by_role("menu").is_visible()
    assert focused.inner_text() == "Anna"
    page.keyboard.press("Enter")
    page.locator("#reasons").wait_for()
    assert focused.get_attribute("aria-pressed") == "true"
    page.keyboard.press("Escape")
    assert not page.locator("#reasons").is_visible()
    outline = page.evaluate("getComputedStyle(document.querySelector('.token:focus')).outlineStyle")
    assert outline == "solid"


def test_copies(opened: Opened) -> None:
    page = opened.page
    opened.type("😀 Anna lives in\nNew York.")
    page.locator("mark.span", has_text="York").wait_for()
    copied = {}
    for name in ("JSON", "BIO", "brat"):
        page.get_by_role("button", name=name).click()
        page.locator("#status", has_text=f"Copied as {name}").wait_for()
        copied[name] = page.evaluate("navigator.clipboard.readText()").replace("\r\n", "\n")
    assert json.loads(copied["JSON"])["text"] == "😀 Anna lives in\nNew York."
    assert "Anna\tB-PER\nlives\tO\n" in copied["BIO"]
    assert copied["brat"].endswith("\tPER 2 6\tAnna\nT3\tLOC 16 24\tNew York\n")


def test_other_models_markup_and_a_service_that_is_gone(opened: Opened) -> None:
    page = opened.page
    opened.type(EVIL)
    page.locator("mark.span").first.wait_for()
    assert "".join(page.locator(".token").all_inner_texts()).startswith("<imgsrc=xonerror")
    assert page.title() == "tagfield"
    page.locator("#model").select_option("plain")
    page.locator("#tokens", has_text="reads attributes, not text").wait_for()
    page.locator("#model").select_option("names")
    page.locator("mark.span").first.wait_for()
    page.route("**/v1/tag", lambda route: route.abort())
    page.locator("#text").fill("Ben")
    page.get_by_role("alert").get_by_text("does not answer").wait_for()
    opened.messages.clear()  # the browser reports the request that failed
    page.unroute("**/v1/tag")
    opened.type("Ben")
    page.get_by_role("alert").wait_for(state="hidden")


def test_the_controls_have_names(opened: Opened) -> None:
    opened.type(TEXT)
    opened.token("Anna").click()
    opened.page.locator("#terms li").first.wait_for()
    unnamed = opened.page.evaluate(UNNAMED)
    assert unnamed == []
    assert opened.page.get_by_role("button", name="Anna: B-PER").count() == 1


def test_the_page_of_the_api(opened: Opened) -> None:
    page = opened.page
    page.get_by_role("link", name="API").click()
    card = page.get_by_role("region", name="post /v1/explain")
    card.wait_for()
    hidden = card.get_by_role("textbox").evaluate("area => area.scrollHeight - area.clientHeight")
    assert hidden <= 1, "the whole example is in sight"
    card.get_by_role("button", name="Send").click()
    card.get_by_role("status").get_by_text('"compared_with"').wait_for()
    assert page.locator("section.card").count() == 6


def test_a_service_with_a_token_asks_for_it(browser: "Browser", folder: Path) -> None:
    with served(folder / "names.tagfield", "--token", "a-long-secret") as service:
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(service.address)
        page.get_by_role("dialog", name="This service needs a token").wait_for()
        page.get_by_role("textbox", name="Token").fill("a-long-secret")
        page.get_by_role("button", name="Continue").click()
        page.locator("#model option").first.wait_for(state="attached")
        page.locator("#text").fill("Anna")
        page.locator("mark.span").wait_for()
        assert "Anna" in page.locator("mark.span").inner_text()
        page.close()
