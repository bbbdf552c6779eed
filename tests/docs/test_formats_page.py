"""docs/formats.md: each example file is read, as the page says; its options and its Python run."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import tagfield
from tagfield.data.encode import encode_files
from tagfield.data.text.formats.file_format import KINDS
from tagfield.data.text.reading import ReadOptions
from tagfield.data.text.spans import Policy
from tagfield.data.text.writing import TARGETS
from tagfield.model.formats import FORMATS

PAGE = (Path(__file__).parents[2] / "docs" / "formats.md").read_text()
FILES = re.findall(r"^```(\S+\.\S+)\n(.*?)^```\n(?:\nRead as: ([^\n]*)\n)?", PAGE, re.MULTILINE | re.DOTALL)
PROGRAMS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_page_shows_every_format_as_a_file() -> None:
    shown = {Path(name).suffix for name, _, _ in FILES}
    assert shown >= {".txt", ".conllu", ".jsonl", ".json", ".csv", ".items", ".ann"}
    assert sum(bool(said) for _, _, said in FILES) == len(FILES) - 1  # doc.txt and doc.ann are one example


@pytest.mark.parametrize(("name", "content", "said"), FILES, ids=[name for name, _, _ in FILES])
def test_each_example_is_read_as_the_page_says(name: str, content: str, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content, newline="")
    if not said:
        return
    if name == "doc.ann":
        (tmp_path / "doc.txt").write_text(next(text for other, text, _ in FILES if other == "doc.txt"))
    encoded = encode_files(tmp_path / name)
    assert encoded.describe() == said
    assert encoded.labelled


@pytest.mark.parametrize("program", PROGRAMS)
def test_its_programs_run_and_print_what_they_say(program: str, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=True)
    promised = re.findall(r"^print\(.*\)  # (.*)$", program, re.MULTILINE)
    assert done.stdout.splitlines() == promised != []


def test_it_names_every_format_and_option() -> None:
    assert all(re.search(rf"\b{kind}\b", PAGE) for kind in (*KINDS, *TARGETS))
    fields = {*ReadOptions.__dataclass_fields__, *Policy.__dataclass_fields__} - {"policy", "counts"}
    assert all(f"`{name}=" in PAGE for name in fields)
    assert callable(tagfield.read)
    assert callable(tagfield.write)


def test_it_names_every_format_of_models() -> None:
    assert set(re.findall(r"^\| `([a-z-]+)` \| yes \| (?:yes|no) \|", PAGE, re.MULTILINE)) == set(FORMATS)
    for name, written in re.findall(r"^\| `([a-z-]+)` \| yes \| (yes|no) \|", PAGE, re.MULTILINE):
        assert (written == "yes") == (name == "tagfield" or bool(FORMATS[name].writer))
