"""Between records and a template: the template that fits files or lists of words, and the cells that it reads."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from tagfield.data.labels.schemes import is_chunk_label
from tagfield.data.text.encoders.words import columns_of, tokens_of
from tagfield.data.text.formats.detect import HEAD
from tagfield.data.text.formats.file_format import SENTENCE, SPOKEN, FileFormat
from tagfield.data.text.lines import cells_in
from tagfield.data.text.records import WORD, Sentence
from tagfield.data.text.sources import Source
from tagfield.data.text.templates.presets import load_template
from tagfield.data.text.templates.template import IGNORED, LABEL, Template
from tagfield.errors import InputError
from tagfield.native._text import first_line

_SEGMENTS = frozenset("BMESI")


def template_for_columns(form: FileFormat, source: Source, add: Sequence[str] = ()) -> Template:
    """The preset that fits a column file, by its roles and by the labels in its first part.

    add: lines that extend it

    >>> template_for_columns(FileFormat("columns", ("w", "pos", "y")), Source("a.txt", b"The DT B-NP\\n"))
    Template 'chunking': 19 patterns, columns w pos y, __BOS__/__EOS__
    """
    roles = form.roles
    where = f"{source.name}, line {first_line(source.text)[0]}"
    if "x1" in roles:
        skipped = " ".join([WORD, *[IGNORED] * (len(roles) - 2), LABEL])
        raise InputError(
            f"{where}: found {len(roles)} columns; name them with --columns, such as '{skipped}', where {WORD} is the "
            f"word, {LABEL} the label and {IGNORED} skips a column, or give a --template"
        )
    if LABEL not in roles:
        found = f"found {len(roles)} column{'s' if len(roles) > 1 else ''}"
        raise InputError(
            f"{where}: {found}, but no label; put the label in the last column, or name it {LABEL} in --columns"
        )
    rows = [
        cells_in(line.removesuffix("\r"))
        for line in source.text[:HEAD].decode(errors="replace").split("\n")[form.header :]
    ]
    rows = [row for row in rows if len(row) == len(roles)]
    label, word = roles.index(LABEL), roles.index(WORD) if WORD in roles else 0
    return fitting_template(roles, {row[label] for row in rows}, [row[word] for row in rows], where, add)


def template_for_sentences(sentences: Sequence[Sentence], add: Sequence[str] = ()) -> Template:
    """The preset that fits sentences of words; `add` are lines that extend it.

    >>> template_for_sentences([Sentence((("Go",),), ("VERB",))]).columns
    ('w', 'y')
    """
    labels = {label for sentence in sentences for label in sentence.labels or () if label is not None}
    words = [word for sentence in sentences[:1000] for word in sentence.words]
    roles = sentences[0].roles if sentences else (WORD,)
    read = (WORD, "pos", LABEL) if "pos" in roles and len(roles) == 2 else (WORD, LABEL)
    return fitting_template(read, labels, words, sentences[0].where if sentences else "", add)


def template_for_words(X: Any, y: Any, columns: str | None = None) -> Template:
    """The preset that fits lists of words, or of tuples, by their labels; of lists as `words.as_lists` makes them.

    columns: the roles of a token's strings, as in `encode_words`

    >>> template_for_words([["Anna"]], [["B-PER"]]).name, template_for_words([["看"]], [["S"]]).name
    ('ner', 'segmentation')
    >>> template_for_words([[("Anna", "NNP")]], [["B-NP"]]).name
    'chunking'
    """
    given = [role for role in (columns or "").split() if role != LABEL]
    count = columns_of(X)
    if count > 2 and not given:
        raise InputError(f"a token has {count} strings, and no preset reads that many; give a template")
    roles = given or [WORD, "pos"][:count]
    place = roles.index(WORD) if WORD in roles else 0
    words = [token if isinstance(token, str) else token[place] for token in tokens_of(X, 1000) if _has(token, place)]
    labels = {label for label in tokens_of(y) if isinstance(label, str)}
    return fitting_template([*roles, LABEL], labels, words, "X")


def _has(token: Any, place: int) -> bool:
    """Whether a token is a word, or has a string for it; other tokens are refused by the native reader."""
    return isinstance(token, str) or (isinstance(token, tuple | list) and len(token) > place)


def fitting_template(
    roles: Sequence[str], labels: set[str], words: list[str], where: str, add: Sequence[str] = ()
) -> Template:
    """The preset for these roles, reading the columns that it knows and skipping the others; `add` extends it.

    >>> fitting_template(["w", "lemma", "y"], {"NOUN"}, ["dog"], "a.txt, line 1").columns
    ('w', 'lemma', 'y')
    """
    template = load_template(preset_for(roles, labels, words), add=add)
    lacking = [role for role in template.columns if role not in roles and role != LABEL]
    if lacking:
        raise InputError(
            f"{where}: none of the columns {', '.join(roles)} is the word; name the columns with --columns, where "
            f"{WORD} is the word and {LABEL} the label"
        )
    return template if template.columns == tuple(roles) else template.with_columns(tuple(roles))


def by_header(template: Template, roles: Sequence[str], where: str) -> Template:
    """The template over columns in the order of a header, if that names all that the template reads.

    >>> by_header(load_template("chunking"), ["pos", "w", "y"], "a.txt, line 1").columns
    ('pos', 'w', 'y')
    """
    wanted = [role for role in template.columns if role not in (LABEL, IGNORED)]
    lacking = [role for role in wanted if role not in roles and _reads(template, role)]
    if wanted and not lacking:
        return template.with_columns(tuple(roles))
    if LABEL in roles and len(roles) == len(template.columns) - 1:  # else the label would be read as a cell
        raise InputError(
            f"{where}: template {template.name} reads {_spoken(wanted)}, but the header names only {_spoken(roles)}; "
            f"give data with {_spoken(lacking)}, name the columns with --columns, or use another template"
        )
    return template  # the header has names of its own, so the order counts


def besides_words(template: Template) -> list[str]:
    """The columns that a template reads besides the words, if its columns have names.

    >>> besides_words(load_template("chunking")), besides_words(load_template("ner"))
    (['pos'], [])
    """
    return [role for role in template.columns if role not in (LABEL, IGNORED, WORD) and _reads(template, role)]


def cells_for(template: Template, sentence: Sentence) -> list[tuple[str, ...]]:
    """The cells of each token in the order of the template's columns, without the label.

    >>> template = load_template("chunking")
    >>> cells_for(template, Sentence((("NN", "dog"),), None, ("pos", "w")))
    [('dog', 'NN')]
    """
    wanted = [role for role in template.columns if role != LABEL]
    if not wanted or all(role == IGNORED or role == f"x{k}" for k, role in enumerate(wanted)):
        return list(sentence.tokens)  # columns by number
    lacking = [role for role in wanted if role != IGNORED and role not in sentence.roles and _reads(template, role)]
    if lacking:
        raise InputError(
            f"{sentence.where}: template {template.name} reads {_spoken(wanted)}, but the data has only "
            f"{_spoken(sentence.roles)}; give data with {_spoken(lacking)}, or train with a template of words alone, "
            "such as --template ner"
        )
    places = [sentence.roles.index(role) if role in sentence.roles else None for role in wanted]
    return [tuple(IGNORED if k is None else row[k] for k in places) for row in sentence.tokens]


def _reads(template: Template, role: str) -> bool:
    """Whether a pattern of the template reads the column, by its name or its number."""
    number = str([name for name in template.columns if name != LABEL].index(role))
    return not template.reads.isdisjoint((role, number))


def _spoken(roles: Sequence[str]) -> str:
    return " and ".join(SPOKEN.get(role, role) for role in roles)


def preset_for(roles: Sequence[str], labels: Collection[str], words: Iterable[str]) -> str:
    """The preset that fits columns with these roles, given the labels and some of the words.

    >>> preset_for(["w", "pos", "y"], ["B-NP"], []), preset_for(["w", "y"], ["B-PER", "O"], ["Anna"])
    ('chunking', 'ner')
    """
    named = {role for role in roles if role not in (LABEL, IGNORED, SENTENCE)}
    if named == {WORD, "pos"}:
        return "chunking"  # `phrases` is a little better, but `chunking` is what earlier figures were measured with
    found = "pos"
    if labels and set(labels) <= _SEGMENTS and all(len(word) == 1 for word in words):
        found = "segmentation"
    elif labels and all(is_chunk_label(label) for label in labels):
        found = "ner"
    return found
