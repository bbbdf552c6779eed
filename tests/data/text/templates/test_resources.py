"""Gazetteers, clusters and regular expressions: what they find, and what is no resource."""

import re
from pathlib import Path
from typing import Any

import pytest

from tagfield.data.text.templates.resources import cluster, gazetteer, regex
from tagfield.errors import InputError, MemoryLimitError
from tagfield.system.memory import memory_limited, resident_memory
from tests.data.text.templates.test_language import values


def test_the_longest_phrase_wins_and_phrases_do_not_overlap() -> None:
    phrases = gazetteer("x", ["a b", "a b c", "c d", "d"])
    assert values("in(x)", list("abcd"), (phrases,)) == ["B-x", "I-x", "I-x", "B-x"]
    assert values("in(x)", list("abd"), (phrases,)) == ["B-x", "I-x", "B-x"]


def test_cluster_files_with_wrong_lines_are_refused(tmp_path: Any) -> None:
    (tmp_path / "paths").write_text("Rome\t0010\nParis\n")
    with pytest.raises(InputError, match="line 2: found 'Paris'; write word<TAB>path"):
        cluster("brown", tmp_path / "paths")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: gazetteer("g", [["New", "York"]]), "gazetteer g: ['New', 'York'] is no phrase"),
        (lambda: gazetteer("g", None), "gazetteer g: give a file or a list of phrases, not NoneType"),
        (lambda: cluster("c", {"Rome": 10}), "cluster c: 'Rome' has the path 10; words and paths must be strings"),
        (lambda: cluster("c", [("Rome", "10")]), "cluster c: give a file or a dict of each word's path, not list"),
        (lambda: regex(None, "a"), "regex None: a name must consist of letters"),
    ],
)
def test_resources_of_the_wrong_type_are_refused(make: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        make()


def test_a_word_with_two_clusters_is_refused_with_both_lines(tmp_path: Path) -> None:
    path = tmp_path / "paths.txt"
    path.write_text("Rome\t01\n\nParis\t10\nRome\t01\n")
    assert cluster("c", path).paths == {"Rome": "01", "Paris": "10"}
    path.write_text("Rome\t01\n\nParis\t10\nRome\t11\n")
    with pytest.raises(InputError, match=r"paths\.txt, line 4: 'Rome' has the path '11', but '01' in line 1; give"):
        cluster("c", path)
    path.write_text("01\tRome\t5\n11\tRome\t7\n")
    with pytest.raises(InputError, match=r"line 2: 'Rome' has the path '11', but '01' in line 1"):
        cluster("c", path)


@pytest.mark.parametrize(("make", "line"), [(gazetteer, "word {}\n"), (cluster, "word{}\t0101\n")])
def test_resources_that_do_not_fit_into_memory_are_refused(tmp_path: Path, make: Any, line: str) -> None:
    path = tmp_path / "long.txt"
    path.write_text("".join(line.format(k) for k in range(100_000)))
    with memory_limited(resident_memory() + 2e7), pytest.raises(MemoryLimitError, match=r"g: the \d MB of text needs"):
        make("g", path)
    assert make("g", path).text.count("\n") == 99_999
