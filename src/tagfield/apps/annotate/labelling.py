"""Labelling: what a person marks, and the labels of tokens that stand for it.

    marks on the page ─▶ Labelling.labels ─▶ a label for each token ─▶ the file, training
    marks on the page ◀─ Labelling.marks ◀── a label for each token ◀─ the model

A person marks spans of a type (PER from word 3 to word 5) and never sees B-PER and I-PER; or, without a scheme, a tag
for each word, such as a part of speech. Both are a list of marks (start, end, label); a tag is a mark of one word.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tagfield.data.labels.kinds import label_kind
from tagfield.data.labels.schemes import OUTSIDE, Chunk, check_scheme, chunks_of, labels_of, scheme_of, split_label
from tagfield.errors import InputError, shown

NONE = "none"  # --scheme none: a tag for each word
LONGEST = 60  # characters of a label
TAGGING = ("pos", "segmentation")  # templates of tasks with a tag for each token


@dataclass(frozen=True)
class Labelling:
    """Spans in a scheme, or with None tags of words; and the names of both, in the order of the page.

    >>> labelling = Labelling("bio", ("PER", "LOC"))
    >>> labelling.marks(["B-PER", "I-PER", "O"])
    [Chunk(start=0, end=2, label='PER')]
    >>> labelling.labels([Chunk(0, 2, "PER")], 3)
    ['B-PER', 'I-PER', 'O']
    """

    scheme: str | None
    names: tuple[str, ...] = ()

    def marks(self, labels: Sequence[str]) -> list[Chunk]:
        """What a person sees of the labels of a sentence."""
        if self.scheme is not None:
            return chunks_of(labels)
        return [Chunk(t, t + 1, label) for t, label in enumerate(labels)]

    def labels(self, marks: Iterable[Chunk], length: int) -> list[str]:
        """The labels of a sentence of `length` tokens; InputError if the marks do not fit it.

        >>> Labelling(None, ("NN", "VB")).labels([Chunk(0, 1, "NN")], 2)
        Traceback (most recent call last):
        tagfield.errors.InputError: word 2 has no label; every word needs one
        """
        found = sorted(marks)
        at = 0
        for mark in found:
            if not 0 <= mark.start < mark.end <= length:
                raise InputError(f"a mark goes from {mark.start} to {mark.end}, but the sentence has {length} words")
            if mark.start < at:
                raise InputError(f"two marks overlap at word {mark.start + 1}; remove one of them")
            if mark.label not in self.names:
                raise InputError(f"no label named {shown(mark.label, 40)}; add it first")
            at = mark.end
        if self.scheme is not None:
            return labels_of(found, length, self.scheme)
        tags: list[str | None] = [OUTSIDE if OUTSIDE in self.names else None] * length
        for mark in found:
            tags[mark.start : mark.end] = [mark.label] * (mark.end - mark.start)
        bare = next((t for t, tag in enumerate(tags) if tag is None), None)
        if bare is not None:
            raise InputError(f"word {bare + 1} has no label; every word needs one")
        return [tag for tag in tags if tag is not None]

    def with_name(self, name: str) -> "Labelling":
        """The same with one more label; InputError if it cannot be one.

        >>> Labelling("bio", ("PER",)).with_name("LOC").names
        ('PER', 'LOC')
        >>> Labelling("bio").with_name("two words")
        Traceback (most recent call last):
        tagfield.errors.InputError: 'two words' cannot be a label: it has white space
        """
        wrong = None
        if not name or len(name) > LONGEST:
            wrong = f"a label has 1 to {LONGEST} characters"
        elif any(c.isspace() for c in name):
            wrong = "it has white space"
        elif not name.isprintable():
            wrong = "it has characters that cannot be shown"
        elif name == OUTSIDE and self.scheme is not None:
            wrong = "O stands for words outside of all spans"
        if wrong:
            raise InputError(f"{shown(name, 40)} cannot be a label: {wrong}")
        return self if name in self.names else Labelling(self.scheme, (*self.names, name))


def find_labelling(
    named: Sequence[str] = (), seen: Sequence[str] = (), scheme: str | None = None, template: str | None = None
) -> Labelling:
    """What there is to mark.

    named: labels that were listed: types of spans (PER), or labels of tokens (B-PER, NN)
    seen: labels of tokens, in a labelled file or a model
    scheme: 'bio', 'iobes', 'bilou', or 'none' for tags; None finds it
    template: the name of the template, if it is known

    >>> find_labelling(["PER", "LOC"])
    Labelling(scheme='bio', names=('PER', 'LOC'))
    >>> find_labelling(seen=["O", "S-PER", "B-LOC"])
    Labelling(scheme='iobes', names=('PER', 'LOC'))
    >>> find_labelling(seen=["NN", "VB"]), find_labelling(["NN"], template="pos")
    (Labelling(scheme=None, names=('NN', 'VB')), Labelling(scheme=None, names=('NN',)))
    """
    chosen: str | None = None if scheme == NONE else check_scheme(scheme) if scheme is not None else ""
    tokens = [*seen, *(named if _has_prefixes(named) else ())]
    if chosen == "":
        if _has_prefixes(tokens):
            chosen = scheme_of(tokens)
        else:
            chosen = None if any(y != OUTSIDE for y in tokens) or template in TAGGING else "bio"
    if chosen is None:
        names = dict.fromkeys([*named, *seen])
    else:
        strange = next((y for y in seen if y != OUTSIDE and not _has_prefixes([y])), None)
        if strange is not None:
            raise InputError(
                f"the label {shown(strange, 40)} marks no part of a span, as B-… and I-… do; use --scheme none"
            )
        names = dict.fromkeys(split_label(y)[1] if _has_prefixes([y]) else y for y in [*named, *seen] if y != OUTSIDE)
    found = Labelling(chosen)
    for name in names:
        found = found.with_name(name)
    return found


def _has_prefixes(labels: Sequence[str]) -> bool:
    """Whether labels are of tokens in spans with types."""
    typed = [y for y in labels if y[1:2] == "-" and len(y) > 2]
    return bool(typed) and label_kind(labels) in ("iob", "iobes")
