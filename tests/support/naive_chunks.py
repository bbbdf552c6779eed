"""conlleval, token by token: the twin of tagfield.evaluate, from the rules and sharing no code with it."""

from collections import Counter
from itertools import groupby


def ends(before: tuple[str, str], after: tuple[str, str]) -> bool:
    (p, kind), (q, next_kind) = before, after
    if p in ("[", "]"):
        return True
    listed = q in {"B": ("B", "O"), "I": ("B", "O"), "E": ("E", "I", "O")}.get(p, ())
    return listed or (p not in ("O", ".") and kind != next_kind)


def starts(before: tuple[str, str], after: tuple[str, str]) -> bool:
    (p, kind), (q, next_kind) = before, after
    if q in ("[", "]"):
        return True
    listed = p in {"B": ("B", "I", "O"), "I": ("O", "E"), "E": ("E", "O")}.get(q, ())
    return listed or (q not in ("O", ".") and kind != next_kind)


def split(label: str) -> tuple[str, str]:
    if "-" not in label:
        return label, ""
    cut = label.index("-")
    return label[:cut], label[cut + 1 :]


def conlleval(gold: list[list[str]], predicted: list[list[str]]) -> tuple[Counter, Counter, Counter]:
    """Chunks by type: in gold, in predicted, correct."""
    boundary = ("O", "")
    in_gold, in_predicted, correct = Counter(), Counter(), Counter()
    last_g = last_p = boundary
    right_so_far = False
    for sentence_g, sentence_p in zip(gold, predicted, strict=True):
        for g, p in [*zip(map(split, sentence_g), map(split, sentence_p), strict=True), (boundary, boundary)]:
            if right_so_far:
                if ends(last_g, g) and ends(last_p, p):
                    correct[last_g[1]] += 1
                    right_so_far = False
                elif ends(last_g, g) != ends(last_p, p) or g[1] != p[1]:
                    right_so_far = False
            if starts(last_g, g) and starts(last_p, p) and g[1] == p[1]:
                right_so_far = True
            in_gold[g[1]] += starts(last_g, g)
            in_predicted[p[1]] += starts(last_p, p)
            last_g, last_p = g, p
    if right_so_far:
        correct[last_g[1]] += 1
    return +in_gold, +in_predicted, +correct


def runs(labels: list[str]) -> list[tuple[str, int, int]]:
    """(label, start, end) of every maximal run of one label other than O."""
    found, at = [], 0
    for label, group in groupby(labels):
        length = len(list(group))
        found += [(label, at, at + length)] if label != "O" else []
        at += length
    return found


def words(labels: list[str]) -> list[tuple[int, int]]:
    """(start, end) of the words that B, M, E and S mark, where any label may follow any other: every character is in
    one word, and a word begins at B and S, and after E and S."""
    begins = [t for t, y in enumerate(labels) if t == 0 or y in "BS" or labels[t - 1] in "ES"]
    return list(zip(begins, [*begins[1:], len(labels)], strict=True)) if labels else []
