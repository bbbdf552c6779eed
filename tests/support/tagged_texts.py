"""A text with markup and gaps, and its tokens labelled by hand."""

from tagfield.data.text.tokenizer.tokenizer import tokenize
from tagfield.model.tagged import TaggedSentence, TaggedSpan, TaggedText, TaggedToken

TEXT = "  Anna <b>lives</b>\n\nin New  York."


def tagged(text: str, labels: dict[str, str], default: str = "O", tokenizer=None) -> TaggedText:
    """The text with the labels of some words; spans are single tokens that have a B- label."""
    sentences = []
    for offsets in tokenize(text, tokenizer):
        tokens = [TaggedToken(text[a:b], a, b, labels.get(text[a:b], default), 0.75) for a, b in offsets]
        spans = [TaggedSpan(t.start, t.end, t.label[2:], t.text, 0.5) for t in tokens if t.label.startswith("B-")]
        sentences.append(TaggedSentence(text[offsets[0][0] : offsets[-1][1]], offsets[0][0], tokens, spans, 0.25))
    return TaggedText(text, sentences)


NAMES = {"Anna": "B-PER", "York": "B-LOC"}
