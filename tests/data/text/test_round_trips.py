"""Every writer and its reader, with all of Unicode's line breaks and spaces: what is written is read back, or refused.

Only LF, CR before LF and, where a format says so, tabs and spaces separate; every other character is text.
"""

import io
import tempfile
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tagfield import Model, encode_files, encode_sequences
from tagfield.apps.annotate.labelled_file import LabelledFile
from tagfield.apps.annotate.pool import read_pool
from tagfield.data.text.formats.items import ItemSequence, parse_items, read_items, write_items
from tagfield.data.text.reading import ReadOptions, read
from tagfield.data.text.records import Document, Record, Sentence, TextSpan
from tagfield.data.text.sources import open_source
from tagfield.data.text.templates.parsing import parse_template
from tagfield.data.text.templates.template import Pattern, Template
from tagfield.data.text.writing import write
from tagfield.errors import InputError, TagfieldError
from tagfield.native._text import Vocabulary
from tagfield.scale.tuning.config import to_toml
from tagfield.train import Settings
from tests.support.tolerances import SINGLE

BREAKS = "\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2028\u2029"
SPACES = "\xa0\u1680\u2000\u2003\u2007\u202f\u205f\u3000"
UNSEEN = "\u200b\u200d\u2060\ufeff\xad\u180e\x00\x08\x7f\ufdd0\ufffe\uffff"
HALVES = "\ud800\udfff"
ODD = BREAKS + SPACES + UNSEEN
UNSPACED = st.text(alphabet=ODD + "ab\"'#:\\\U0001f600", min_size=1, max_size=4)
WORDS = UNSPACED | st.sampled_from(["New York", " a", "a "])
LABELS = st.text(alphabet=ODD + "ab\\", min_size=1, max_size=3)
NAMES = st.text(alphabet=ODD.replace("\ufdd0", "") + "ab:\\", min_size=1, max_size=3)
MANY = settings(deadline=None, max_examples=150)


@st.composite
def sentences(draw: st.DrawFn, words: Any = WORDS, labels: Any = LABELS) -> list[Sentence]:
    """Sentences with the same columns, all with labels or all without."""
    roles = draw(st.sampled_from([("w",), ("w", "pos")]))
    labelled = draw(st.booleans())
    made = []
    for _ in range(draw(st.integers(1, 3))):
        length = draw(st.integers(1, 3))
        tokens = tuple(tuple(draw(words) for _ in roles) for _ in range(length))
        made.append(Sentence(tokens, tuple(draw(labels) for _ in tokens) if labelled else None, roles))
    return made


@st.composite
def documents(draw: st.DrawFn) -> list[Document]:
    """Texts with odd characters between and inside of tokens, and spans of whole tokens."""
    made = []
    for number in range(draw(st.integers(1, 2))):
        words = draw(st.lists(st.text(alphabet=UNSEEN + "ab", min_size=1, max_size=3), min_size=1, max_size=4))
        text, places = draw(st.text(alphabet=BREAKS + SPACES + "\n", max_size=2)), []
        for word in words:
            places.append((len(text), len(text) + len(word)))
            text += word + draw(st.text(alphabet=BREAKS + SPACES + "\n", min_size=1, max_size=2))
        spans = [TextSpan(*place, draw(LABELS)) for place in places if draw(st.booleans())]
        made.append(Document(text, tuple(spans), (tuple(places),), f"d{number}"))
    return made


def through(records: list[Any], format: str, kind: str | None = None, **options: Any) -> list[Record]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.data")
        write(records, path, format)
        return list(read(path, format=kind or format, **options))


def held(records: list[Any]) -> list[tuple[Any, ...]]:
    return [(each.tokens, each.labels) for each in records]


def cells(made: list[Sentence]) -> list[str]:
    return [cell for s in made for row in (*s.tokens, s.labels or ()) for cell in row]


def begins_with_mark(made: list[Sentence]) -> bool:
    """Whether a line would begin with U+FEFF, which readers take for a byte order mark of joined files."""
    return any(row[0].startswith("\ufeff") for s in made for row in s.tokens)


def columns(made: list[Sentence]) -> str:
    return " ".join(made[0].roles) + (" y" if made[0].labels else "")


@MANY
@given(made=sentences())
def test_columns(made: list[Sentence]) -> None:
    single = len(made[0].roles) == 1 and made[0].labels is None
    refused = (not cell.strip() or "\r" in cell or cell != cell.strip(" ") for cell in cells(made))
    if any(refused) or (single and any(" " in cell for cell in cells(made))):
        with pytest.raises(InputError, match=r"columns cannot (hold the cell|begin with)"):
            through(made, "columns")
        return
    if begins_with_mark(made):
        with pytest.raises(InputError, match="columns cannot begin with"):
            through(made, "columns")
        return
    assert held(through(made, "columns", columns=columns(made), header=False)) == held(made)


