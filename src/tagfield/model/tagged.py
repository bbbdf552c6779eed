"""Results of tagging text: tokens and spans with character offsets and probabilities.

    TaggedText ─▶ TaggedSentence ─▶ TaggedToken · TaggedSpan          text[span.start:span.end] == span.text
        └─▶ to_dict (JSON) · to_displacy · to_spacy · HTML in a notebook · print

Offsets of these records count characters of the text. `tagfield.inference.spans.Span`, which `Model.spans` and
`CRF.predict_spans` return for lists of words, counts tokens; it has no text, so it has another name.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tagfield.model.tagged_views import displacy, forms_chunks, html, marked, spacy_doc


class TaggedToken(NamedTuple):
    """A token with its label.

    >>> TaggedToken("York", 4, 8, "I-LOC", 0.98).label
    'I-LOC'
    """

    text: str
    start: int  # characters from the beginning of the text
    end: int
    label: Any
    probability: float | None  # P(label | sentence)


class TaggedSpan(NamedTuple):
    """A chunk, such as a name, with its type as the label.

    >>> TaggedSpan(0, 8, "LOC", "New York", 0.97).text
    'New York'
    """

    start: int  # characters from the beginning of the text
    end: int
    label: str
    text: str
    probability: float | None  # P(exactly this chunk | sentence)


@dataclass(frozen=True, repr=False)
class TaggedSentence:
    """A sentence of a text: its tokens, and the chunks that their labels form.

    >>> tokens = [TaggedToken("Hi", 0, 2, "O", 0.9), TaggedToken("Bo", 3, 5, "B-PER", 0.8)]
    >>> sentence = TaggedSentence("Hi Bo", 0, tokens)
    >>> sentence.words, sentence.labels, sentence.end
    (['Hi', 'Bo'], ['O', 'B-PER'], 5)
    """

    text: str
    start: int  # characters from the beginning of the whole text
    tokens: list[TaggedToken]
    spans: list[TaggedSpan] = field(default_factory=list)
    probability: float | None = None  # P(all labels | sentence)
    n_best: list[tuple[list[Any], float]] = field(default_factory=list)  # label sequences, if you asked for them

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def words(self) -> list[str]:
        """The texts of the tokens."""
        return [token.text for token in self.tokens]

    @property
    def labels(self) -> list[Any]:
        """The labels of the tokens."""
        return [token.label for token in self.tokens]

    def __len__(self) -> int:
        return len(self.tokens)

    def __iter__(self) -> Iterator[TaggedToken]:
        return iter(self.tokens)

    def to_dict(self) -> dict[str, Any]:
        """The sentence as dicts and lists that json.dumps takes; see `TaggedText.to_dict`."""
        found: dict[str, Any] = {
            "start": self.start,
            "end": self.end,
            "probability": self.probability,
            "tokens": [token._asdict() for token in self.tokens],
            "spans": [span._asdict() for span in self.spans],
        }
        if self.n_best:
            found["n_best"] = [{"labels": labels, "probability": p} for labels, p in self.n_best]
        return found

    def __str__(self) -> str:
        return marked(self.text, self.tokens, self.spans, self.start)

    def __repr__(self) -> str:
        return f"TaggedSentence({_short(str(self))})"


@dataclass(frozen=True, repr=False)
class TaggedText:
    """A text with its labels. Print it, iterate over its sentences, or take its spans.

    >>> tokens = [TaggedToken("Bo", 0, 2, "B-PER", 0.9), TaggedToken("left", 3, 7, "O", 0.9)]
    >>> tagged = TaggedText("Bo left", [TaggedSentence("Bo left", 0, tokens, [TaggedSpan(0, 2, "PER", "Bo", 0.9)])])
    >>> print(tagged)
    [Bo PER] left
    >>> [(span.label, span.text, span.start) for span in tagged.spans]
    [('PER', 'Bo', 0)]
    """

    text: str
    sentences: list[TaggedSentence]

    def __len__(self) -> int:
        return len(self.sentences)

    def __iter__(self) -> Iterator[TaggedSentence]:
        return iter(self.sentences)

    @property
    def tokens(self) -> list[TaggedToken]:
        """The tokens of all sentences."""
        return [token for sentence in self.sentences for token in sentence.tokens]

    @property
    def spans(self) -> list[TaggedSpan]:
        """The chunks of all sentences."""
        return [span for sentence in self.sentences for span in sentence.spans]

    @property
    def labels(self) -> list[list[Any]]:
        """The labels of each sentence."""
        return [sentence.labels for sentence in self.sentences]

    def to_dict(self) -> dict[str, Any]:
        """The text as dicts and lists that json.dumps takes: text, sentences, their tokens and spans.

        >>> tagged = TaggedText("Bo", [TaggedSentence("Bo", 0, [TaggedToken("Bo", 0, 2, "N", 0.5)], [], 0.5)])
        >>> tagged.to_dict()["sentences"][0]["tokens"]
        [{'text': 'Bo', 'start': 0, 'end': 2, 'label': 'N', 'probability': 0.5}]
        """
        return {"text": self.text, "sentences": [sentence.to_dict() for sentence in self.sentences]}

    def to_displacy(self) -> dict[str, Any]:
        """The spans for displaCy: `displacy.render(tagged.to_displacy(), style="ent", manual=True)`.

        >>> tagged = TaggedText("Bo", [TaggedSentence("Bo", 0, [], [TaggedSpan(0, 2, "PER", "Bo", 0.5)])])
        >>> tagged.to_displacy()
        {'text': 'Bo', 'ents': [{'start': 0, 'end': 2, 'label': 'PER'}], 'title': None}
        """
        return displacy(self.text, self.spans)

    def to_spacy(self, nlp: Any = None) -> Any:
        """The text as a spaCy Doc with the same tokens, sentences and entities. Needs spaCy.

        Labels that are not chunks, such as parts of speech, become `token.tag_`. The text between tokens is kept, as
        tokens of white space, so `doc.text` is the text.

        nlp: a spaCy pipeline whose vocabulary the Doc shares; without it, the Doc has a vocabulary of its own
        """
        return spacy_doc(self.text, self.sentences, nlp)

    def __str__(self) -> str:
        tokens, spans = self.tokens, self.spans
        if forms_chunks(tokens, spans):
            return marked(self.text, tokens, spans, 0)
        return "\n".join(map(str, self.sentences))

    def __repr__(self) -> str:
        count = f"{len(self)} sentence{'' if len(self) == 1 else 's'}"
        return f"TaggedText({_short(str(self))}, {count})"

    def _repr_html_(self) -> str:
        return html(self.text, self.tokens, self.spans)


def _short(text: str, most: int = 60) -> str:
    return repr(text if len(text) <= most else text[: most - 1] + "…")
