"""Held-out data: what can be scored, with which ids, and the figure that early stopping goes by."""

import pytest

from tagfield.data.encode import encode_sequences
from tagfield.errors import InputError
from tagfield.train import Settings, train

X, Y = [[["a"], ["b"]], [["b"], ["c"]]], [["B-X", "O"], ["O", "O"]]


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
