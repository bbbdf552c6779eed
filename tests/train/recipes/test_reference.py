"""docs/options.md: a row for every option and every recipe, as the code has them."""

from pathlib import Path

import pytest

from tagfield.train import RECIPES
from tagfield.train.recipes.catalogue import all_options
from tagfield.train.recipes.fields import Found
from tagfield.train.recipes.reference import options_page
from tagfield.train.recipes.settings import shown_default

OPTIONS = all_options()
EVERY = pytest.mark.parametrize("found", list(OPTIONS.values()), ids=list(OPTIONS))
PAGE = Path(__file__).resolve().parents[3] / "docs" / "options.md"


@EVERY
def test_the_page_of_all_options_has_a_row(found: Found) -> None:
    text = PAGE.read_text(encoding="utf-8")
    [section] = [part for part in text.split("\n## ") if f"| `{found.name}` |" in part]
    assert section.startswith(f"{found.option.group}\n")
    assert f"| `{found.name}` | {shown_default(found)} | {found.option.help}" in section
    for choice in found.option.choices or ():
        assert f"`{choice}`" in section


def test_the_page_of_all_options_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == options_page(), "run `make reference`"
    for name, recipe in RECIPES.items():
        assert f"| `{name}` | {type(recipe).__name__} | {recipe.about} |" in options_page()
