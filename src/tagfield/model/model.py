"""Model: labels, attributes and weights. It tags words, text and attributes, and is saved to a file.

    Encoded, Trained ─▶ Model ─▶ decoder (data, rules, known) ─▶ tag · marginals · n_best · spans · log_probability
                          ├─▶ tag_words (lists of words) · tag_text (running text ─▶ TaggedText) · tag_arrow (tables)
                          └─▶ save ─▶ one safetensors file ─▶ load (every bound checked) ─▶ Model

A model is immutable, so threads can share it. Each call has its own workspace, and the kernels release the GIL.
"""

import os
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from tagfield import __version__
from tagfield.data.corpus import Corpus, is_corpus
from tagfield.data.encode import Encoded, encode_files, encode_words
from tagfield.data.labels.rules import Starts, chunk_starts, find_scheme
from tagfield.data.text.sources import PathLike
from tagfield.data.text.templates.template import Template
from tagfield.errors import InputError
from tagfield.model.arrow import ArrowTagger, Options
from tagfield.model.file import Parts, from_tensors, to_tensors
from tagfield.model.formats import read_bytes, read_parts, write
from tagfield.model.inspection import Weighed, feature_counts
from tagfield.model.reading import caller_depth, paths_of
from tagfield.model.tagging import Tagging
from tagfield.native._text import Vocabulary
from tagfield.system.html import facts, some
from tagfield.train import Settings, Trained, train
from tagfield.train.loop.driver import WINDOW
from tagfield.train.loop.history import OnEpoch
from tagfield.train.loop.streaming import Stream
from tagfield.train.progress import show_progress
from tagfield.train.recipes.settings import settings_from
from tagfield.train.trainers.trainer import State
from tagfield.weights.layout import FeatureSet, Weights


