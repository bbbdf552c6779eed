"""Model: a CRF that is trained, tags words, text and attributes, and is saved to a file.

    data ─▶ train ─▶ Model ─▶ its answers (labeller.py): tag · tag_words · tag_text · tag_arrow · marginals · spans · …
                       ├─▶ evaluate ─▶ Scores · reliability ─▶ Reliability
                       ├─▶ its weights (inspection.py): top_features · top_edges · pruned
                       └─▶ save ─▶ one safetensors file ─▶ load (every bound checked) ─▶ Model

A model is immutable, so threads can share it. Each call has its own workspace, and the kernels release the GIL.
"""

import os
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any, Self

from tagfield.data.corpus import Corpus, is_corpus
from tagfield.data.dataset import Floats
from tagfield.data.encode import Encoded, encode_files, encode_words
from tagfield.data.text.sources import PathLike
from tagfield.data.text.templates.template import Template
from tagfield.errors import InputError
from tagfield.evaluate import ChunkScorer, Scores
from tagfield.evaluate.reliability import Reliability
from tagfield.model import inspection
from tagfield.model.arrow import ArrowTagger, Options
from tagfield.model.file import from_tensors, to_tensors
from tagfield.model.formats import read_bytes, read_parts, write
from tagfield.model.info import info_of_stream, info_of_training
from tagfield.model.labeller import Labeller
from tagfield.model.reader import caller_depth, paths_of
from tagfield.model.reliability import reliability_of
from tagfield.system.html import facts, some
from tagfield.train import Settings, Trained, train
from tagfield.train.loop.driver import WINDOW
from tagfield.train.loop.ending import scaled
from tagfield.train.loop.history import OnEpoch
from tagfield.train.loop.streaming import Stream
from tagfield.train.progress import show_progress
from tagfield.train.recipes.settings import settings_from
from tagfield.weights.layout import FeatureSet, Weights


