"""Kinds of labels: what the labels of a corpus mark, and so what evaluation counts.

    labels ─▶ label_kind ─▶ "iob"      chunks: B-NP I-NP O, also I-NP alone (IOB1)          ─▶ conlleval's rules
                            "iobes"    chunks: B-X I-X E-X S-X O, also BILOU, BMES, IOE     ─▶ E and S end a chunk
                            "words"    segmentation: B M E S, B I, without O                ─▶ words of characters
                            "labels"   anything else, such as parts of speech               ─▶ accuracy, no chunks
    on request              "runs"     every maximal run of one label other than O

On labels that both know, "iob" and "iobes" count the same chunks; conlleval has no rule for S and joins E-X B-X.
"""

from collections.abc import Iterable
from typing import Literal, TypeAlias

from tagfield.data.labels.schemes import INSIDE, OUTSIDE
from tagfield.errors import InputError, did_you_mean

LabelKind: TypeAlias = Literal["iob", "iobes", "words", "runs", "labels"]

KINDS: dict[LabelKind, str] = {  # what each counts, for reports
    "iob": "chunks marked by B and I, as conlleval counts them",
    "iobes": "chunks marked by B, I, E and S (IOBES, BILOU, BMES)",
    "words": "words marked by B, M, E and S or by B and I",
    "runs": "runs of one label other than O",
    "labels": "labels of single tokens",
}
UNITS: dict[LabelKind, str] = {"iob": "phrase", "iobes": "phrase", "words": "word", "runs": "run", "labels": "token"}
SCHEMES = ("auto", *KINDS)  # what --scheme and scheme= accept

MARKS = {*INSIDE, "[", "]"}
BEYOND_IOB = set(INSIDE) - set("BI")


def label_kind(labels: Iterable[str]) -> LabelKind:
    """What a label set marks.

    Labels mark chunks if most of them, O aside, have a prefix such as B-. Bare letters mark words if there is no O,
    and else chunks without a type. O alone says nothing and counts as "iob".

    >>> label_kind(["B-NP", "I-NP", "O"]), label_kind(["S-LOC", "B-LOC", "E-LOC", "O"])
    ('iob', 'iobes')
    >>> label_kind(["B", "M", "E", "S"]), label_kind(["B", "I"]), label_kind(["B", "I", "O"])
    ('words', 'words', 'iob')
    >>> label_kind(["NN", "VB", "-LRB-"]), label_kind(["author", "title"]), label_kind(["O"])
    ('labels', 'labels', 'iob')
    """
    names = set(labels)
    inside = names - {OUTSIDE}
    if not inside:
        return "iob"
    prefixes = [name[0] for name in inside if name[1:2] == "-" and name[0] in MARKS]
    if 2 * len(prefixes) > len(inside):
        return "iobes" if BEYOND_IOB.intersection(prefixes) else "iob"
    if inside <= set(INSIDE) and len(names) > 1 and ("B" in inside or inside == {"I"}):
        if OUTSIDE not in names:
            return "words"
        return "iobes" if inside & BEYOND_IOB else "iob"
    return "labels"


def has_chunks(labels: Iterable[str]) -> bool:
    """Whether labels mark chunks or words, so that their F1 is meaningful.

    >>> has_chunks(["B-NP", "O"]), has_chunks(["B", "I"]), has_chunks(["NN", "-LRB-"])
    (True, True, False)
    """
    return label_kind(labels) != "labels"


def chosen_kind(labels: Iterable[str], scheme: str | None = None) -> LabelKind:
    """The kind of labels that `scheme` names; with None or "auto", the one that the labels have.

    >>> chosen_kind(["author", "title"], "runs"), chosen_kind(["B-X", "O"])
    ('runs', 'iob')
    >>> chosen_kind(["author"], "run")
    Traceback (most recent call last):
    tagfield.errors.InputError: no scheme named 'run'; did you mean 'runs'?
    """
    if scheme is None or scheme == "auto":
        return label_kind(labels)
    if scheme not in KINDS:
        raise InputError(f"no scheme named {scheme!r}; {did_you_mean(scheme, SCHEMES)}")
    return scheme