@dataclass(frozen=True)
class Model(Tagging, Weighed):
    """A trained CRF.

    >>> sentences = [["Anna", "sleeps"], ["Ben", "sings"]]
    >>> model = Model.train_words(sentences, [["NAME", "VERB"], ["NAME", "VERB"]], settings=Settings("lbfgs", c2=0.1))
    >>> model.tag_words([["Anna", "sings"]])
    [['NAME', 'VERB']]
    >>> print(model.tag_text("Ben sleeps"))
    Ben/NAME sleeps/VERB
    """

    labels: Vocabulary
    attributes: Vocabulary
    features: FeatureSet
    weights: Weights
    template: Template | None = None
    info: dict[str, Any] = field(default_factory=dict)  # how it was trained
    stream: State | None = None  # the optimiser's state, if it learned from a stream
    edges: Vocabulary | None = None  # edge attributes: transitions that look at the input

    def __post_init__(self) -> None:
        for what, names, size in (
            ("labels", self.labels, self.features.labels),
            ("attributes", self.attributes, self.features.attributes),
            ("edge attributes", self.edges or (), self.features.edges),
        ):
            if len(names) != size:
                raise InputError(f"the model has {len(names)} {what}, but its features are those of {size}")
        self.field  # noqa: B018  refuses weights that do not fit, here rather than at the first call

    @classmethod
    def train(
        cls,
        data: Encoded | Corpus | PathLike | Sequence[PathLike],
        settings: Settings | str | None = None,
        *,
        template: Template | PathLike | None = None,
        dev: Encoded | PathLike | None = None,
        on_epoch: OnEpoch | None = None,
        progress: bool | None = None,
        window: str | float = WINDOW,
    ) -> "Model":
        """Train a model on encoded data, on files with labels, or on a corpus on disk.

        See `encode_files`, `tagfield.data.corpus.pack` and `tagfield.train.train`.

        settings: how to train, or the name of a recipe; by default `Settings()`
        template: for files: the name of a preset, the path of a template file, or a Template; by default a preset that
            fits the file
        dev: held-out data, scored after every epoch
        progress: show each epoch: True always, False never, None in notebooks and interactive sessions
        window: how much of a corpus on disk is in memory at a time; it does not change the model

        >>> from tagfield import encode_sequences
        >>> X = [[["w=the"], ["w=dog"]], [["w=the"], ["w=cat"]]]
        >>> model = Model.train(encode_sequences(X, [["D", "N"], ["D", "N"]]), Settings(recipe="lbfgs", c2=0.1))
        >>> model.tag([[["w=the"], ["w=cow"]]])
        [['D', 'N']]
        """
        if isinstance(data, list | tuple) and len(data) == 1 and not isinstance(data[0], list | tuple):
            data = data[0]
        if is_corpus(data):
            data = Corpus.open(data)  # type: ignore[arg-type]
        if template is not None and isinstance(data, Encoded | Corpus):
            raise InputError("the data is encoded already, so a template has no effect; give it to encode_files")
        encoded = data if isinstance(data, Encoded | Corpus) else encode_files(paths_of(data), template=template)
        if dev is not None and not isinstance(dev, Encoded):
            kind: dict[str, Any] = {"format": "items"} if encoded.template is None else {"template": encoded.template}
            kind |= {"attributes": encoded.attributes, "labels": encoded.labels, "edge_attributes": encoded.edges}
            dev = encode_files(dev, **kind)
        settings = settings_from(settings)
        with show_progress(encoded, settings, dev=dev is not None, progress=progress, on_epoch=on_epoch) as told:
            return cls.of(encoded, train(encoded, settings, dev=dev, on_epoch=told, window=window))

    @classmethod
    def train_words(
        cls,
        X: Iterable[object],
        y: Iterable[Iterable[str | None]],
        *,
        template: Template | PathLike | None = None,
        settings: Settings | str | None = None,
        dev: tuple[Iterable[object], Iterable[Iterable[str | None]]] | None = None,
        on_epoch: OnEpoch | None = None,
        progress: bool | None = None,
    ) -> "Model":
        """Train a model on lists of words; the template makes their features.

        X: sentences; a token is a word, or a tuple of strings for a template that reads several columns
        y: a label for each token
        template: the name of a preset (ner, pos, segmentation, …), the path of a template file, or a Template; by
            default the preset that fits the labels, as in `encode_words`
        dev: held-out sentences and their labels, scored after every epoch
        progress: as in `train`

        >>> model = Model.train_words([["to", "be"], ["or", "not"]], [["TO", "VB"], ["CC", "RB"]])
        >>> model.template.name
        'pos'
        """
        encoded = encode_words(X, y, template=template)
        held_out = None
        if dev is not None:
            if not isinstance(dev, tuple | list) or len(dev) != 2:
                raise InputError("dev must be a pair (X, y) of sentences and their labels")
            held_out = encode_words(
                *dev,
                template=encoded.template,
                attributes=encoded.attributes,
                labels=encoded.labels,
                edge_attributes=encoded.edges,
            )
        return cls.train(encoded, settings, dev=held_out, on_epoch=on_epoch, progress=progress)

    @classmethod
    def of(cls, encoded: Encoded | Corpus, trained: Trained) -> "Model":
        """The model of a training run, in its most compact form."""
        features, weights = trained.features.compact(trained.weights)
        last = trained.history[-1] if trained.history else None
        info = {
            "version": __version__,
            "settings": trained.settings.saved(),
            "trained_by": trained.describe(),
            "sequences": len(encoded),
            "tokens": encoded.tokens,
            **feature_counts(features),
            "epochs": len(trained.history),
            "objective": trained.best.objective if trained.history else None,
            "seconds": last.seconds if last else 0.0,
            "converged": trained.converged,
            "stop_reason": trained.stop_reason,
        }
        if trained.parts is not None:
            info["cluster"] = asdict(trained.parts)
        if find_scheme(_starts(encoded)) == "IOB1":
            info["scheme"] = "IOB1"  # constraints in BIO would forbid most of its chunks
        return cls(encoded.labels, trained.attributes, features, weights, encoded.template, info, edges=trained.edges)

    @classmethod
    def of_stream(cls, stream: Stream, settings: Settings, template: Template | None = None) -> "Model":
        """The model that a stream has learned so far, with the state it needs to continue."""
        learned = stream.learned(settings)
        info = {
            "version": __version__,
            "settings": settings.saved(),
            "trained_by": f"{settings.describe()}; in a stream",
            "sequences": int(stream.state.numbers["t"]),
        }
        known = (stream.labels, learned.attributes, learned.features, learned.weights)
        return cls(*known, template, info, stream.state.copy(), learned.edges)

    def to_stream(self, settings: Settings) -> Stream:
        """A stream that continues from this model: from its optimiser's state if it has one, else from its weights."""
        attributes, edges = self.attributes.copy(), None if self.edges is None else self.edges.copy()
        if self.stream is not None:
            return Stream.resumed(attributes, self.labels, settings, self.stream, edges)
        seen = int(self.info.get("sequences", 0))
        weights = self.weights.single()
        return Stream.after(attributes, self.labels, settings, self.features, weights, seen, edges)

    # Files

    def save(self, path: str | os.PathLike[str], format: str = "tagfield") -> None:
        """Save the model as one file. A failed write leaves no partial file.

        format: 'tagfield', a safetensors file with everything; 'crfsuite', a file for python-crfsuite and CRFsuite:
            labels, attributes and weights that are not 0, without the template and how the model was trained; 'crfpp',
            a text for `crf_learn -C`; or 'wapiti'. docs/formats.md says what each of them can hold; constraints and
            edge attributes that a format cannot hold raise InputError

        >>> import tempfile
        >>> from tagfield import encode_sequences
        >>> model = Model.train(encode_sequences([[["a"], ["b"]]], [["X", "Y"]]), Settings(epochs=2))
        >>> model.save(tempfile.mkdtemp() + "/tiny.tagfield")
        """
        if "unsaved_labels" in self.info:
            raise InputError(str(self.info["unsaved_labels"]))
        write(self._parts(), path, format)
        if format != "tagfield" and self.info.get("labels") is not None:
            warnings.warn(
                f"the labels are not strings, and a file of {format} holds only strings, such as {self.labels[0]!r}",
                stacklevel=caller_depth(),
            )

    @property
    def size(self) -> int:
        """The bytes of its arrays and metadata, which make up the file but for its padding."""
        tensors, metadata = to_tensors(self._parts())
        return sum(int(array.nbytes) for array in tensors.values()) + sum(
            len(text.encode()) for text in metadata.values()
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Model":
        """Load a model file of tagfield, CRFsuite, CRF++ or Wapiti. Any other or damaged file raises ModelFileError.

        A file of up to 256 MB is copied into memory, and a larger one is memory-mapped: replace such a file while it is
        in use (`mv`, `Model.save`), but do not overwrite it in place (`cp`).
        """
        return cls(*read_parts(path))

    @classmethod
    def load_bytes(cls, data: bytes | bytearray | memoryview) -> "Model":
        """Load a model from the bytes of its file.

        >>> import pathlib, tempfile
        >>> from tagfield import encode_sequences
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "tiny.crfsuite"
        >>> Model.train(encode_sequences([[["a"], ["b"]]], [["X", "Y"]]), "lbfgs").save(path, format="crfsuite")
        >>> Model.load_bytes(path.read_bytes()).tag([[["b"], ["a"]]])
        [['Y', 'X']]
        """
        return cls(*read_bytes(data))

    @classmethod
    def arrow_tagger(
        cls, model: "str | os.PathLike[str] | Model", column: str | Sequence[str] | None = None, **options: Any
    ) -> ArrowTagger:
        """A function that labels batches in other processes: Spark's mapInPandas and mapInArrow, Ray's map_batches.

        It takes DataFrames of pandas, tables and batches of pyarrow, dicts of arrays, and iterators of these. A process
        loads the model once.

        model: The path of a model file that every process can read, or a model, which is then sent along.
        column, options: As in `tag_arrow`.

        >>> import pandas as pd
        >>> tag = Model.arrow_tagger(Model.train_words([["Anna", "left"]], [["B-PER", "O"]]), probabilities=False)
        >>> [[span["text"] for span in spans] for spans in tag(pd.DataFrame({"text": ["Anna left"]}))["spans"]]
        [['Anna']]
        """
        return ArrowTagger.of(cls.load, model, Options.of(column=column, **options))

    def __reduce__(self) -> tuple[Any, ...]:
        return Model._assemble, to_tensors(self._parts())

    @classmethod
    def _assemble(cls, tensors: dict[str, Any], metadata: dict[str, str]) -> "Model":
        return cls(*from_tensors(tensors, metadata))

    def _parts(self) -> Parts:
        known = (self.labels, self.attributes, self.features, self.weights)
        return Parts(*known, self.template, self.info, self.stream, self.edges)

    # Notebooks

    def __repr__(self) -> str:
        by = str(self.info.get("trained_by", "")).partition(" · ")[0]
        return f"<Model: {', '.join(text for _, text in self._facts()[:3])}{by and f'; trained by {by}'}>"

    def _repr_html_(self) -> str:
        rows = self._facts()
        rows[0] = ("labels", f"{len(self.labels):,}: {some(self.labels)}")
        return facts("Model", rows)

    def _facts(self) -> list[tuple[str, str]]:
        """What there is to say about the model in a few words, as (name, text)."""
        known = (("trained_by", "trained by"), ("sequences", "sequences"), ("stop_reason", "ended"))
        rows = [("labels", f"{len(self.labels):,} labels"), ("attributes", f"{len(self.attributes):,} attributes")]
        rows += [("weights", f"{self.features.size:,} weights")]
        rows += [("edges", f"{len(self.edges):,} edge attributes")] if self.edges else []
        rows += [("template", self.template.name)] if self.template is not None else []
        return rows + [(name, str(self.info[key])) for key, name in known if key in self.info]


def _starts(encoded: Encoded | Corpus) -> Starts:
    """How the chunks of the training data begin."""
    if isinstance(encoded, Corpus):
        return Starts(*encoded.manifest.chunk_starts, -1, -1)
    return chunk_starts(encoded.dataset, encoded.labels.strings())
