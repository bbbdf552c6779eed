"""Tables with a header: sentences by their column or by empty rows, quotes, encodings and wrong rows."""

import pytest

from tagfield.errors import InputError
from tests.support.reading import sentences

KAGGLE = 'Sentence #,Word,POS,Tag\nSentence: 1,Thousands,NNS,O\n,of,IN,O\nSentence: 2,"a,""b",NNP,B-geo\n'


@pytest.mark.parametrize("name", ["a.csv", "data"])
def test_sentences_are_those_that_the_first_column_names(name: str) -> None:
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
def test_wrong_rows_are_refused_with_their_line(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        sentences("a.csv", text)
