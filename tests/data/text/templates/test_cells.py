"""Templates as Python objects: the same as their text, and wrong cells."""

import pickle
import re
from typing import Any

import pytest

from tagfield.data.text.templates.presets import load_template
from tagfield.data.text.templates.template import Template
from tagfield.errors import InputError
from tagfield.templates import column, template


def test_text_and_python_make_the_same_template(tmp_path: Any) -> None:
    (tmp_path / "cities.txt").write_text("New  York\r\nRome\n\nRome\n")
    (tmp_path / "brown.txt").write_text("0010\tRome\t12\n0011\tParis\t3\n")
    (tmp_path / "paths.txt").write_text("Rome\t0010\nParis\t0011\n")
    text = r"""
# names
columns w pos y
padding off
edges on
gazetteer cities ignorecase = cities.txt
cluster brown = brown.txt
regex year = ^(19|20)\d\d$
w[-2:2]
w[-1]|w[0]
w[0]|w[1]
w.lower.suffix1:3
w.in(cities)
w.cluster(brown,2)
w.match(year)|pos[-1:0]
w.parts.ngrams2-3
pos.same(-1)
"""
    (tmp_path / "template").write_text(text)
    w, pos = column("w"), column("pos")
    made = template(
        w[-2:2],
        (w & w[1])[-1:0],
        w.lower.suffix(1, 3),
        w.in_list("cities", ["New York", "Rome"], ignore_case=True),
        w.cluster("brown", tmp_path / "paths.txt", 2),
        w.match("year", r"^(19|20)\d\d$") & pos[-1:0],
        w.parts.ngrams(2, 3),
        pos.same(-1),
    )
    read = load_template(tmp_path / "template")
    assert [p.text for p in read.patterns] == [p.text for p in made.patterns]
    assert (read.columns, read.padding, read.boundaries, read.resources) == (
        made.columns,
        made.padding,
        made.boundaries,
        made.resources,
    )
    assert Template.from_json(made.to_json()) == made
    assert Template.from_json(made.to_json(texts=False), [r.text for r in made.resources]) == made
    assert pickle.loads(pickle.dumps(made)) == made


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda w: template(), "at least one pattern"),
        (lambda w: template(3), "of type int"),
        (lambda w: w[2:1], "the range 2:1 is empty"),
        (lambda w: w[:1], "needs both ends"),
        (lambda w: w.suffix(3, 1), "the range 3, 1 is empty"),
        (lambda w: template(w.suffix(12)), "'suffix12' has the wrong arguments"),
        (lambda w: (w & w).lower, "apply lower to each column before you combine them"),
        (lambda w: column("y"), "a column must have a name such as w or pos, got 'y'"),
        (lambda w: template(w.in_list("a", ["x"]), w.in_list("a", ["z"])), "gazetteer a: the name is taken"),
        (lambda w: w.in_list("a", []), "gazetteer a: found no phrase"),
        (lambda w: w.cluster("a", {"": "0"}), "empty string"),
        (lambda w: w.cluster("a", {}), "found no word"),
        (lambda w: w.match("a", ""), "the text is empty"),
        (lambda w: w.match("a", "\ud800"), "lone surrogate"),
    ],
)
def test_wrong_cells_are_refused_with_advice(make: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        make(column("w"))


def test_an_unknown_function_of_a_column_gets_advice() -> None:
    with pytest.raises(AttributeError, match="no function 'lowr'; did you mean 'lower'"):
        _ = column("w").lowr


@pytest.mark.parametrize("transitions", ["B:%x[0,w]", column("w")])
def test_transitions_that_are_no_list_are_refused(transitions: Any) -> None:
    with pytest.raises(InputError, match="transitions must be a list of cells and strings"):
        template(column("w"), transitions=transitions)
