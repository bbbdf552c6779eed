"""What a model reads: attributes, words or files, encoded with its vocabularies, and checked to be what it knows.

    attributes (lists, dicts) ─▶ encode ───────┐
    words ─▶ the model's template ─▶ encode_words ─┴─▶ Encoded ─▶ decoder
    files ─▶ the model's template ─▶ encode_files ─┘

A model that gets the wrong kind of input would return labels all the same, and wrong ones: an attribute that the model
does not know is left out. So a model with a template refuses attributes that it does not know, a model without one
refuses words, and a model that knows hardly any of the attributes in a call warns.
"""

import os
import sys
import warnings
from collections.abc import Iterable
from functools import cached_property
from typing import Any

from tagfield.data.encode import Encoded, Format, WordEncoder, encode_files, encode_sequences, same_vocabulary
from tagfield.data.labels.kinds import label_kind
from tagfield.data.text.reading import ReadOptions
from tagfield.data.text.sources import PathLike, Source
from tagfield.data.text.templates.template import IGNORED, LABEL, Template
from tagfield.errors import InputError, UnknownAttributesWarning
from tagfield.native._text import Vocabulary

WORD = "w"  # the role of the column of words
KNOWN_SHARE = 0.1  # with fewer known attributes, the input is of another kind than the training data
FEWEST = 20  # attributes in a call before their share says anything


