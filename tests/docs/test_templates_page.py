"""docs/templates.md: its templates are read, its Python runs, and its tables say what happens."""

import re
from pathlib import Path

import pytest

from tagfield.data.encode import WordEncoder
from tagfield.data.text.templates.functions import FUNCTIONS
from tagfield.data.text.templates.parsing import parse_template
from tagfield.errors import InputError
from tests.data.text.templates.test_language import EXAMPLES, values

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "templates.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def rows(header: str) -> list[list[str]]:
    """The cells of the table with this header; code without its backquotes."""
    _, table = PAGE.split(header, 1)
    lines = table.split("\n\n")[0].splitlines()[2:]
    return [[cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


@pytest.mark.parametrize("text", blocks("template"))
def test_templates_are_read(text: str, tmp_path: Path) -> None:
    (tmp_path / "cities.txt").write_text("New York\n")
    (tmp_path / "paths.txt").write_text("rome\t0010\n")
    made = parse_template(text, folder=tmp_path)
    if not made.columns:
        made = made.with_columns("a b y")
    width = len(made.columns) - 1
    encoder = WordEncoder(made)
    encoded = encoder.encode([[("Rome",) * width, ("1990",) * width]])
    assert len(encoded.attributes) > len(made.patterns) // 2
    assert len(encoded.edges or ()) == len(made.transitions)


def test_python_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = blocks("python")
    exec(compile(code, "templates.md", "exec"), {})
    assert capsys.readouterr().out.splitlines() == re.findall(r"print\(.*\)  # (.+)$", code, re.MULTILINE)


def test_every_function_is_there_with_its_example() -> None:
    found = rows("| function | example | cell | gives | |")
    assert [row[0].strip("`") for row in found] == [function.usage for function in FUNCTIONS.values()]
    for row, function in zip(found, FUNCTIONS.values(), strict=True):
        call, cell, expected = function.example
        assert row[1:4] == [f"`w.{call}`", f"`{cell}`", " ".join(f"`{value}`" for value in expected.split())]


@pytest.mark.parametrize("row", rows("| function | example | cell | gives | |"), ids=lambda row: row[0])
def test_functions_give_what_the_page_says(row: list[str]) -> None:
    call, cell, gives = row[1].strip("`").removeprefix("w."), row[2].strip("`").split(), row[3].strip("`").split("` `")
    assert values(call, cell, EXAMPLES) == gives


@pytest.mark.parametrize("row", rows("| line | attributes at a token |"), ids=lambda row: row[0])
def test_windows_are_read(row: list[str]) -> None:
    count = {"five": 5, "two": 2, "four": 4}.get(row[1].split()[0], 1)
    assert len(parse_template(row[0].strip("`")).patterns) == count


@pytest.mark.parametrize("row", rows("| line | message |"), ids=lambda row: row[0])
def test_errors_are_as_on_the_page(row: list[str]) -> None:
    with pytest.raises(InputError, match=re.escape(f"template mine, line 1: {row[1]}")):
        parse_template(row[0].strip("`"), "mine")
