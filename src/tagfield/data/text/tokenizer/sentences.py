"""Sentences of running text: where one ends, given its tokens.

    … word . Next      ends      … word . next       goes on       Dr. Next       goes on
    … word ! "Next     ends      … U.S. The          ends          U.S. Army      goes on
    an empty line always ends a sentence; a single line break never does

The rules need no training and look only at neighbouring tokens.
"""

from tagfield.data.text.tokenizer.tokens import IDEOGRAPH, STARTERS, TITLES, Offsets

_ENDS = ".!?…。！？｡"
_WIDE = "。！？｡"  # end a sentence whatever follows
_CLOSING = frozenset([*")]}”»」』）", "''"])
_QUOTES = frozenset("\"'")  # close what stands directly before them; after a space they open
_OPENING = frozenset([*"([{\"'“‘«¿¡", "``", "''"])
_MAY_END = frozenset(["etc.", "a.m.", "p.m.", "A.M.", "P.M.", "al.", "Jr.", "Sr."])  # before any capital letter


def cut_sentences(shadow: str, tokens: list[Offsets]) -> list[list[Offsets]]:
    """The tokens of each sentence; `shadow` is that of `tagfield.data.text.tokenizer.tokens`.

    >>> from tagfield.data.text.tokenizer.tokens import find_tokens, shadow_of
    >>> shadow = shadow_of('"Stop!" said Dr. Lee. She left the U.S. He stayed.')
    >>> [shadow[cut[0][0]:cut[-1][1]] for cut in cut_sentences(shadow, find_tokens(shadow))]
    ['"Stop!" said Dr. Lee.', 'She left the U.S.', 'He stayed.']
    """
    sentences: list[list[Offsets]] = []
    first = at = 0
    while at < len(tokens) - 1:
        start, end = tokens[at]
        after = at + 1
        ends = False
        if shadow[end - 1] in _ENDS:
            while after < len(tokens) and _closes(shadow, tokens, after):
                after += 1
            ends = after < len(tokens) and _ends(shadow, shadow[start:end], tokens, after)
        if not ends and after < len(tokens):
            gap = shadow[tokens[after - 1][1] : tokens[after][0]]
            ends = len(gap) > 1 and gap.count("\n") > 1
        if ends:
            sentences.append(tokens[first:after])
            first = after
        at = after
    if first < len(tokens):
        sentences.append(tokens[first:])
    return sentences


def _closes(shadow: str, tokens: list[Offsets], at: int) -> bool:
    """Whether the token is a quote or bracket that closes what stands before it."""
    start, end = tokens[at]
    found = shadow[start:end] if end - start <= 2 else ""
    return found in _CLOSING or (found in _QUOTES and tokens[at - 1][1] == start)


def _ends(shadow: str, mark: str, tokens: list[Offsets], after: int) -> bool:
    """Whether a sentence ends with `mark` (and what closes it), before the token `after`."""
    if mark[-1] in _WIDE:
        return True
    spaced = tokens[after][0] > tokens[after - 1][1]
    following = _text(shadow, tokens[after])
    while following in _OPENING and after < len(tokens) - 1:
        after += 1
        following = _text(shadow, tokens[after])
    capital = following[0].isupper() or following[0] == IDEOGRAPH
    if not spaced:
        return mark == "." and following[0].isupper()
    if len(mark) == 1 or mark[0] in "!?":
        return capital if mark == "…" else not following[0].islower() and following[0] not in ",;:"
    if mark[:-1] in TITLES:
        return False
    if mark in _MAY_END or mark.startswith(".."):
        return capital
    return following in STARTERS


def _text(shadow: str, token: Offsets) -> str:
    return shadow[token[0] : token[1]]