class Reading:
    """The methods of Model that read."""

    labels: Vocabulary
    attributes: Vocabulary
    template: Template | None
    edges: Vocabulary | None

    def encode(
        self,
        X: Iterable[object],
        y: Iterable[Iterable[str]] | None = None,
        *,
        edges: Iterable[object] | None = None,
        gather: bool = True,
    ) -> Encoded:
        """Encode sequences of attribute lists or dicts with this model's vocabularies.

        edges: attributes of the transition into each token, for a model that was trained with them; see
            `encode_sequences`
        gather: as in `encode_sequences`
        """
        if edges is not None and self.edges is None:
            raise InputError("the model has no edge attributes; leave edges out")
        found = encode_sequences(
            X, y, edges=edges, attributes=self.attributes, labels=self.labels, edge_attributes=self.edges, gather=gather
        )
        return self._checked(found)

    def encode_words(self, X: Iterable[object], y: Iterable[Iterable[str | None]] | None = None) -> Encoded:
        """Encode sentences of words with this model's template; `marginals`, `spans` and all other methods take it.

        >>> from tagfield import Model
        >>> model = Model.train_words([["to", "be"]], [["TO", "VB"]])
        >>> model.marginals(model.encode_words([["to", "be"]]))[0].shape
        (2, 2)
        """
        return self.word_encoder.encode(X, y)

    def encode_files(
        self,
        paths: PathLike | Source | Iterable[PathLike | Source],
        *,
        columns: str | None = None,
        format: Format | None = None,
        reading: ReadOptions | None = None,
    ) -> Encoded:
        """Read and encode files with this model's template and vocabularies."""
        items = self.template is None and (reading is None or reading.format is None)
        return encode_files(
            paths,
            template=self.template,
            columns=columns,
            format=format or ("items" if items else None),
            reading=reading,
            attributes=self.attributes,
            labels=self.labels,
            edge_attributes=self.edges,
        )

    @cached_property
    def word_encoder(self) -> WordEncoder:
        """The model's template and vocabularies; it remembers words from call to call."""
        if self.template is None:
            raise InputError(
                "the model was trained on attributes and has no template, so it cannot read words; use tag with "
                "attribute lists or dicts, or train on words with Model.train_words or CRF(template=…)"
            )
        return WordEncoder(self.template, self.attributes, self.labels, self.edges)

    def read(
        self,
        X: Iterable[object] | Encoded,
        y: Iterable[Iterable[str]] | None = None,
        edges: Iterable[object] | None = None,
    ) -> Encoded:
        """Attributes, or data that is encoded already, in the form that scoring needs."""
        if not isinstance(X, Encoded):
            return self.encode(X, y, edges=edges, gather=False)
        if edges is not None:
            raise InputError("the data is encoded already, so edges has no effect; give it to model.encode")
        if not same_vocabulary(X.attributes, self.attributes):
            raise InputError(
                "the data is not encoded with this model's attributes; use model.encode, model.encode_words or "
                "model.encode_files"
            )
        return self._with_edges(X)

    def read_words(self, X: Iterable[object], y: Iterable[Iterable[str | None]] | None = None) -> Encoded:
        """Words in the form that scoring needs."""
        return self.word_encoder.encode(X, y, gather=False)

    def read_text(self, sentences: list[list[str]]) -> Encoded:
        """The words of running text; the template must read no other column."""
        template = self.word_encoder.template
        roles = [role for role in template.columns if role != LABEL]
        if len(roles) == 1:
            return self.read_words(sentences)
        named = [role for role in roles if role != IGNORED]
        word = WORD if WORD in named else named[0]
        others = sorted(_columns_read(template) - {word}, key=roles.index)
        if others:
            raise InputError(
                f"template {template.name} reads {' and '.join(others)} besides the words, and text has only words; "
                f"train with a template of words alone, such as ner, or give tag_words tuples ({', '.join(roles)})"
            )
        filled = [role == word for role in roles]
        return self.read_words([[tuple(w if k else IGNORED for k in filled) for w in words] for words in sentences])

    @cached_property
    def default_tokenizer(self) -> str:
        """How text is split: into characters if the labels mark words, as for segmentation, and else into words."""
        return "characters" if label_kind(self.labels.strings()) == "words" else "words"

    def _with_edges(self, encoded: Encoded) -> Encoded:
        """Raise if the edge attributes of the data are not those that the model's transitions look at."""
        edges = encoded.dataset.edge_slots
        if self.edges is None and (edges is None or not len(edges.position)):
            return encoded
        if self.edges is None:
            raise InputError("the data has edge attributes, but this model has none; encode it with model.encode_files")
        if encoded.edges is None:
            advice = (
                "pass edges=…, one list of attributes for each token"
                if self.template is None
                else "use tag_words, model.encode_words or model.encode_files, which apply the model's template"
            )
            raise InputError(
                f"the model's transitions look at the input, but this data has no edge attributes; {advice}"
            )
        if not same_vocabulary(encoded.edges, self.edges):
            raise InputError(
                "the data is not encoded with this model's edge attributes; use encode_words or encode_files"
            )
        return encoded

    def _checked(self, encoded: Encoded) -> Encoded:
        """Raise or warn if the model knows hardly any of the attributes."""
        self._with_edges(encoded)
        unknown = encoded.unknown
        if unknown.occurrences:
            self._check_known(len(encoded.dataset.place), unknown.occurrences, unknown.some)
        return encoded

    def _check_known(self, known: int, unknown: int, some: Iterable[str]) -> None:
        """Raise or warn if hardly any of the attributes of a call are known; `some` are unknown ones."""
        total = known + unknown
        if known >= KNOWN_SHARE * total:
            return
        shown = ", ".join(map(repr, some))
        found = f"the model knows {known:,} of the {total:,} attributes in this call (unknown: {shown})"
        if self.template is not None:
            raise InputError(f"{found}; template {self.template.name} makes its attributes from words: use tag_words")
        if total >= FEWEST and "_warned" not in self.__dict__:
            self.__dict__["_warned"] = True
            warnings.warn(
                f"{found}; make attributes exactly as you did for training, or the labels mean nothing",
                UnknownAttributesWarning,
                stacklevel=caller_depth(),
            )


def paths_of(data: Any) -> Any:
    """Paths of files, as they are; InputError for data of another kind."""
    each = data if isinstance(data, list | tuple) else [data]
    if not each or not all(isinstance(path, str | os.PathLike | Source) for path in each):
        raise InputError(
            "data must be Encoded or the path of a file; for lists of words use Model.train_words and "
            "model.encode_words, for attributes encode_sequences and model.encode"
        )
    return data


def _columns_read(template: Template) -> set[str]:
    """The roles of the columns that some pattern reads."""
    roles = template.columns
    return {roles[int(base)] if base.isdigit() else base for base in template.reads} - {IGNORED}


def caller_depth() -> int:
    """The stack level of the code that called tagfield, for a warning that is raised where this is called."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("tagfield."):
        frame, level = frame.f_back, level + 1
    return level
