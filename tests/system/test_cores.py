"""The default number of threads: all cores, or what OMP_NUM_THREADS says; it changes no bit."""

import pytest

from tagfield import Settings
from tagfield.system.cores import cores, usual_threads
from tagfield.train import train
from tests.support.strategies import encode, learnable


@pytest.mark.parametrize(
    ("told", "expected"), [(None, 8), ("", 8), ("3", 3), ("99", 8), ("2,4", 2), ("0", 8), ("-1", 8), ("many", 8)]
)
def test_the_environment_lowers_the_number_of_threads(
    told: str | None, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tagfield.system.cores.cores", lambda: 8)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if told is not None:
        monkeypatch.setenv("OMP_NUM_THREADS", told)
    assert usual_threads() == expected
    assert Settings().thread_count == expected
    assert Settings(threads=5).thread_count == 5


@pytest.mark.parametrize("name", ["default", "u2.g1", "lbfgs"])
def test_all_cores_train_the_same_model_as_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    encoded = encode(learnable(300))
    assert Settings(name).thread_count == cores()
    found = [train(encoded, Settings(name, epochs=3, threads=threads)).weights for threads in (None, 1)]
    assert len({weights.state.tobytes() for weights in found}) == 1
