"""The system's Chromium, which `make browser` installs; without it, tests that need it are skipped."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def find_browser() -> str:
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip("no Chromium found; install it with `make browser`")
    return found


@contextmanager
def chromium() -> Iterator["Browser"]:
    path = find_browser()
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed; it is in the extra dev")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()