@MANY
@given(made=sentences(words=UNSPACED))
def test_columns_for_training(made: list[Sentence]) -> None:
    """The native reader."""
    if made[0].labels is None or any(not cell.strip() or "\r" in cell for cell in cells(made)):
        return
    if begins_with_mark(made):
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.txt")
        write(made, path)
        template = Template("mine", parse_template("U:%x[0,0]").patterns, tuple(columns(made).split()))
        encoded = encode_files(path, template=template, reading=ReadOptions(format="columns", header=False))
    gold = [[encoded.labels[y] for y in sentence] for sentence in _per_sentence(encoded)]
    assert gold == [list(s.labels or ()) for s in made]
    assert set(encoded.attributes) == {f"U:{word}" for s in made for word in s.words}


def _per_sentence(encoded: Any) -> list[list[int]]:
    starts = encoded.dataset.tokens.tolist()
    return [encoded.dataset.labels[a:b].tolist() for a, b in pairwise(starts)]


@pytest.mark.parametrize("format", ["csv", "tsv"])
@MANY
@given(made=sentences(words=WORDS | st.just("a\nb") | st.just("a\r\nb")))
def test_tables(format: str, made: list[Sentence]) -> None:
    assert held(through(made, format, columns=f"sentence {columns(made)}", header=True)) == held(made)


@pytest.mark.parametrize("format", ["jsonl", "json", "tokens"])
@MANY
@given(made=sentences(words=WORDS | st.just("a\nb")))
def test_json_with_tokens(format: str, made: list[Sentence]) -> None:
    assert held(through(made, format, kind="json" if format == "json" else "jsonl")) == held(made)


@MANY
@given(made=sentences(), id=LABELS, comment=LABELS)
def test_conllu(made: list[Sentence], id: str, comment: str) -> None:
    made = [Sentence(s.tokens, s.labels, s.roles, id=id, comments=(comment,)) for s in made]
    if any("\r" in cell for cell in [*cells(made), id, comment]):
        with pytest.raises(InputError, match="CoNLL-U cannot hold a line break"):
            through(made, "conllu")
        return
    back = through(made, "conllu")
    assert [(s.words, s.labels, s.id, s.comments[-1]) for s in back] == [  # type: ignore[union-attr]
        (s.words, s.labels, id, comment) for s in made
    ]


@pytest.mark.parametrize("format", ["jsonl", "json", "spans", "prodigy", "doccano", "label-studio", "brat", "spacy"])
@MANY
@given(made=documents())
def test_texts_with_spans(format: str, made: list[Document]) -> None:
    if format == "spacy":
        pytest.importorskip("spacy", reason="DocBin is spaCy's format")
    if format == "brat" and any(c.isspace() for each in made for span in each.spans or () for c in span.label):
        with pytest.raises(InputError, match="brat cannot hold the label"):
            through(made, format)
        return
    kind = {"label-studio": "json", "spans": "jsonl", "prodigy": "jsonl", "doccano": "jsonl"}.get(format)
    back = through(made, format, kind)
    assert [(each.text, each.spans) for each in back] == [(each.text, each.spans) for each in made]  # type: ignore[union-attr]


@MANY
@given(made=st.lists(st.lists(st.tuples(LABELS, WORDS), min_size=1, max_size=3), min_size=1, max_size=3))
def test_items(made: list[list[tuple[str, str]]]) -> None:
    sequences = [ItemSequence([[(name, 1.0)] for _, name in each], [label for label, _ in each]) for each in made]
    stream = io.BytesIO()
    marked = any(label.startswith("\ufeff") for each in made for label, _ in each)
    if marked or any("\r" in name for each in made for pair in each for name in pair):
        with pytest.raises(InputError, match="item lines cannot hold"):
            write_items(sequences, stream)
        return
    write_items(sequences, stream)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "a").write_bytes(stream.getvalue())
        source = open_source(Path(folder, "a"))
    assert [(s.tokens, s.labels) for s in parse_items(source)] == [(s.tokens, s.labels) for s in sequences]
    attributes, labels = Vocabulary(), Vocabulary()
    data, _ = read_items([source], attributes, labels)
    assert [list(labels)[y] for y in data.labels.tolist()] == [label for each in made for label, _ in each]
    assert set(attributes) == {name for each in made for _, name in each}


