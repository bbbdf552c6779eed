"""A sequence of weather with features of every kind, on the five algorithms of CRFsuite: fit, predict, score, store."""

import pickle
from pathlib import Path

import pytest
from sklearn.model_selection import cross_val_score

from tagfield import CRF

ALGORITHMS = ["lbfgs", "l2sgd", "ap", "pa", "arow"]
DAYS = [
    ({"wet": 1.0, "wind": 0.5}, "rain"),
    ({"wet": 1}, "rain"),
    ({"wet": 1, "cold": 0.5, "sky": b"grau"}, "rain"),
    ({"wind": 0.5, "cold": 0.5}, "sun"),
    ({"wet": 0.5, "wind": 1, "ciel": "été"}, "sun"),
    ({"wind": 1, "cold": 0.1, b"sky": "день".encode()}, "sun"),
    ({}, "sun"),
    (["wet", b"wet:very"], "rain"),
]
X, Y = [day for day, _ in DAYS], [weather for _, weather in DAYS]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_five_algorithms(algorithm: str) -> None:
    crf = CRF(algorithm).fit([X], [Y])
    for again in (crf, pickle.loads(pickle.dumps(crf, protocol=pickle.HIGHEST_PROTOCOL))):
        assert again.score([X], [Y]) == pytest.approx((again.predict([X]) == Y).mean())
        assert again.score([X], [Y]) == 1.0 or algorithm == "ap"  # averaged from the first update on
        assert again.algorithm == algorithm
    [rows] = crf.predict_marginals([X])
    assert len(rows) == len(X)
    for row in rows:
        assert isinstance(row, dict)
        assert set(row) == set(crf.tagger_.labels())
        assert abs(sum(row.values()) - 1.0) < 1e-6
    assert {"wet", "sky:grau", "sky:день", "ciel:été", "wet:very"} <= set(crf.attributes_)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_verbose_with_and_without_held_out_data(algorithm: str, capsys: pytest.CaptureFixture[str]) -> None:
    for dev in ((None, None), ([X], [Y])):
        crf = CRF(algorithm, verbose=True, max_iterations=4).fit([X, X], [Y, Y], X_dev=dev[0], y_dev=dev[1])
        assert "Iter 1" in capsys.readouterr().out
        assert (crf.predict([X]) == [Y]).mean() > 0.5


def test_a_file_and_a_pickle_of_it(tmp_path: Path) -> None:
    path = tmp_path / "weather.crfsuite"
    crf = CRF(model_filename=str(path)).fit([X], [Y])
    assert path.exists()
    for again in (CRF(model_filename=str(path)), pickle.loads(pickle.dumps(crf))):
        assert again.score([X], [Y]) == 1.0


def test_cross_validation_and_wrong_arguments() -> None:
    assert cross_val_score(CRF(), [X] * 6, [Y] * 6, cv=3).mean() == 1.0
    with pytest.raises(ValueError, match="X_dev and y_dev go together"):
        CRF().fit([X], [Y], [X])
    crf = CRF().fit([X] * 20, [Y] * 20)
    assert crf.size_ > 1000
    assert all(crf.attributes_)
    assert all(isinstance(w, float) for w in [*crf.state_features_.values(), *crf.transition_features_.values()])
