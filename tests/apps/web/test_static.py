"""What the pages share is there once, and every page finds it."""

import re
from pathlib import Path

import pytest

from tagfield.apps.annotate import app as annotate
from tagfield.apps.serve import files as serve
from tagfield.apps.web import STATIC

SOURCES = Path(serve.__file__).parents[2]
IMPORT = re.compile(r'^import \{ (.+?) \} from "(.+?)";$', re.MULTILINE)
LINK = re.compile(r'(?:href|src)="((?:page|web)/.+?)"')


@pytest.mark.parametrize("declared", ["--ink:", "--mark:", "const HUES", "\n.chip {", "\n.beam {", "createElementNS"])
def test_colours_chips_bars_and_shapes_are_written_once(declared: str) -> None:
    found = [
        path for path in SOURCES.rglob("*.[cj]s*") if path.suffix in (".css", ".js") and declared in path.read_text()
    ]
    assert [path.parent for path in found] == [STATIC]


@pytest.mark.parametrize("files", [serve.FILES, annotate.FILES], ids=["serve", "annotate"])
def test_every_link_and_import_of_a_page_is_a_file_with_these_names(files: dict) -> None:
    texts = {path: file.body.decode() for path, file in files.items()}
    for path, text in texts.items():
        assert all(f"/{link}" in files for link in LINK.findall(text)), path
        for names, other in IMPORT.findall(text):
            where = (
                f"/web/{other.rpartition('/')[2]}"
                if other.startswith("../web/")
                else f"{path.rpartition('/')[0]}/{other[2:]}"
            )
            for name in names.split(", "):
                assert re.search(
                    rf"^export (?:const|class|function|async function) {name}\b", texts[where], re.MULTILINE
                )
