"""Template files: valid and wrong ones, and the round trip through JSON."""

import pytest

from tagfield.data.text.templates.parsing import parse_template
from tagfield.data.text.templates.presets import PRESETS
from tagfield.data.text.templates.template import Template
from tagfield.errors import InputError


@pytest.mark.parametrize("template", [*PRESETS.values(), parse_template("U0:%x[0,0]", "é")])
def test_templates_survive_json(template: Template) -> None:
    assert Template.from_json(template.to_json()) == template
    assert template.name in repr(template)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "3", "{}", '{"name": 3, "patterns": [], "columns": [], "padding": true, "edges": true}']
    + [
        f'{{"name": "n", "patterns": {patterns}, "columns": {columns}, "padding": {padding}, "edges": false}}'
        for patterns, columns, padding in (
            ("[3]", "[]", "true"),
            ('[["U", "1"]]', "[]", "true"),
            ('[["U%x[0,", 1]]', "[]", "true"),
            ("[[3, 1]]", "[]", "true"),
            ("[]", "[3]", "true"),
            ("[]", '["w", "w"]', "true"),
            ("[]", "[]", "1"),
            ("[]", "[]", "null"),
        )
    ],
)
def test_json_that_is_no_template_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        Template.from_json(text)
