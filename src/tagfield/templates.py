"""Templates as Python objects: `column` for cells and their functions, `template` to put them together.

>>> from tagfield.templates import column, template
>>> w, pos = column("w"), column("pos")
>>> template(w[-2:2], w[-1] & w[0], w.lower.suffix(1, 4), pos[-1:1], pos[-1] & pos[0])
Template 'template': 14 patterns, columns w pos y, __BOS__/__EOS__
"""

from tagfield.data.text.templates.cells import Cells, column, template
from tagfield.data.text.templates.parsing import parse_template, read_template
from tagfield.data.text.templates.template import Template
from tagfield.data.text.templates.wapiti.items import split_observations
from tagfield.data.text.templates.wapiti.template import parse_wapiti

__all__ = [
    "Cells",
    "Template",
    "column",
    "parse_template",
    "parse_wapiti",
    "read_template",
    "split_observations",
    "template",
]
