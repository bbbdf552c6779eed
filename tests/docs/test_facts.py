"""What pages list is what the code has: recipes, functions, formats, exit codes, options, tests."""

import re
from pathlib import Path

import pytest

import tagfield
from tagfield import RECIPES
from tagfield.cli.commands import COMMANDS
from tagfield.cli.shared.exit_codes import EXITS
from tagfield.data.encode import WordEncoder, encode_files
from tagfield.data.text.formats.table import FILE_FORMATS
from tagfield.data.text.reading import ReadOptions
from tagfield.data.text.spans import Policy
from tagfield.data.text.templates.functions import FUNCTIONS
from tagfield.data.text.templates.parsing import parse_template
from tagfield.errors import InputError
from tagfield.evaluate import KINDS as LABEL_KINDS
from tagfield.model.formats import FORMATS
from tests.data.text.templates.test_language import EXAMPLES, values
from tests.support.cli_process import good
from tests.support.pages import PAGES, ROOT, Block, blocks_of, rows, text_of

CLI, DATA, TEMPLATES = (text_of(f"docs/{name}.md") for name in ("cli", "formats", "templates"))
FILES = [block for block in blocks_of(DATA) if block.title]
FUNCTION_ROWS = rows(TEMPLATES, "| function | example | cell | gives | |")


def said_of(block: Block) -> str | None:
    """What docs/formats.md says that an example file is read as."""
    found = re.match(r"```\n\nRead as: ([^\n]*)\n", DATA[block.end :])
    return found and found[1]


def test_the_readme_is_short() -> None:
    assert len(text_of("README.md").splitlines()) < 150


def test_the_page_of_recipes_lists_every_one() -> None:
    listed = re.findall(r"^\| `([\w.]+)` \| \w+ \| (.*) \|$", text_of("docs/recipes.md"), re.MULTILINE)
    assert listed == [(name, recipe.about) for name, recipe in RECIPES.items()]


def test_reliability_names_tests_and_commands() -> None:
    page = text_of("docs/reliability.md")
    assert len(set(re.findall(r"\btests/[\w/*.]*\w", page))) > 15
    targets = set(re.findall(r"^([a-z]+):", text_of("Makefile"), re.MULTILINE))
    assert set(re.findall(r"`make (\w+)", page)) <= targets


@pytest.mark.parametrize("page", PAGES)
def test_every_file_that_a_page_names_exists(page: str) -> None:
    named = set(
        re.findall(r"(?<![\w/])(?:src|tests|native|benchmarks|scripts|studies|examples)/[\w/*.-]*\w", text_of(page))
    )
    assert [name for name in sorted(named) if "NAME" not in name and not list(ROOT.glob(name))] == []


def test_help_and_the_page_list_the_exit_codes() -> None:
    text = " ".join(good("--help").split())
    for code, meaning in EXITS.items():
        assert f"{code} {meaning.partition(':')[0]}" in text
        assert re.search(rf"^\| {code} \| {re.escape(meaning)} \|$", CLI, re.MULTILINE)


def test_the_page_of_the_command_line_lists_options_and_schemes() -> None:
    helps = {name: good(name, "--help") for name in COMMANDS}
    for option in ("--quiet", "--verbose", "--json"):
        having = {name for name, text in helps.items() if option in text}
        said = re.search(rf"((?:`[\w-]+`,? ?(?:and )?(?:also )?\s?)+)have `{option}`", CLI)
        assert said is not None
        assert set(re.findall(r"`([\w-]+)`", said[1])) == having
    assert set(re.findall(r"^\| `(\w+)` \| .* \| .* \|$", CLI, re.MULTILINE)) == set(LABEL_KINDS)


def test_the_page_of_formats_shows_each_as_a_file() -> None:
    assert {Path(str(block.title)).suffix for block in FILES} >= {
        ".txt",
        ".conllu",
        ".jsonl",
        ".json",
        ".csv",
        ".items",
        ".ann",
    }
    assert sum(bool(said_of(block)) for block in FILES) == len(FILES) - 1  # doc.txt and doc.ann are one example


@pytest.mark.parametrize("block", FILES, ids=lambda block: block.title)
def test_each_example_file_is_read_as_the_page_says(block: Block, tmp_path: Path) -> None:
    for other in FILES:
        if other is block or other.title == "doc.txt":
            (tmp_path / str(other.title)).write_text(other.content, newline="")
    if said := said_of(block):
        encoded = encode_files(tmp_path / str(block.title))
        assert encoded.describe() == said
        assert encoded.labelled


def test_the_page_of_formats_names_every_format_and_option() -> None:
    assert all(re.search(rf"\b{kind}\b", DATA) for kind in FILE_FORMATS)
    fields = {*ReadOptions.__dataclass_fields__, *Policy.__dataclass_fields__} - {"policy", "counts"}
    assert all(f"`{name}=" in DATA for name in fields)
    assert callable(tagfield.read)
    assert callable(tagfield.write)


def test_the_page_of_formats_names_every_format_of_models() -> None:
    listed = dict(re.findall(r"^\| `([a-z-]+)` \| yes \| (yes|no) \|", DATA, re.MULTILINE))
    assert set(listed) == set(FORMATS)
    for name, written in listed.items():
        assert (written == "yes") == (name == "tagfield" or bool(FORMATS[name].writer))


@pytest.mark.parametrize("text", [block.content for block in blocks_of(TEMPLATES) if block.language == "template"])
def test_templates_of_the_page_are_read(text: str, tmp_path: Path) -> None:
    (tmp_path / "cities.txt").write_text("New York\n")
    (tmp_path / "paths.txt").write_text("rome\t0010\n")
    made = parse_template(text, folder=tmp_path)
    if not made.columns:
        made = made.with_columns("a b y")
    width = len(made.columns) - 1
    encoded = WordEncoder(made).encode([[("Rome",) * width, ("1990",) * width]])
    assert len(encoded.attributes) > len(made.patterns) // 2
    assert len(encoded.edges or ()) == len(made.transitions)


def test_the_page_of_templates_lists_every_function_with_its_example() -> None:
    assert [row[0].strip("`") for row in FUNCTION_ROWS] == [function.usage for function in FUNCTIONS.values()]
    for row, function in zip(FUNCTION_ROWS, FUNCTIONS.values(), strict=True):
        call, cell, expected = function.example
        assert row[1:4] == [f"`w.{call}`", f"`{cell}`", " ".join(f"`{value}`" for value in expected.split())]


@pytest.mark.parametrize("row", FUNCTION_ROWS, ids=lambda row: row[0])
def test_functions_give_what_the_page_says(row: list[str]) -> None:
    call, cell, gives = row[1].strip("`").removeprefix("w."), row[2].strip("`").split(), row[3].strip("`").split("` `")
    assert values(call, cell, EXAMPLES) == gives


@pytest.mark.parametrize("row", rows(TEMPLATES, "| line | attributes at a token |"), ids=lambda row: row[0])
def test_windows_are_read_as_the_page_says(row: list[str]) -> None:
    count = {"five": 5, "two": 2, "four": 4}.get(row[1].split()[0], 1)
    assert len(parse_template(row[0].strip("`")).patterns) == count


@pytest.mark.parametrize("row", rows(TEMPLATES, "| line | message |"), ids=lambda row: row[0])
def test_errors_of_templates_are_as_on_the_page(row: list[str]) -> None:
    with pytest.raises(InputError, match=re.escape(f"template mine, line 1: {row[1]}")):
        parse_template(row[0].strip("`"), "mine")
