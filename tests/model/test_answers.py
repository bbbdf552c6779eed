"""Answers: what a decoder says about each sentence, and what spans labels form."""

from tagfield import Model
from tagfield.model.answers import answers, span_kind
from tests.support.named_words import LABELS, SENTENCES, SETTINGS


def test_what_spans_labels_form() -> None:
    assert span_kind(["U-A", "B-A", "I-A", "L-A", "O"]) == "iobes"
    assert span_kind(["B-A", "I-A", "O"]) == "iob"
    assert span_kind(["LOC", "O", "B"]) == "runs"
    assert span_kind(["NN", "-LRB-", "B"]) is None


def test_each_sentence_gets_its_labels_chunks_and_paths() -> None:
    model = Model.train_words(SENTENCES, LABELS, template="words", settings=SETTINGS)
    decoder = model.decoder(model.encode_words(SENTENCES))
    for answer, gold in zip(answers(decoder, model.label_names, "iob", n_best=2), LABELS, strict=True):
        assert [model.label_names[i] for i in answer.labels] == gold
        assert [first for _, first, _, _ in answer.chunks] == [t for t, y in enumerate(gold) if y.startswith("B-")]
        assert answer.n_best is not None
        assert answer.n_best[0][0] == answer.labels
    for answer in answers(decoder, model.label_names, None, probabilities=False):
        assert answer[1:] == (None, None, [], None)
