"""Tagged text as others read it: marked text, HTML, displaCy's dict, a spaCy Doc.

Where the labels form chunks, these show the chunks; otherwise, as for parts of speech, they show the label of every
token. HTML uses transparent colours, so it is readable on a light and on a dark page.
"""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any
from zlib import crc32

from tagfield.errors import InputError

_BOX = (
    "color:inherit;padding:.1em .25em;border-radius:.3em;background:hsla({hue},70%,50%,.28);"
    "-webkit-box-decoration-break:clone;box-decoration-break:clone"
)
_LABEL = "font-size:.75em;font-weight:bold;opacity:.75;margin-left:.35em"


def marked(text: str, tokens: Sequence[Any], spans: Sequence[Any], start: int) -> str:
    """The text with its spans in brackets; if the labels form no chunks, each token with its label.

    start: where the text begins, counted as the tokens' offsets are

    >>> marked("Bo left", [], [(0, 2, "PER", "Bo", 0.9)], 0)
    '[Bo PER] left'
    >>> marked("Bo left", [("Bo", 0, 2, "N", 0.9), ("left", 3, 7, "V", 0.9)], [], 0)
    'Bo/N left/V'
    """
    if not forms_chunks(tokens, spans):
        return " ".join(f"{token[0]}/{token[3]}" for token in tokens)
    boxes = [(span[0], span[1], f"[{span[3]} {span[2]}]") for span in spans]
    return "".join(shown for _, shown in _pieces(text, boxes, start))


def html(text: str, tokens: Sequence[Any], spans: Sequence[Any]) -> str:
    """The text with coloured boxes around its spans; without spans, around each token.

    >>> html("<Bo>", [], [(1, 3, "PER", "Bo", 0.9)]).count("&lt;")
    1
    """
    if forms_chunks(tokens, spans):
        found = [(start, end, label, p) for start, end, label, _, p in spans]
    else:
        found = [(start, end, label, p) for _, start, end, label, p in tokens]
    boxes = [(start, end, _box(text[start:end], str(label), p)) for start, end, label, p in found]
    body = "".join(shown if boxed else escape(shown) for boxed, shown in _pieces(text, boxes, 0))
    return f'<div style="white-space:pre-wrap;line-height:1.9">{body}</div>'


def displacy(text: str, spans: Sequence[Any]) -> dict[str, Any]:
    """What displaCy takes with style="ent" and manual=True. Labels are escaped: displaCy writes them as HTML.

    >>> displacy("R&D", [(0, 3, "R&D", "R&D", 0.9)])["ents"]
    [{'start': 0, 'end': 3, 'label': 'R&amp;D'}]
    """
    ents = [{"start": start, "end": end, "label": escape(str(label))} for start, end, label, *_ in spans]
    return {"text": text, "ents": ents, "title": None}


def spacy_doc(text: str, sentences: Sequence[Any], nlp: Any) -> Any:
    """A spaCy Doc of the whole text: its tokens, and what stands between them as tokens of white space."""
    try:
        from spacy.tokens import Doc
        from spacy.vocab import Vocab
    except ImportError as error:
        raise InputError(f"to_spacy needs spaCy ({error}); install it with: pip install 'tagfield[spacy]'") from None
    words: list[str] = []
    spaces: list[bool] = []
    starts: list[bool | int | None] = []
    tags: list[str] = []
    spans = [span for sentence in sentences for span in sentence.spans]
    chunks = forms_chunks([token for sentence in sentences for token in sentence.tokens], spans)

    def add(word: str, begins: bool, tag: str) -> None:
        words.append(word)
        spaces.append(False)
        starts.append(begins)
        tags.append(tag)

    def fill(gap: str) -> None:
        if words and gap.startswith(" "):
            spaces[-1], gap = True, gap[1:]
        if gap:
            add(gap, False, "")

    at = 0
    for sentence in sentences:
        for t, token in enumerate(sentence.tokens):
            fill(text[at : token.start])
            add(token.text, t == 0, "" if chunks else str(token.label))
            at = token.end
    fill(text[at:])
    vocab: Any = Vocab() if nlp is None else nlp.vocab
    doc: Any = Doc(vocab, words, spaces, sent_starts=starts, tags=None if chunks else tags)
    doc.set_ents([doc.char_span(span.start, span.end, label=span.label) for span in spans])
    return doc


def forms_chunks(tokens: Sequence[Any], spans: Sequence[Any]) -> bool:
    """Whether the labels form chunks: there is one, or some token is outside of all."""
    return bool(spans) or not tokens or any(token[3] == "O" for token in tokens)


def _pieces(text: str, boxes: list[tuple[int, int, str]], start: int) -> Iterator[tuple[bool, str]]:
    """The boxes and the text between them, in order: (whether it is a box, what to show)."""
    at = start
    for begin, end, shown in boxes:
        yield False, text[at - start : begin - start]
        yield True, shown
        at = end
    yield False, text[at - start :]


def _box(text: str, label: str, probability: float | None) -> str:
    style = _BOX.format(hue=crc32(label.encode("utf-8", "replace")) % 360)
    title = "" if probability is None else f' title="P = {probability:.4f}"'
    return (
        f'<mark style="color:inherit;{style}"{title}>{escape(text)}<span style="{_LABEL}">{escape(label)}</span></mark>'
    )
