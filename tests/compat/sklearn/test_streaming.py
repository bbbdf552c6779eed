"""partial_fit keeps what the optimiser has learned: between calls, in pickles and in files."""

import copy
import inspect
import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from tagfield import CRF
from tagfield.errors import ModelFileError
from tagfield.model.model import Model
from tagfield.system.storage import load_tensors, save_tensors
from tests.support.chains import tagged

X, Y = tagged(120)
CLASSES = sorted({label for row in Y for label in row})
VARIANTS: dict[str, dict[str, Any]] = {
    "the default": {},
    "adaptive": {"algorithm": "adaptive", "average": True},
    "u2.g1": {"algorithm": "u2.g1", "anneal": 1.0, "average": True, "rate": 0.5},
    "all pairs": {"algorithm": "l2sgd", "all_possible_states": True, "all_possible_transitions": True},
}


def bits(crf: CRF) -> tuple[Any, ...]:
    model = crf.model_
    return model.attributes.strings(), model.weights.state.tobytes(), model.weights.trans.tobytes()


@pytest.mark.parametrize("variant", VARIANTS)
def test_one_sentence_at_a_time_is_as_good_as_all_at_once(variant: str) -> None:
    options = VARIANTS[variant]
    whole = CRF(**options).partial_fit(X, Y, classes=CLASSES)
    single = CRF(**options)
    for x, y in zip(X, Y, strict=True):
        single.partial_fit([x], [y], classes=CLASSES)
    assert bits(single) == bits(whole)
    assert (single.n_iter_, single.seen_, whole.n_iter_, whole.seen_) == (120, 120, 1, 120)
    assert len(single.history_) == 120
    assert whole.score(X, Y) > 0.8


@pytest.mark.parametrize("variant", VARIANTS)
def test_pickles_copies_and_files_go_on_where_they_were(variant: str, tmp_path) -> None:
    options = VARIANTS[variant]
    undisturbed = CRF(**options).partial_fit(X, Y, classes=CLASSES)
    begun = CRF(**options).partial_fit(X[:50], Y[:50], classes=CLASSES)
    begun.save(tmp_path / "model")
    for again in (
        pickle.loads(pickle.dumps(begun)),
        copy.deepcopy(begun),
        CRF.load(tmp_path / "model").set_params(**options),
        CRF(**options, model_filename=tmp_path / "model"),
    ):
        if again.model_filename is not None:
            again.predict(X[:1])  # it is read when it is first needed
        before = again.predict(X)
        assert before == begun.predict(X)
        assert bits(again.partial_fit(X[50:], Y[50:])) == bits(undisturbed)
    assert begun.predict(X) == before  # the others learned on their own


def test_predicting_in_between_changes_nothing() -> None:
    watched, plain = CRF(), CRF()
    for x, y in zip(X[:30], Y[:30], strict=True):
        watched.partial_fit([x], [y], classes=CLASSES).predict([x])
        plain.partial_fit([x], [y], classes=CLASSES)
    assert bits(watched) == bits(plain)


def test_a_model_that_was_given_away_does_not_change() -> None:
    crf = CRF().partial_fit(X[:20], Y[:20], classes=CLASSES)
    given, labels = crf.model_, crf.predict(X)
    crf.partial_fit(X[20:], Y[20:])
    assert given is not crf.model_
    assert given.tag(X) == [list(row) for row in labels]


def test_a_call_that_fails_leaves_what_was_learned() -> None:
    crf = CRF().partial_fit(X[:20], Y[:20], classes=CLASSES)
    other = CRF().partial_fit(X[:20], Y[:20], classes=CLASSES)
    with pytest.raises(ValueError, match="a label that the first partial_fit did not know"):
        crf.partial_fit([[["never seen"]]], [["NEW"]])
    assert crf.predict(X) == other.predict(X)
    assert crf.partial_fit(X[20:], Y[20:]).predict(X) == other.partial_fit(X[20:], Y[20:]).predict(X)


def test_fit_and_prune_begin_anew() -> None:
    crf = CRF("adaptive").partial_fit(X, Y)
    assert bits(crf.fit(X, Y)) == bits(CRF("adaptive").fit(X, Y))
    assert not hasattr(crf, "seen_")
    crf.partial_fit(X[:5], Y[:5])
    assert crf.prune(0.01).num_attributes_ <= len(CRF("adaptive").fit(X, Y).attributes_)
    assert not hasattr(clone(crf), "model_")


def test_the_optimiser_in_a_file_is_checked(tmp_path) -> None:
    path = tmp_path / "model"
    CRF("adaptive", average=True).partial_fit(X[:1] * 700, Y[:1] * 700).save(path)
    tensors, metadata = load_tensors(path)
    assert {"stream.theta.state", "stream.squares.state", "stream.rest.trans"} <= set(tensors)
    assert Model.load(path).stream is not None

    def broken(name: str = "", array: Any = None, numbers: str = "") -> None:
        changed = {**tensors, name: array} if name else tensors
        changed = {key: value for key, value in changed.items() if value is not None}
        save_tensors(path, changed, {**metadata, **({"stream": numbers} if numbers else {})})
        with pytest.raises(ModelFileError, match="the stream"):
            Model.load(path)

    broken("stream.theta.state", tensors["stream.theta.state"][:-1])
    broken("stream.theta.trans", None)
    broken("stream.squares.state", tensors["stream.squares.state"].astype(np.float64))
    broken("stream.rest.state", np.full_like(tensors["stream.rest.state"], np.nan))
    broken("stream.rest.trans", None)
    broken(numbers='{"t": 1}')
    broken(numbers=metadata["stream"].replace('"scale": ', '"scale": -'))
    broken(numbers="[1]")


def test_the_arguments_of_crf_are_the_options() -> None:
    """CRF.__init__ is spelled out, as scikit-learn asks; it must match the list of options."""
    from tagfield.compat.sklearn.parameters import CONVERTED, names_in_crf

    own = {"self", "algorithm", "verbose", "model_filename", "keep_tempfiles", "trainer_cls", "class_weight"}
    own |= {"warm_start", "early_stopping", "validation_fraction", "constraints", "constrain_training", "callbacks"}
    own |= {"template"}
    arguments = set(inspect.signature(CRF.__init__).parameters)
    assert arguments == own | set(names_in_crf()) | {name for name in CONVERTED.values() if name}
    for name in arguments - {"self"}:
        assert name in (CRF.__doc__ or ""), name
    assert "{options}" not in (CRF.__doc__ or "")


def test_a_call_does_not_make_the_model_of_the_calls_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would cost as much as all that was learned so far."""
    from tagfield.model.model import Model

    crf = CRF().partial_fit([[["a"], ["b"]]], [["X", "Y"]])
    with monkeypatch.context() as patched:
        patched.setattr(Model, "of_stream", None)
        crf.partial_fit([[["c"]]], [["Y"]])
        assert crf.__sklearn_is_fitted__()
    assert crf.num_attributes_ == 3