REFUSED = {"tagfield": set(), "crfsuite": {"\x00"}, "crfpp": set(ODD + "\n:"), "wapiti": set(ODD + "\n:")}


@pytest.mark.parametrize("format", REFUSED)
@settings(deadline=None, max_examples=60)
@given(pairs=st.lists(st.tuples(NAMES | st.just("a\nb"), NAMES), min_size=2, max_size=5))
@example(pairs=[(":", "::"), ("a\nb", "\\"), ("a\nb", "::"), (":", "::"), ("a\nb", ":")])  # two paths are as good
def test_models(format: str, pairs: list[tuple[str, str]]) -> None:
    """The vocabularies and weights of a model, in its own file and in those of other programs."""
    encoded = encode_sequences([[[f"U:{word}"] for word, _ in pairs]], [[label for _, label in pairs]])
    model = Model.train(encoded, Settings("lbfgs", epochs=2))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model")
        try:
            model.save(path, format=format)
        except TagfieldError:
            if path.exists() or not REFUSED[format] & {c for pair in pairs for name in pair for c in name}:
                raise
            return
        back = Model.load(path)
    assert list(back.label_names) == list(model.label_names)
    added = {"crfpp": "U", "wapiti": "u"}.get(format, "")  # in front of names that no template has made
    assert {name.removeprefix(added) for name in back.attributes} <= set(model.attributes)
    if format == "wapiti":
        return  # its transitions look at the input
    named = [[[f"{added}U:{word}"] for word, _ in pairs]]
    words = [[[f"U:{word}"] for word, _ in pairs]]
    best = model.tag(words)
    probability = model.log_probability(words, best)
    assert back.log_probability(named, best) == pytest.approx(probability, abs=SINGLE)
    assert model.log_probability(words, back.tag(named)) == pytest.approx(probability, abs=SINGLE)  # two may be best


@MANY
@given(text=st.text(alphabet=ODD + "ab", max_size=4))
def test_templates(text: str) -> None:
    made = Template(f"mine{text}", (Pattern(f"U{text}:%x[0,0]"),), ("w", "y"))
    assert Template.from_json(made.to_json()) == made
    if not set(text) & set("\r"):
        [pattern] = parse_template(f"U{text}x:%x[0,0]").patterns
        assert pattern.text == f"U{text}x:%x[0,0]"


@MANY
@given(made=sentences(labels=LABELS))
def test_the_file_of_annotate(made: list[Sentence]) -> None:
    """Sentences of a pool ─▶ the labelled file ─▶ the next start, and any reader of columns."""
    with tempfile.TemporaryDirectory() as folder:
        texts, path = Path(folder, "a.jsonl"), Path(folder, "labelled.txt")
        write([Sentence(s.tokens, None, s.roles) for s in made], texts)
        try:
            pool = read_pool([str(texts)], ReadOptions())
        except InputError as error:
            if "columns cannot hold the cell" in str(error) or begins_with_mark(made):
                return
            raise
        labels = [[f"B-{k}" for k, _ in enumerate(s.tokens)] for s in pool.sentences]
        with LabelledFile(str(path), len(pool.roles)) as file:
            for sentence, given_ in zip(pool.sentences, labels, strict=True):
                file.append(sentence.tokens, given_)
            known = file.sentences
        with LabelledFile(str(path), len(pool.roles)) as file:
            assert file.sentences == known
            for each in known[:-1]:
                file.take_back(each)
        with LabelledFile(str(path), len(pool.roles)) as file:
            assert file.sentences == known[-1:]
        back = list(read(path, format="columns", columns=f"{' '.join(pool.roles)} y", header=False))
        assert [each.words for each in back] == [pool.sentences[-1].words]  # type: ignore[union-attr]


@MANY
@given(named=st.dictionaries(st.sampled_from(["template", "columns"]), WORDS | st.integers() | st.booleans()))
def test_settings(named: dict[str, Any]) -> None:
    assert tomllib.loads(to_toml(named, "chosen"))["train"] == named


@pytest.mark.parametrize("format", ["columns", "csv", "tsv", "jsonl", "json", "tokens", "conllu", "brat", "spans"])
@pytest.mark.parametrize("half", HALVES)
def test_half_of_a_character_is_refused_and_nothing_is_written(format: str, half: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is half of a character, which no file holds; remove it"):
        write([Sentence(((f"a{half}",),), None)], tmp_path / "out", format)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_text_that_begins_with_a_byte_order_mark_keeps_it(tmp_path: Path) -> None:
    write([Document("\ufeffa b", ())], tmp_path / "b.ann")
    assert [each.text for each in read(tmp_path / "b.ann")] == ["\ufeffa b"]  # type: ignore[union-attr]
