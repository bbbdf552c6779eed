"""Columns, CoNLL-U, tables, brat, DocBin and rows: what is read, and what is refused with its line."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tagfield.data.text.reading import read
from tagfield.data.text.records import Document, Sentence, TextSpan
from tagfield.data.text.sources import Source
from tagfield.errors import InputError

CONLLU = """# sent_id = s1
# text = Al dai  go.
1-2\tAl\t_\t_\t_\t_\t_\t_\t_\t_
1\tAl\tal\tADP\tIN\t_\t2\tcase\t_\t_
2\tdai\tdai\tNOUN\tNN\t_\t0\troot\t_\t_
2.1\tx\tx\tVERB\t_\t_\t_\t_\t0:root\t_
3\tgo.\tgo\tPUNCT\t.\t_\t2\tpunct\t_\tSpaceAfter=No

1\tvi ne\tvi\tX\t_\t_\t0\troot\t_\t_
"""
KAGGLE = 'Sentence #,Word,POS,Tag\nSentence: 1,Thousands,NNS,O\n,of,IN,O\nSentence: 2,"a,""b",NNP,B-geo\n'


def sentences(name: str, text: str | bytes, **options: Any) -> list[Sentence]:
    raw = text if isinstance(text, bytes) else text.encode()
    return list(read(Source(name, raw), **options).sentences())


def test_columns_with_documents_comments_and_header() -> None:
    text = "word tag\n-DOCSTART- O\n\n# id 7 x\n# SYM\na B\n\nb O\n"
    first, second = sentences("a.txt", text)
    assert first.tokens == (("#",), ("a",))
    assert (first.labels, first.comments, first.meta) == (("SYM", "B"), ("id 7 x",), {"docstart": "-DOCSTART- O"})
    assert (second.words, second.where) == (("b",), "a.txt, line 8")


def test_columns_with_spaces_in_cells() -> None:
    [sentence] = sentences("a.txt", "New York\tB-LOC\nis\tO\n")
    assert (sentence.words, sentence.labels) == (("New York", "is"), ("B-LOC", "O"))


def test_conllu() -> None:
    first, second = sentences("a.conllu", CONLLU)
    assert (first.words, first.labels, first.id) == (("Al", "dai", "go."), ("ADP", "NOUN", "PUNCT"), "s1")
    assert first.offsets == ((0, 2), (3, 6), (8, 11))
    assert [line.split("\t")[0] for _, line in first.meta["conllu"]] == ["1-2", "2.1"]
    assert (second.words, second.text, second.where) == (("vi ne",), None, "a.conllu, line 9")
    [by_xpos, _] = sentences("a.conllu", CONLLU, columns="_ w _ _ y _ _ _ _ _")
    assert by_xpos.labels == ("IN", "NN", ".")
    assert by_xpos.column("upos") == ("ADP", "NOUN", "PUNCT")


def test_conllu_plus_names_its_columns() -> None:
    [sentence] = sentences("a.conllup", "# global.columns = ID FORM PARSEME:MWE\n1\tGo\t*\n")
    assert (sentence.words, sentence.labels) == (("Go",), ("*",))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\tGo\n", "a.conllu, line 1: found 2 columns instead of 10"),
        ("x" + "\t_" * 9 + "\n", "a.conllu, line 1: 'x' is not a token number"),
        ("1\t" + "\t_" * 8 + "\n", "a.conllu, line 1: column 2 is empty"),
        ("1-2" + "\t_" * 9 + "\n\n", "a.conllu, line 2: the sentence has no token"),
    ],
)
def test_bad_conllu(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        sentences("a.conllu", text)


@pytest.mark.parametrize("name", ["a.csv", "data"])
def test_tables(name: str) -> None:
    first, second = sentences(name, KAGGLE)
    assert (first.words, first.column("pos"), first.labels) == (("Thousands", "of"), ("NNS", "IN"), ("O", "O"))
    assert (first.id, second.id) == ("Sentence: 1", "Sentence: 2")
    assert second.words == ('a,"b',)
    every = KAGGLE.replace("\n,of", "\nSentence: 1,of")
    assert [s.tokens for s in sentences(name, every)] == [first.tokens, second.tokens]
    tabs = sentences("a.tsv", 'sentence_id\ttoken\tner\n1\t"\tO\n1\tb\tO\n2\tc\tO\n')
    assert [s.words for s in tabs] == [('"', "b"), ("c",)]


def test_tables_in_other_encodings_and_without_a_header() -> None:
    raw = "Sentence #;Word;Tag\nS1;Café;O\n".encode("latin-1")
    with pytest.raises(
        InputError, match=r"a\.csv, line 2: the bytes are not valid UTF-8; name the encoding, such as --enc"
    ):
        sentences("a.csv", raw)
    assert sentences("a.csv", raw, encoding="latin-1")[0].words == ("Café",)
    with pytest.raises(InputError, match="no encoding named 'latin-77'"):
        sentences("a.csv", raw, encoding="latin-77")
    with pytest.raises(InputError, match="the bytes are not valid ascii"):
        sentences("a.csv", raw, encoding="ascii")
    bare = sentences("a.csv", "1,Anna,X\n1,sings,Y\n", columns="sentence w y", header=False)
    assert [(s.words, s.labels) for s in bare] == [(("Anna", "sings"), ("X", "Y"))]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("word,tag\na,O\nb\n", "a.csv, line 3: found 1 columns instead of 2"),
        ("word,tag\na,\n", "a.csv, line 2: the label is empty"),
        ("word,tag\n,O\n", "a.csv, line 2: the word is empty"),
        ('word,tag\n"a,O\n', "a.csv, line 2: the row cannot be read .*; check its quotes"),
        ("price,amount\n3,4\n", "none of the columns 'price', 'amount' is named like words"),
    ],
)
def test_bad_tables(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        sentences("a.csv", text)


def test_brat(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Anna Lee sings.\nBo too.", newline="")
    notes = "T1\tPER 0 8\tAnna Lee\nT2\tPER 0 4;16 18\tAnna Bo\nR1\tKnows Arg1:T1 Arg2:T2\n"
    (tmp_path / "a.ann").write_text(notes)
    for path in (tmp_path, tmp_path / "a.txt", tmp_path / "a.ann"):
        [document] = read(path)
        assert isinstance(document, Document)
        assert (document.spans, document.id) == ((TextSpan(0, 8, "PER"),), "a")
        assert len(document.meta["brat"]["lines"]) == 2
    (tmp_path / "b.ann").write_text("")
    with pytest.raises(InputError, match=r"b\.ann: there is no b\.txt beside it"):
        read(tmp_path)
    (tmp_path / "b.txt").write_text("Bo")
    for line, message in {
        "T1\tPER 0 9\tBo": "0 to 9 is outside the text, which has 2 characters",
        "T1\tPER 0 1\tBo": "0 to 1 is 'B' in the text, not 'Bo'",
        "nonsense": "is not an annotation",
    }.items():
        (tmp_path / "b.ann").write_text(f"\n{line}\n")
        with pytest.raises(InputError, match=rf"b\.ann, line 2: .*{message}"):
            read(tmp_path / "b.txt")


def test_annotations_that_are_no_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Anna sings.")
    (tmp_path / "a.ann").mkdir()
    with pytest.raises(InputError, match=r"a\.ann: this is a directory, not a file"):
        read(tmp_path)


def test_docbin(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy", reason="DocBin is spaCy's format")
    from spacy.tokens import Doc, DocBin

    nlp = spacy.blank("en")
    doc = nlp("Anna Lee  sings.\nBo too.")
    doc.set_ents([doc.char_span(0, 8, label="PER")], default="outside")
    bare, tagged = nlp("Hi there."), Doc(nlp.vocab, words=["Go", "!"], tags=["VB", "."])
    DocBin(docs=[doc, bare, tagged]).to_disk(tmp_path / "a.spacy")
    first, second, third = read(tmp_path / "a.spacy")
    assert isinstance(first, Document)
    assert isinstance(second, Document)
    assert isinstance(third, Sentence)
    assert (first.text, first.spans) == (doc.text, (TextSpan(0, 8, "PER"),))
    assert [first.text[a:b] for a, b in (first.sentences or ())[0]] == ["Anna", "Lee", "sings", ".", "Bo", "too", "."]
    assert second.spans is None
    assert (third.words, third.labels) == (("Go", "!"), ("VB", "."))
    raw = (tmp_path / "a.spacy").read_bytes()
    for bad in (raw[:-9], b"x\x9cnothing"):
        (tmp_path / "bad.spacy").write_bytes(bad)
        with pytest.raises(InputError, match=r"bad\.spacy: this is not a DocBin of spaCy, or it is damaged"):
            read(tmp_path / "bad.spacy")


class Rows(list[dict[str, Any]]):
    """Rows with the features of a Hugging Face dataset: only `features`, `feature` and `names` are asked for."""

    def __init__(self, rows: list[dict[str, Any]], features: dict[str, Any]) -> None:
        super().__init__(rows)
        self.features = features


@pytest.mark.parametrize("nested", [lambda label: SimpleNamespace(feature=label), lambda label: [label]])
def test_rows_of_a_dataset(nested: Any) -> None:
    names = nested(SimpleNamespace(names=["O", "B-PER"]))
    tags = nested(SimpleNamespace(names=["NN", "VB"]))
    features = {"tokens": nested(SimpleNamespace(dtype="string")), "ner_tags": names, "pos_tags": tags}
    rows = [{"id": "0", "tokens": ["Anna", "sings"], "ner_tags": [1, 0], "pos_tags": [0, 1]}]
    [sentence] = read(Rows(rows, features)).sentences()
    assert (sentence.labels, sentence.column("pos")) == (("B-PER", "O"), ("NN", "VB"))
    with pytest.raises(InputError, match="row 0, ner_tags: 5 has no name; the dataset names 2 labels"):
        read(Rows([{"tokens": ["a"], "ner_tags": [5]}], features))


def test_rows_of_the_real_library() -> None:
    datasets = pytest.importorskip("datasets", reason="Hugging Face's datasets is not installed")
    import pyarrow

    label = datasets.Sequence(datasets.ClassLabel(names=["O", "B-PER"]))
    features = datasets.Features({"tokens": datasets.Sequence(datasets.Value("string")), "ner_tags": label})
    table = pyarrow.table({"tokens": [["Anna", "sings"]], "ner_tags": [[1, 0]]}).cast(features.arrow_schema)
    made = datasets.Dataset(table, info=datasets.DatasetInfo(features=features), fingerprint="none")
    assert [s.labels for s in read(made).sentences()] == [("B-PER", "O")]
    assert [s.labels for s in read(made.with_format("numpy")).sentences()] == [("B-PER", "O")]


def test_rows_that_are_none() -> None:
    with pytest.raises(InputError, match="row 0: found int; a row is a dict"):
        read([3])
    with pytest.raises(InputError, match="no option named 'colums'"):
        read([], colums="w y")
