"""CRF(trainer_cls=…): a trainer of one's own, in the steps of sklearn-crfsuite."""

from pathlib import Path
from typing import Any

import pytest

from tagfield import CRF
from tagfield.compat.sklearn.own_trainer import PARAMETERS
from tagfield.errors import InputError
from tagfield.pycrfsuite import Trainer

X = [[{"w": "Anna"}, {"w": "sings"}], [{"w": "Bob"}, {"w": "sleeps"}]]
Y = [["NAME", "VERB"], ["NAME", "VERB"]]


class Counting(Trainer):
    """Counts the iterations through its hook."""

    seen: int = 0

    def on_iteration(self, log: str, info: dict[str, Any]) -> None:
        Counting.seen += 1


def test_hooks_are_called_and_the_model_is_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    Counting.seen = 0
    crf = CRF(trainer_cls=Counting, c1=0.05, c2=0.1, max_iterations=7, verbose=True).fit(X, Y, X, Y)
    assert Counting.seen == crf.n_iter_ == len(crf.training_log_.iterations) > 1
    assert crf.training_log_.last_iteration["avg_f1"] == 1
    assert "L-BFGS" in capsys.readouterr().out
    plain = CRF(c1=0.05, c2=0.1, max_iterations=7).fit(X, Y)
    assert crf.classes_ == plain.classes_
    assert crf.state_features_ == pytest.approx(plain.state_features_, abs=1e-6)


def test_parameters_have_crfsuites_names(tmp_path: Path) -> None:
    path = tmp_path / "m.crfsuite"
    crf = CRF("pa", trainer_cls=Trainer, pa_type=2, min_freq=1, max_iterations=3, model_filename=str(path)).fit(X, Y)
    assert crf.predict(X) == Y
    assert CRF.load(path).predict(X) == Y
    known = {name for algorithm in ("lbfgs", "l2sgd", "pa") for name in Trainer(algorithm).params()}
    assert set(PARAMETERS.values()) <= known


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"trainer_cls": object}, "trainer_cls must be None or a subclass of tagfield.pycrfsuite.Trainer, got <class"),
        ({"trainer_cls": "Trainer"}, "trainer_cls must be None or a subclass"),
        ({"trainer_cls": Trainer, "class_weight": "balanced"}, "class_weight does not work with trainer_cls"),
    ],
)
def test_what_a_trainer_cannot_do_is_an_error(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        CRF(**arguments).fit(X, Y)


def test_weights_and_streams_do_not_take_a_trainer() -> None:
    with pytest.raises(InputError, match="sample_weight does not work with trainer_cls"):
        CRF(trainer_cls=Trainer).fit(X, Y, sample_weight=[1, 2])
    with pytest.raises(InputError, match="trainer_cls works with fit only"):
        CRF(trainer_cls=Trainer).partial_fit(X, Y)
