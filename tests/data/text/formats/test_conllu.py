"""CoNLL-U and CoNLL-U Plus: tokens, ranges, texts and wrong lines."""

import pytest

from tagfield.errors import InputError
from tests.support.reading import sentences

CONLLU = """# sent_id = s1
# text = Al dai  go.
1-2\tAl\t_\t_\t_\t_\t_\t_\t_\t_
1\tAl\tal\tADP\tIN\t_\t2\tcase\t_\t_
2\tdai\tdai\tNOUN\tNN\t_\t0\troot\t_\t_
2.1\tx\tx\tVERB\t_\t_\t_\t_\t0:root\t_
3\tgo.\tgo\tPUNCT\t.\t_\t2\tpunct\t_\tSpaceAfter=No

1\tvi ne\tvi\tX\t_\t_\t0\troot\t_\t_
"""


def test_tokens_have_labels_offsets_and_an_id_and_ranges_are_kept() -> None:
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
def test_wrong_lines_are_refused_with_their_number(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        sentences("a.conllu", text)
