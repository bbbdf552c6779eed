"""The kernels and Python's threads: the interpreter's lock is free while a kernel runs."""

import threading
import time
from collections.abc import Callable

import numpy as np

from tagfield.native import kernels
from tagfield.train import Settings
from tagfield.train.trainers.objective import Objective
from tests.support.naive import Problem
from tests.support.strategies import encode
from tests.support.trainers import pose


def test_python_goes_on_while_a_kernel_runs() -> None:
    """While one thread is inside a kernel this one wakes up again and again; it could not if the lock were held."""
    rng = np.random.default_rng(0)
    gold = rng.integers(400, size=(150, 30)).tolist()  # so many labels that each of these calls takes long
    heavy = Problem([[[(y % 5, 1.0)] for y in path] for path in gold], gold, [1.0] * len(gold), 5, 400)
    problem = pose(encode(heavy), Settings("lbfgs", features="all"))
    corpus, features = problem.corpus, problem.features
    theta, rest = features.field(features.zeros()), features.field(features.zeros())
    objective = Objective(problem)
    order = np.arange(len(gold))

    def stochastic() -> None:
        kernels.Pass().run(corpus, theta, None, None, order)

    calls: dict[str, Callable[[], None]] = {
        "stochastic": stochastic,
        "margin": lambda: kernels.margin_pass(corpus, theta, rest, order, 1, 1.0, True, 1.0),
        "gradient": lambda: objective(np.zeros(objective.size)),
    }
    for name, call in calls.items():
        done = threading.Event()

        def work(call: Callable[[], None] = call, done: threading.Event = done) -> None:
            call()
            done.set()

        thread = threading.Thread(target=work)
        thread.start()
        woke = 0
        while not done.is_set():
            time.sleep(0.001)
            woke += 1
        thread.join()
        assert woke > 10, name
