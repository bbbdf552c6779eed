"""The roles of columns: from the names in a header, or from their number.

Sentence #, Word, POS, Tag ─▶ sentence w pos y          three columns without names ─▶ w pos y
"""

import re
from collections.abc import Sequence

from tagfield.data.labels.schemes import is_chunk_label
from tagfield.data.text.formats.file_format import SENTENCE
from tagfield.data.text.records import WORD
from tagfield.data.text.templates.template import LABEL

HEADERS = {  # role: names of its column, in lower case with only letters and digits; the first that is there counts
    WORD: ("word", "words", "token", "tokens", "form", "surface", "w", "text"),
    LABEL: ("label", "labels", "tag", "tags", "nertag", "nertags", "ner", "bio", "iob", "iob2", "bioes", "entity", "y"),
    SENTENCE: ("sentence", "sentenceid", "sentid", "sentenceno", "sentencenumber", "sent", "sentenceidx", "sid"),
    "pos": ("pos", "postag", "postags", "upos", "xpos", "partofspeech"),
    "chunk": ("chunk", "chunktag", "chunktags"),
    "lemma": ("lemma", "lemmas"),
}


def roles_of(header: list[str], expected: Sequence[str] = ()) -> tuple[str, ...]:
    """The roles that a header names; a column of another name has that name as its role.

    expected: columns that a template reads, so that they are not taken for the label

    >>> roles_of(["Sentence #", "Word", "POS", "Tag"]), roles_of(["token", "POS", "Cap?"])
    (('sentence', 'w', 'pos', 'y'), ('w', 'y', 'cap'))
    """
    plain = [re.sub(r"[\W_]+", "", name.lower()) for name in header]
    roles: dict[int, str] = {}
    for role, names in HEADERS.items():
        found = next((plain.index(name) for name in names if name in plain), None)
        if found is not None and found not in roles:
            roles[found] = role
    if LABEL not in roles.values():
        last = next((k for k in reversed(range(len(header))) if roles.get(k) in {"pos", "chunk"} - {*expected}), None)
        roles |= {} if last is None else {last: LABEL}
    taken = set(roles.values())
    for k, name in enumerate(plain):
        if k not in roles:
            fresh = name if name and name not in taken and name != LABEL else f"column{k + 1}"
            roles[k] = fresh
            taken.add(fresh)
    return tuple(roles[k] for k in range(len(header)))


def is_header(cells: list[str]) -> bool:
    """Whether cells look like names of columns, two of them at least.

    >>> is_header(["word", "label"]), is_header(["Sentence #", "Word", "Tag", "Cap"]), is_header(["The", "DT"])
    (True, True, False)
    """
    known = {name for names in HEADERS.values() for name in names}
    plain = [re.sub(r"[\W_]+", "", cell.lower()) for cell in cells]
    count = sum(name in known for name in plain)
    return count >= 2 and 2 * count >= len(cells) and len(set(plain)) == len(plain)


def usual_roles(count: int, rows: Sequence[Sequence[str]], expected: Sequence[str]) -> tuple[str, ...]:
    """The roles of columns without names."""
    if expected and count in (len(expected), len(expected) - 1):
        return tuple(role for role in expected if count == len(expected) or role != LABEL)
    if count <= 1:
        return (WORD,)
    if count == 2:
        return (WORD, LABEL)
    if count == 3:
        return (WORD, "pos", LABEL)
    if count == 4 and all(len(row) == 4 and is_chunk_label(row[2]) and is_chunk_label(row[3]) for row in rows):
        return (WORD, "pos", "chunk", LABEL)  # CoNLL-2003
    return (WORD, *(f"x{k}" for k in range(1, count - 1)), LABEL)
