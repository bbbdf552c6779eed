"""A search that can be ended: the answers of `re`, time-outs, forks, and a model that goes on."""

import multiprocessing
import re
import threading
import time

import pytest

from tagfield import Model
from tagfield.data.text.templates import slow_search as module
from tagfield.data.text.templates.parsing import parse_template
from tagfield.data.text.templates.slow_search import SlowExpression, slow_search
from tagfield.errors import InputError

SLOW = r"^(\w+\s?)*\1$"
HOSTILE = "a" * 60 + "!"


@pytest.mark.parametrize("text", ["", "abab", "ab\n", "é-é", "\ud800", '"\\', "a" * 200_000 + "-" + "a" * 200_000])
def test_the_answer_is_that_of_re(text: str) -> None:
    for expression in (r"^(\w+)-\1$", "(?s)(.)\\1.", "^(?=.*-)"):
        assert slow_search(expression, text) == (re.search(expression, text) is not None)


def test_a_search_that_takes_too_long_is_ended_and_the_next_one_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SECONDS", 0.5)
    start = time.monotonic()
    with pytest.raises(
        SlowExpression, match=r"took longer than 0\.5 s for a cell of 61 characters; write it without nest"
    ):
        slow_search(SLOW, HOSTILE)
    assert time.monotonic() - start < 60
    monkeypatch.setattr(module, "SECONDS", 60.0)
    assert slow_search(SLOW, "abab")


def test_threads_and_forks() -> None:
    found: list[bool] = []
    threads = [threading.Thread(target=lambda: found.append(slow_search(r"(.)\1", "abb"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 4
    if "fork" in multiprocessing.get_all_start_methods():
        with multiprocessing.get_context("fork").Pool(2) as pool:
            assert pool.starmap(slow_search, [(r"(.)\1", "abb"), (r"(.)\1", "ab")] * 10) == [True, False] * 10
    assert slow_search(r"(.)\1", "abb")


def test_a_model_goes_on_after_a_word_that_was_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    template = parse_template(f"columns w y\nregex slow = {SLOW}\nw\nw.match(slow)\n")
    model = Model.train_words([["ab", "x"]] * 3, [["A", "B"]] * 3, template=template, settings="lbfgs")
    monkeypatch.setattr(module, "SECONDS", 0.5)
    for tag in (model.tag_text, lambda text: model.tag_words([text.split()])):
        with pytest.raises(InputError, match="took longer than"):
            tag(f"ab {HOSTILE.replace('!', '_')}-")
    monkeypatch.setattr(module, "SECONDS", 60.0)
    assert model.tag_words([["ab", "x"]]) == [["A", "B"]]
    assert model.tag_text("ab x").labels == [["A", "B"]]
