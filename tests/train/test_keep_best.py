"""With held-out data, the epoch with the best score on it is kept, whatever the recipe."""

import pytest

from tagfield.data.encode import encode_sequences
from tagfield.demo import addresses
from tagfield.errors import InputError
from tagfield.model.model import Model
from tagfield.train import Settings, train
from tests.train.recipes.test_default import encode


@pytest.mark.parametrize("recipe", ["default", "sgd", "pa", "lbfgs"])
def test_with_held_out_data_the_best_epoch_is_kept(recipe: str) -> None:
    """The scores of the weights that come out are the best of the history; without keep_best, those of the last."""
    corpus = addresses(seed=1, train=60, test=60)
    known = encode(corpus.train)
    dev = encode(corpus.test, known)
    kept = train(known, Settings.of(recipe, epochs=8, max_dev_rise=None), dev=dev)
    scores = [epoch.scores.f1 for epoch in kept.history if epoch.scores is not None]
    assert len(set(scores)) > 1
    assert kept.best.number == max(k for k, score in enumerate(scores, 1) if score == max(scores))
    model = Model.of(known, kept)
    assert model.evaluate(dev).f1 == max(scores)
    last = train(known, Settings.of(recipe, epochs=8, max_dev_rise=None, keep_best=False), dev=dev)
    assert [epoch.scores for epoch in last.history] == [epoch.scores for epoch in kept.history]
    if recipe in ("pa", "lbfgs"):  # those that do not keep the lowest objective themselves
        assert last.best.number == len(last.history)


X, Y = [[["a"], ["b"]], [["b"], ["c"]]], [["B-X", "O"], ["O", "O"]]


def test_of_epochs_with_equal_scores_the_last_is_kept() -> None:
    """Held-out data without a chunk has F1 0 after every epoch, which says nothing for the first one."""
    known = encode_sequences(X, Y)
    dev = encode_sequences(X[1:], Y[1:], attributes=known.attributes, labels=known.labels)
    trained = train(known, Settings(epochs=4), dev=dev)
    assert trained.best.number == 4


def test_labels_that_only_held_out_data_has_do_not_change_what_is_counted() -> None:
    known = encode_sequences(X, Y)
    more = [["P", "Q"], ["R", "S"]]
    dev = encode_sequences(X, more, attributes=known.attributes, labels=known.labels)
    trained = train(known, Settings(epochs=2), dev=dev)
    assert trained.settings.monitor == "f1"
    assert [(e.scores.kind, e.scores.accuracy, e.loss) for e in trained.history if e.scores] == [("iob", 0, None)] * 2


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ((X[::-1], Y[::-1], False), "not encoded with the vocabularies of the training data"),
        (([], [], True), "the held-out data has no token"),
        ((X, [["O", "O"], [None, "O"]], True), "held-out data, sequence 1: a token has no label"),
    ],
)
def test_held_out_data_that_cannot_be_scored_is_refused(data: tuple, message: str) -> None:
    known, (sequences, labels, same) = encode_sequences(X, Y), data
    vocabularies = {"attributes": known.attributes, "labels": known.labels} if same else {}
    with pytest.raises(InputError, match=message):
        train(known, Settings(), dev=encode_sequences(sequences, labels, **vocabularies))
