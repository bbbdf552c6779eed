"""Ctrl-C within one long sequence: the kernels run handlers of signals while they work, and end where one raises."""

import signal
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from tagfield.data.encode import encode_sequences
from tagfield.model.model import Model
from tagfield.native import kernels
from tagfield.train.recipes.settings import Settings

if not hasattr(signal, "setitimer"):
    pytest.skip("there are no timers", allow_module_level=True)

LABELS = [f"L{k}" for k in range(24)]
ENOUGH = 4  # a call that does not look runs a handler twice at most: before it starts and after its end


def tokens(count: int) -> list[list[str]]:
    return [[f"w{k % 97}", f"s{k % 7}"] for k in range(count)]


@pytest.fixture(scope="module")
def model() -> Model:
    y = [LABELS[k % len(LABELS)] for k in range(200)]
    return Model.train(encode_sequences([tokens(200)], [y]), Settings("lbfgs"))


@pytest.fixture
def alarm() -> Iterator[Callable[[Callable[[], None]], None]]:
    """Calls a function every 20 ms, as the handler of a signal."""
    before = signal.getsignal(signal.SIGALRM)

    def start(handler: Callable[[], None]) -> None:
        signal.signal(signal.SIGALRM, lambda *_: handler())
        signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)

    yield start
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def rows(model: Model, count: int) -> Callable[[], object]:
    assert model.direct is not None
    return model.direct.sequences.read(tokens(count)).rows


def marginals(model: Model, count: int, threads: int = 1) -> Callable[[], object]:
    return model.decoder([tokens(count)], threads=threads).marginals


def marginals_on_threads(model: Model, count: int) -> Callable[[], object]:
    return marginals(model, count, threads=2)


def messages(model: Model, count: int) -> Callable[[], object]:
    scores, transitions = np.zeros((count // 8, 24)), np.zeros((24, 24))
    return lambda: kernels.log_messages(scores, transitions)


@pytest.mark.slow
@pytest.mark.parametrize("make", [rows, messages, marginals, marginals_on_threads])
def test_handlers_run_during_a_long_sequence(model: Model, alarm, make) -> None:
    seen: list[float] = []
    for count in (100_000, 400_000, 1_600_000):
        call = make(model, count)
        seen.clear()
        alarm(lambda: seen.append(time.monotonic()))
        call()
        signal.setitimer(signal.ITIMER_REAL, 0)
        if len(seen) >= ENOUGH:
            return
    raise AssertionError(f"handlers ran {len(seen)} times")


@pytest.mark.slow
def test_a_handler_that_raises_ends_the_call_and_the_next_one_is_right(model: Model, alarm) -> None:
    def stop() -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        raise KeyboardInterrupt

    call = rows(model, 400_000)
    expected = rows(model, 20_000)()
    alarm(stop)
    with pytest.raises(KeyboardInterrupt):
        call()
    assert rows(model, 20_000)() == expected
