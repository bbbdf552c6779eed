"""Pins: labels that the client knows → the labels that each token may have.

    known for words         [null, "B-PER", ["O", "B-LOC"]] or {"1": "B-PER"}      ─┐
    known for text          [{"start": 0, "end": 4, "label": "PER"}] (characters)   ─┴▶ {position: labels} by sentence

For text, a label is one of the model's, for each token of the span, or the type of a chunk, such as PER. A chunk covers
exactly its span: its tokens get B-PER I-PER …, and the tokens next to it may not continue it. A span that cuts a token
covers the whole token.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from tagfield.apps.serve.refusals import bad
from tagfield.data.labels.kinds import INSIDE, OUTSIDE, UNITS, LabelKind, split_label
from tagfield.data.text.tokenizer.tokens import Offsets
from tagfield.errors import did_you_mean, shown

Known = dict[int, list[str]]  # position → the labels that it may have


class PinTypes:
    """The labels of a model, by the type of chunk that they belong to.

    >>> types = PinTypes(["O", "B-PER", "I-PER"], "iob")
    >>> types.names(), types.chunk("PER", 2)
    (['PER'], [['B-PER'], ['I-PER']])
    """

    def __init__(self, labels: Sequence[str], kind: LabelKind | None) -> None:
        self.labels = tuple(labels)
        self._letters: dict[str, dict[str, list[str]]] = {}  # type → letter of IOBES → labels
        if kind not in ("iob", "iobes", "words"):
            return
        for label in labels:
            letter, of = split_label(label)
            if letter in INSIDE and label != OUTSIDE:
                self._letters.setdefault(of or UNITS[kind], {}).setdefault(INSIDE[letter], []).append(label)

    def names(self) -> list[str]:
        """The types of chunks, in the order of the labels."""
        return list(self._letters)

    def chunk(self, name: str, length: int) -> list[list[str]]:
        """The labels that each token of a chunk may have."""
        return [self._allowed(name, t == 0, t == length - 1) for t in range(length)]

    def continues(self, name: str) -> list[str]:
        """The labels that would continue a chunk into the next token."""
        return [label for letter in "IE" for label in self._letters[name].get(letter, [])]

    def _allowed(self, name: str, first: bool, last: bool) -> list[str]:
        letters = self._letters[name]
        # the best letter that the model has a label for: data in IOB1 has no B-X for most types
        order = ("SBIE" if last else "BISE") if first else ("EIBS" if last else "IEBS")
        return next(letters[letter] for letter in order if letter in letters)


def of_words(entry: Any, where: str) -> Any:
    """The known labels of one sentence, as `Model.decoder` takes them; JSON has only strings as names.

    >>> of_words({"2": "O"}, "known"), of_words([None, "O"], "known"), of_words(None, "known")
    ({2: 'O'}, [None, 'O'], None)
    """
    if entry is None or isinstance(entry, list):
        return entry
    if not isinstance(entry, dict):
        raise bad(f"{where} must be a list with an entry for each token, or an object of positions and labels")
    try:
        return {int(position): labels for position, labels in entry.items()}
    except ValueError:
        raise bad(f"{where} must have positions as names, such as '2'") from None


def of_text(entry: Any, sentences: Sequence[Sequence[Offsets]], types: PinTypes, where: str) -> list[Known | None]:
    """The known labels of each sentence of a text.

    >>> types = PinTypes(["O", "B-LOC", "I-LOC"], "iob")
    >>> of_text([{"start": 0, "end": 8, "label": "LOC"}], [[(0, 3), (4, 8), (9, 12)]], types, "known")
    [{0: ['B-LOC'], 1: ['I-LOC'], 2: ['O', 'B-LOC']}]
    """
    if entry is None:
        return [None] * len(sentences)
    if not isinstance(entry, list):
        raise bad(f"{where} must be a list of spans with start, end and label")
    places = _Places(sentences)
    found: list[Known] = [{} for _ in sentences]
    beyond: list[tuple[int, int, str]] = []  # sentence, position, type of the chunk that ends before it
    for index, span in enumerate(entry):
        place = f"{where}[{index}]"
        s, first, last = places.of(span, place)
        label = span["label"]
        if any(position in found[s] for position in range(first, last)):
            raise bad(f"{place} covers a token of another span; leave one of them out")
        if label in types.labels:
            found[s].update((position, [label]) for position in range(first, last))
        elif label in types.names():
            found[s].update(zip(range(first, last), types.chunk(label, last - first), strict=True))
            beyond.append((s, last, label))
        else:
            hint = did_you_mean(label[:80], dict.fromkeys([*types.names(), *types.labels]))
            raise bad(f"{place}: the model has no label {shown(label, 40)}; {hint}")
    for s, position, label in beyond:
        if position < len(sentences[s]) and position not in found[s]:
            ruled_out = types.continues(label)
            found[s][position] = [each for each in types.labels if each not in ruled_out]
    return [known or None for known in found]


class _Places:
    """Where the tokens of a text are; a request may have as many spans as tokens, so they are searched, not scanned."""

    def __init__(self, sentences: Sequence[Sequence[Offsets]]) -> None:
        self._starts = [start for tokens in sentences for start, _ in tokens]
        self._ends = [end for tokens in sentences for _, end in tokens]
        self._sentences = list(accumulate(map(len, sentences), initial=0))  # the first token of each, and their number

    def of(self, span: Any, place: str) -> tuple[int, int, int]:
        """The sentence, the first token and the token after the last of a span of characters."""
        if not isinstance(span, dict) or set(span) != {"start", "end", "label"}:
            raise bad(f"{place} must be an object with start, end and label")
        start, end, label = span["start"], span["end"], span["label"]
        if type(start) is not int or type(end) is not int or not isinstance(label, str):
            raise bad(f"{place} must have numbers as start and end, and a string as label")
        first, last = bisect_right(self._ends, start), bisect_left(self._starts, end)
        if first >= last:
            raise bad(f"{place}: there is no token from character {shown(start, 20)} to {shown(end, 20)}")
        s = bisect_right(self._sentences, first) - 1
        if last > self._sentences[s + 1]:
            raise bad(f"{place} goes from one sentence into the next; split it, or send the words of one sentence")
        return s, first - self._sentences[s], last - self._sentences[s]
