"""The history of a run: what is best, when patience ends, when errors rise too far, and a clock that stands still."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.evaluate import Scores, Tally
from tagfield.train import Epoch, Settings
from tagfield.train.loop.history import History, Stopping
from tagfield.weights.layout import Weights


def scored(right: int, of: int = 100, chunks: int = 1) -> Scores:
    """`right` of `of` tokens, and one chunk that was found if `chunks` is 1."""
    return Scores(Tally(1, 1, chunks), Tally(of, of, right), {}, Tally(1, 1, chunks), {})


def some(value: float) -> Weights:
    return Weights(np.full((1, 8), value, np.float32), np.full((1, 8), value, np.float32))


def run(settings: Settings, *dev: Scores, best: bool = True) -> History:
    """The history of one epoch for each score, whose weights are its number."""
    left = iter(dev)
    history = History(settings, {"dev": lambda _: next(left)}, None)
    for number in range(1, len(dev) + 1):
        history.add(10.0 - number, 1.0, 0.1, lambda: some(0.0), best)
        if history.dev_rise():
            break
        history.remember(lambda out, number=number: some(number))
    return history


@given(st.lists(st.floats(1, 100), min_size=1, max_size=12), st.integers(0, 4), st.floats(0, 0.5))
def test_the_stopping_rule_by_its_definition(objectives: list[float], period: int, delta: float) -> None:
    rule = Stopping(period, delta)
    for i, objective in enumerate(objectives):
        before = objectives[i - period] if 0 < period <= i else math.inf
        assert rule.add(objective) == (before - objective < delta * abs(objective))


def test_an_epoch_holds_what_was_seen() -> None:
    seen: list[Epoch] = []
    scorers = {"dev": lambda w: scored(90), "train": lambda w: scored(int(w.state[0, 0]))}
    history = History(Settings(), scorers, seen.append)
    assert not history.add(2.5, 3.0, 0.1, lambda: some(97.0), True)
    [epoch] = history.epochs
    assert seen == [epoch]
    assert (epoch.number, epoch.objective, epoch.norm, epoch.rate, epoch.best) == (1, 2.5, 3.0, 0.1, True)
    assert epoch.scores == scored(90)
    assert epoch.watched == {"train": scored(97)}
    row = epoch.to_dict()
    assert (row["accuracy"], row["train_accuracy"], row["rate"]) == (0.9, 0.97, 0.1)


def test_a_callback_stops_by_returning_true() -> None:
    for answer, stops in ((None, False), (False, False), (True, True)):
        history = History(Settings(), {}, lambda _, answer=answer: answer)
        assert history.add(1.0, 1.0, None, lambda: some(0.0), True) is stops


def test_nothing_is_copied_where_nothing_is_scored() -> None:
    def never() -> Weights:
        raise AssertionError("the weights were asked for")

    History(Settings(), {}, None).add(1.0, 1.0, None, never, True)


def test_the_clock_stands_still_while_scores_are_taken() -> None:
    now = [0.0]

    def score(_: Weights) -> Scores:
        now[0] += 100.0
        return scored(90)

    def told(_: Epoch) -> None:
        now[0] += 1000.0

    history = History(Settings(), {"dev": score}, told, clock=lambda: now[0])
    for _ in range(3):
        now[0] += 2.0
        history.add(1.0, 1.0, None, lambda: some(0.0), True)
    assert [epoch.seconds for epoch in history.epochs] == [2.0, 4.0, 6.0]


def test_with_patience_the_best_is_the_best_score() -> None:
    history = run(Settings(patience=2, monitor="accuracy"), *map(scored, (90, 92, 92, 91)), best=False)
    assert [epoch.best for epoch in history.epochs] == [True, True, True, False]  # of equal ones, the last
    assert history.out_of_patience
    assert not history.best
    early = run(Settings(patience=2, monitor="accuracy"), *map(scored, (90, 92, 92)))
    assert not early.out_of_patience


def test_patience_watches_the_score_that_it_is_told_to() -> None:
    dev = [scored(90, chunks=1), scored(95, chunks=0)]
    bests = {
        monitor: [epoch.best for epoch in run(Settings(patience=3, monitor=monitor), *dev).epochs]
        for monitor in ("accuracy", "f1")
    }
    assert bests == {"accuracy": [True, True], "f1": [True, False]}


def test_the_best_score_on_held_out_data_is_the_best_epoch() -> None:
    for best in (True, False):
        history = run(Settings(max_dev_rise=None), scored(90), scored(99), scored(98), best=best)
        assert [epoch.best for epoch in history.epochs] == [True, True, False]
        assert not history.out_of_patience


def test_if_the_score_does_not_decide_the_trainer_says_what_is_best() -> None:
    for best in (True, False):
        history = run(Settings(keep_best=False), scored(90), scored(99), best=best)
        assert [epoch.best for epoch in history.epochs] == [best, best]
        assert not history.out_of_patience


def test_a_token_or_two_of_few_are_noise() -> None:
    def said(*right: int, of: int) -> str:
        return run(Settings(), *(scored(number, of) for number in right)).dev_rise()

    assert said(50, 49, of=50) == said(200, 198, of=200) == said(25, 23, of=25) == ""
    assert said(9500, 9490, of=10000) == said(9500, 9400, of=10000) == ""
    assert "fell from 95.00 to 93.00 %" in said(9500, 9300, of=10000)
    assert "fell from 100.00 to 80.00 %" in said(50, 40, of=50)


@pytest.mark.parametrize(("rise", "noticed"), [(0.0, True), (0.25, True), (0.39, True), (0.41, False)])
def test_the_rise_is_a_fraction_of_the_lowest_error(rise: float, noticed: bool) -> None:
    dev = [scored(950_000, 1_000_000), scored(930_000, 1_000_000)]  # 5 % of errors, then 7 %: two fifths more
    assert bool(run(Settings(max_dev_rise=rise), *dev).dev_rise()) == noticed


def test_an_infinite_rise_never_stops() -> None:
    assert run(Settings(max_dev_rise=math.inf), scored(100), scored(0)).dev_rise() == ""


def test_it_falls_back_on_the_epoch_that_did_best_on_held_out_data() -> None:
    history = run(Settings(), *(scored(right, 10_000) for right in (9000, 9500, 9400, 5000)))
    assert history.dev_rise()
    assert history.fall_back().state[0, 0] == 2
    assert history.run.fell_back
    assert [epoch.best for epoch in history.epochs] == [False, True, False, False]


def test_without_held_out_data_it_falls_back_on_the_weights_kept_so_far() -> None:
    history = History(Settings(), {}, None)
    history.add(1.0, 1.0, None, lambda: some(0.0), True)
    assert history.dev_rise() == ""
    history.run.kept = some(-1.0)
    assert history.fall_back().state[0, 0] == -1
    assert history.run.fell_back


def test_the_last_epoch_can_be_kept() -> None:
    history = run(Settings(keep_best=False), scored(90), scored(91), best=False)
    history.keep_last()
    assert history.run.fell_back
    assert [epoch.best for epoch in history.epochs] == [False, True]
