"""The roles of columns, from a header or from their number."""

import pytest

from tagfield.data.text.formats.roles import is_header, roles_of, usual_roles


@pytest.mark.parametrize(
    ("cells", "named"),
    [(["word", "label"], True), (["Word", "POS", "Tag"], True), (["word", "NN"], False), (["The", "DT"], False)],
)
def test_cells_that_name_columns_are_a_header(cells: list[str], named: bool) -> None:
    assert is_header(cells) is named


@pytest.mark.parametrize(
    ("header", "roles"),
    [
        (["Token", "NER_tag"], ("w", "y")),
        (["form", "upos"], ("w", "y")),  # the last part of speech, where nothing else is the label
        (["word", "pos", "chunk"], ("w", "pos", "y")),
        (["word", "words", "tag", "#"], ("w", "words", "y", "column4")),  # the first name counts
        (["y", "word"], ("y", "w")),
    ],
)
def test_roles_are_those_that_a_header_names(header: list[str], roles: tuple[str, ...]) -> None:
    assert roles_of(header) == roles


def test_a_column_that_a_template_reads_is_not_the_label() -> None:
    assert roles_of(["pos", "word"], ("w", "pos", "y")) == ("pos", "w")
    assert roles_of(["pos", "word"]) == ("y", "w")


@pytest.mark.parametrize(
    ("count", "roles"), [(0, "w"), (1, "w"), (2, "w y"), (3, "w pos y"), (4, "w x1 x2 y"), (5, "w x1 x2 x3 y")]
)
def test_columns_without_names_have_the_usual_roles(count: int, roles: str) -> None:
    assert usual_roles(count, [["a"] * count], ()) == tuple(roles.split())


def test_columns_of_conll_2003_and_those_that_are_expected_are_known() -> None:
    assert usual_roles(4, [["EU", "NNP", "B-NP", "B-ORG"]], ()) == ("w", "pos", "chunk", "y")
    assert usual_roles(3, [], ("w", "y", "lemma", "pos")) == ("w", "lemma", "pos")  # no label
    assert usual_roles(2, [], ("w", "y", "lemma", "pos")) == ("w", "y")