@dataclass(frozen=True, eq=False)
class Model(Labeller):
    """A trained CRF.

    >>> sentences = [["Anna", "sleeps"], ["Ben", "sings"]]
    >>> model = Model.train_words(sentences, [["NAME", "VERB"], ["NAME", "VERB"]], settings=Settings("lbfgs", c2=0.1))
    >>> model.tag_words([["Anna", "sings"]])
    [['NAME', 'VERB']]
    >>> print(model.tag_text("Ben sleeps"))
    Ben/NAME sleeps/VERB
    """

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

        Without a named recipe, training ends with pruning and a temperature (docs/faq.md, "Calibration and pruning").
        Encoded data keeps its ids, so attributes without a weight stay in the vocabulary; `without_spare_attributes`
        removes them.

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
            form: Any = {"format": "items"} if encoded.template is None else {"template": encoded.template}
            dev = encode_files(dev, **form, **_ids_of(encoded))
        settings = settings_from(settings)
        with show_progress(encoded, settings, dev=dev is not None, progress=progress, on_epoch=on_epoch) as report:
            made = cls.of(encoded, train(encoded, settings, dev=dev, on_epoch=report, window=window))
        return made if encoded is data else made.without_spare_attributes()

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
            held_out = encode_words(*dev, template=encoded.template, **_ids_of(encoded))
        made = cls.train(encoded, settings, dev=held_out, on_epoch=on_epoch, progress=progress)
        return made.without_spare_attributes()

    @classmethod
    def of(cls, encoded: Encoded | Corpus, trained: Trained) -> "Model":
        """The model of a training run, in its most compact form."""
        features, weights = trained.features.compact(trained.weights)
        info = info_of_training(encoded, trained, features)
        return cls(encoded.labels, trained.attributes, features, weights, encoded.template, info, edges=trained.edges)

    @classmethod
    def of_stream(cls, stream: Stream, settings: Settings, template: Template | None = None) -> "Model":
        """The model that a stream has learned so far, with the state it needs to continue."""
        learned = stream.learned(settings)
        weights = learned.weights if stream.temperature == 1 else scaled(learned.weights, 1 / stream.temperature)
        known = (stream.labels, learned.attributes, learned.features, weights)
        return cls(*known, template, info_of_stream(stream, settings), stream.state.copy(), learned.edges)

    def to_stream(self, settings: Settings) -> Stream:
        """A stream that continues from this model: from its optimiser's state if it has one, else from its weights.

        The temperature of the model is that of the stream: learning goes on with the weights before the division.
        """
        attributes, edges = self.attributes.copy(), None if self.edges is None else self.edges.copy()
        if self.stream is not None:
            stream = Stream.resumed(attributes, self.labels, settings, self.stream, edges)
        else:
            seen = int(self.info.get("sequences", 0))
            stream = Stream.after(attributes, self.labels, settings, *self.start, seen, edges)
        stream.temperature = self.temperature
        return stream

    @property
    def temperature(self) -> float:
        """What training divided the weights by, so that probabilities are calibrated; 1 if it did not."""
        return float(self.info.get("temperature", 1.0))

    @property
    def start(self) -> tuple[FeatureSet, Weights]:
        """Features and weights for training that continues from this model: the weights times the temperature."""
        weights = self.weights.single()
        return self.features, weights if self.temperature == 1 else scaled(weights, self.temperature)

    def evaluate(
        self,
        data: Encoded | Corpus | PathLike | Sequence[PathLike],
        *,
        scheme: str | None = None,
        rules: Any = None,
        threads: int = 1,
    ) -> Scores:
        """Score the model on files with labels, on encoded data, or on a packed corpus, which is read by windows.

        A label unknown to the model counts as an error. A corpus must have been packed with the model's template.

        scheme: What to count, as in `tagfield.evaluate.evaluate`; by default what the labels mark.
        rules: Constraints on the predicted labels, as in `decoder`.

        >>> X, y = [["Anna", "left"], ["It", "left"]], [["B-PER", "O"], ["O", "O"]]
        >>> model = Model.train_words(X, y)
        >>> model.evaluate(model.encode_words(X, y)).f1
        1.0
        """
        return reduce(add, (self._scores(part, scheme, rules, threads) for part in self.reader.labelled(data)))

    def _scores(self, encoded: Encoded, scheme: str | None, rules: Any, threads: int) -> Scores:
        decoder = self.decoder(encoded, rules=rules, threads=threads)
        return ChunkScorer(encoded.names.strings(), scheme).score(encoded.gold, decoder.best(), decoder.tokens)

    def reliability(
        self,
        data: Encoded | Corpus | PathLike | Sequence[PathLike],
        *,
        scheme: str | None = None,
        rules: Any = None,
        threads: int = 1,
    ) -> dict[str, Reliability]:
        """Claimed probabilities against how often they are right: of "tokens", and of "spans" where labels mark them.

        The arguments are those of `evaluate`.

        >>> X, y = [["Anna", "left"], ["It", "left"]], [["B-PER", "O"], ["O", "O"]]
        >>> model = Model.train_words(X, y)
        >>> found = model.reliability(model.encode_words(X, y))
        >>> sum(found["tokens"].count), sum(found["spans"].count)
        (4, 1)
        """
        found: dict[str, Reliability] = {}
        for encoded in self.reader.labelled(data):
            decoder = self.decoder(encoded, rules=rules, threads=threads)
            for name, part in reliability_of(decoder, encoded, self.label_names, scheme).items():
                found[name] = found[name] + part if name in found else part
        return found

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
        write(self, path, format)
        if format != "tagfield" and self.info.get("labels") is not None:
            warnings.warn(
                f"the labels are not strings, and a file of {format} holds only strings, such as {self.labels[0]!r}",
                stacklevel=caller_depth(),
            )

    @property
    def size(self) -> int:
        """The bytes of its arrays and metadata, which make up the file but for its padding."""
        tensors, metadata = to_tensors(self)
        return sum(int(array.nbytes) for array in tensors.values()) + sum(
            len(text.encode()) for text in metadata.values()
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Model":
        """Load a model file of tagfield, CRFsuite, CRF++ or Wapiti. Any other or damaged file raises ModelFileError.

        A file of up to 256 MB is copied into memory, and a larger one is memory-mapped: replace such a file while it is
        in use (`mv`, `Model.save`), but do not overwrite it in place (`cp`).
        """
        return cls(**vars(read_parts(path)))

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
        return cls(**vars(read_bytes(data)))

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

    # Its weights

    def top_features(self, count: int = 20) -> list[tuple[str, str, float]]:
        """The (attribute, label, weight) triples with the largest absolute weights."""
        return inspection.largest(self.weights.state, self.features.locate, (self.attributes, self.labels), count)

    def top_edges(self, count: int = 20) -> list[tuple[str, str, str, float]]:
        """The (edge attribute, previous label, label, weight) with the largest absolute weights.

        >>> from tagfield.native._text import Vocabulary
        >>> from tagfield.weights.layout import FeatureSet
        >>> features, weights = FeatureSet.from_triples(
        ...     0, 2, ([], [], []), ([], [], []), edge_attributes=1, edge_weights=([0, 0], [0, 1], [1, 1], [0.5, -2.0])
        ... )
        >>> model = Model(Vocabulary(["X", "Y"]), Vocabulary(), features, weights, edges=Vocabulary(["w=a"]))
        >>> model.top_edges(1)
        [('w=a', 'Y', 'Y', -2.0)]
        """
        if self.weights.edge is None or self.edges is None:
            return []
        names = (self.edges, self.labels, self.labels)
        return inspection.largest(self.weights.edge, self.features.locate_edges, names, count)

    def attribute_weights(self, attribute: int) -> Floats:
        """The weights of one attribute, one per label [L]; 0 where it has no feature."""
        return inspection.weights_of(self, attribute)

    def without_spare_attributes(self) -> Self:
        """The model without attributes whose every weight is 0, such as c1 leaves, as in CRFsuite.

        The command `train` and `CRF.fit` save this form. Data that is encoded for training keeps its ids, so it fits
        the model before, not after. A model that gives every pair a weight (features='all') stays as it is without c1.

        >>> from tagfield import encode_sequences
        >>> model = Model.train(encode_sequences([[["a"], ["b"]]], [["X", "Y"]]), Settings("lbfgs", c1=0.6))
        >>> len(model.attributes), len(model.without_spare_attributes().attributes)
        (2, 0)
        """
        return self.pruned() if inspection.has_spare(self) else self

    def pruned(self, threshold: float = 0.0) -> Self:
        """A copy without weights of absolute value ≤ `threshold`, and without attributes that have no weight left.

        >>> from tagfield import encode_sequences
        >>> model = Model.train(encode_sequences([[["a"], ["b"]]] * 9, [["X", "Y"]] * 9), Settings("lbfgs"))
        >>> len(model.attributes), len(model.pruned(100.0).attributes)
        (2, 0)
        """
        return replace(self, **inspection.pruned(self, threshold))

    def __reduce__(self) -> tuple[Any, ...]:
        return Model._assemble, to_tensors(self)

    @classmethod
    def _assemble(cls, tensors: dict[str, Any], metadata: dict[str, str]) -> "Model":
        return cls(**vars(from_tensors(tensors, metadata)))

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


def _ids_of(encoded: Encoded | Corpus) -> dict[str, Any]:
    """The vocabularies of encoded data, for held-out data in the same ids."""
    return {"attributes": encoded.attributes, "labels": encoded.labels, "edge_attributes": encoded.edges}
