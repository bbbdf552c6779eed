"""CoNLL columns: files + Template → Dataset, and where each sentence stands in its file.

sources ─▶ match columns to roles ─▶ plan.py: a native encoder ─▶ read ─▶ expand ─▶ Dataset
"""

import numpy as np

from tagfield.data.dataset import UNKNOWN, Dataset, Slots
from tagfield.data.text.formats.file_format import SPOKEN
from tagfield.data.text.lines import cells_in, check_lines
from tagfield.data.text.sources import Locations, Source
from tagfield.data.text.templates.plan import open_encoder
from tagfield.data.text.templates.presets import PRESETS
from tagfield.data.text.templates.template import IGNORED, LABEL, WAPITI, Template
from tagfield.errors import InputError
from tagfield.native._text import Vocabulary, first_line


def read_columns(
    sources: list[Source],
    template: Template,
    attributes: Vocabulary,
    labels: Vocabulary,
    *,
    frozen: bool = False,
    needs_labels: bool = True,
    edges: Vocabulary | None = None,
    grouped: bool = True,
) -> tuple[Dataset, Template, Locations]:
    """Encode column files; also returns the template with the roles that it found.

    New attributes join `attributes`, and those of transitions `edges`, unless frozen; new labels join `labels`. A file
    without the label column is an error if `needs_labels`; otherwise its labels are UNKNOWN.
    grouped: whether slots are ordered by the group of their ids; False for ids that change later (Dataset.renumbered)

    >>> source, labels = Source("tiny.txt", b"The DT B-NP\\ndog NN I-NP\\n"), Vocabulary()
    >>> data, _, locations = read_columns([source], PRESETS["chunking"], Vocabulary(), labels)
    >>> labels.strings(), data.labels.tolist(), locations.lines(0)
    (['B-NP', 'I-NP'], [0, 1], ['The DT B-NP', 'dog NN I-NP'])
    """
    count, first, last = _first_line(sources)
    labelled = needs_labels or labels.find(last) >= 0
    template, present = _match_roles(_skipping(template, count, labelled), count, first, needs_labels)
    encoder = open_encoder(template, present, first)
    for index, source in enumerate(sources):
        check_lines(source)
        encoder.read(source.text, source.name, index, first)
    roles = [template.columns[k] for k in present]
    label = roles.index(LABEL) if LABEL in roles else None
    gold = None if label is None else encoder.labels(label, labels)
    arrays, slots = encoder.expand(attributes, frozen, edges, grouped)
    if gold is None:
        gold = np.full(int(arrays[0][-1]), UNKNOWN, np.int32)
    dataset = Dataset(*arrays, gold, np.ones(len(arrays[0]) - 1), None if slots is None else Slots(*slots))
    return dataset, template, Locations(sources, *encoder.locations())


def _first_line(sources: list[Source]) -> tuple[int, str, str]:
    """How many columns the first line with text has, where it stands, and its last cell."""
    for source in sources:
        line, count = first_line(source.text)
        if count:
            cells = cells_in(source.text.split(b"\n", line)[line - 1].decode(errors="replace").removesuffix("\r"))
            return count, f"{source.name}, line {line}", cells[-1]
    raise InputError(f"{sources[0].name}: the file holds only blank lines; give a file that has sentences")


def _skipping(template: Template, count: int, labelled: bool) -> Template:
    """A template of Wapiti's patterns without the columns that no pattern reads, which Wapiti skips too."""
    cells = [role for role in template.columns if role != LABEL]
    if template.syntax != WAPITI or not cells or count <= len(cells) + 1:
        return template
    return template.with_columns((*cells, *[IGNORED] * (count - len(cells) - 1), LABEL if labelled else IGNORED))


def _match_roles(template: Template, count: int, first: str, needs_labels: bool) -> tuple[Template, list[int]]:
    """The template with its columns named, and for each column of the file its index in template.columns."""
    if not template.columns:
        numbered = tuple(f"x{k}" for k in range(max(1, count - 1)))
        template = template.with_columns((*numbered, LABEL) if count > 1 else numbered)
    roles = template.columns
    present = [k for k in range(len(roles)) if count == len(roles) or roles[k] != LABEL]
    labelled = LABEL in roles and count == len(roles)
    if count == len(present) and (labelled or not needs_labels):
        return template, present
    found = f"{first}: found {count} column{'s' if count > 1 else ''}"
    if LABEL not in roles and count == len(roles):
        raise InputError(f"{found}, but no label; put the label in the last column, or name it {LABEL} in --columns")
    spoken = ", ".join(SPOKEN.get(role, role) for role in roles)
    advice = f"name the columns with --columns, where {LABEL} is the label and {IGNORED} skips a column"
    if needs_labels and template in PRESETS.values():
        for other in PRESETS.values():
            if len(other.columns) == count:
                *most, last = (SPOKEN.get(role, role) for role in other.columns)
                advice = f"for {', '.join(most)} and {last} use --template {other.name}"
                break
    raise InputError(f"{found}, but template {template.name} reads {len(roles)} ({spoken}); {advice}")
