"""Model: labels, attributes and weights. It tags sequences, computes probabilities, and is saved to a file.

    Encoded, Trained ─▶ Model ─▶ decoder (data, rules, known) ─▶ tag · marginals · n_best · spans · log_probability
                          └─▶ save ─▶ one safetensors file ─▶ load (mapped, every bound checked) ─▶ Model

A model is immutable, so threads can share it. Each call has its own workspace, and the kernels release the GIL.
"""

import os
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from tagfield import __version__
from tagfield._text import Vocabulary, label_lists
from tagfield.constraints import limits_for
from tagfield.dataset import Doubles, Floats
from tagfield.decoder import Decoder
from tagfield.encode import Encoded, Format, encode_files, encode_sequences
from tagfield.errors import InputError
from tagfield.evaluate import ChunkScorer, Scores
from tagfield.features import prune
from tagfield.layout import FeatureSet, Weights
from tagfield.model_file import Parts, from_tensors, load_parts, to_tensors
from tagfield.native import kernels
from tagfield.page import facts, some
from tagfield.progress import show_progress
from tagfield.spans import Span
from tagfield.storage import save_tensors
from tagfield.text.sources import PathLike
from tagfield.text.templates import Template
from tagfield.train import Settings, Trained, train
from tagfield.train.history import OnEpoch
from tagfield.train.streaming import Stream
from tagfield.train.trainer import State

Data: TypeAlias = Iterable[object] | Encoded
Known: TypeAlias = Iterable[Any] | None  # labels that you already know; see `Model.decoder`


@dataclass(frozen=True)
class Model:
    """A trained CRF.

    >>> X = [[["w=the"], ["w=dog"]], [["w=the"], ["w=cat"]]]
    >>> model = Model.train(encode_sequences(X, [["D", "N"], ["D", "N"]]), Settings(recipe="lbfgs", c2=0.1))
    >>> model.tag([[["w=the"], ["w=cow"]]])
    [['D', 'N']]
    """

    labels: Vocabulary
    attributes: Vocabulary
    features: FeatureSet
    weights: Weights
    template: Template | None = None
    info: dict[str, Any] = field(default_factory=dict)  # how it was trained
    stream: State | None = None  # the optimiser's state, if it learned from a stream

    @classmethod
    def train(
        cls,
        encoded: Encoded,
        settings: Settings | None = None,
        *,
        dev: Encoded | None = None,
        on_epoch: OnEpoch | None = None,
        progress: bool | None = None,
    ) -> "Model":
        """Train a model; see `tagfield.train.train`.

        progress: Show each epoch: True always, False never, None in notebooks and interactive sessions.
        """
        settings = settings or Settings()
        with show_progress(encoded, settings, dev=dev is not None, progress=progress, on_epoch=on_epoch) as told:
            return cls.of(encoded, train(encoded, settings, dev=dev, on_epoch=told))

    @classmethod
    def of(cls, encoded: Encoded, trained: Trained) -> "Model":
        """The model of a training run, in its most compact form."""
        features, weights = trained.features.compact(trained.weights)
        states, edges = features.counts
        last = trained.history[-1] if trained.history else None
        info = {
            "version": __version__,
            "settings": trained.settings.to_dict(),
            "trained_by": trained.settings.describe(),
            "sequences": len(encoded),
            "tokens": int(encoded.dataset.tokens[-1]),
            "state_features": states,
            "transition_features": edges,
            "epochs": len(trained.history),
            "objective": trained.best.objective if trained.history else None,
            "seconds": last.seconds if last else 0.0,
            "converged": trained.converged,
            "stop_reason": trained.stop_reason,
        }
        return cls(encoded.labels, trained.attributes, features, weights, encoded.template, info)

    @classmethod
    def of_stream(cls, stream: Stream, settings: Settings) -> "Model":
        """The model that a stream has learned so far, with the state it needs to continue."""
        attributes, features, weights = stream.learned(settings)
        info = {
            "version": __version__,
            "settings": settings.to_dict(),
            "trained_by": f"{settings.describe()}; in a stream",
            "sequences": int(stream.state.numbers["t"]),
        }
        return cls(stream.labels, attributes, features, weights, None, info, stream.state.copy())

    def to_stream(self, settings: Settings) -> Stream:
        """A stream that continues from this model: from its optimiser's state if it has one, else from its weights."""
        attributes = self.attributes.copy()
        if self.stream is not None:
            return Stream.resumed(attributes, self.labels, settings, self.stream)
        seen = int(self.info.get("sequences", 0))
        return Stream.after(attributes, self.labels, settings, self.features, self.weights, seen)

    @cached_property
    def field(self) -> kernels.Field:
        """The weights in the form that the kernels read."""
        return self.features.field(self.weights)

    # Tagging

    def encode(self, X: Iterable[object], y: Iterable[Iterable[str]] | None = None) -> Encoded:
        """Encode sequences of attribute lists or dicts with this model's vocabularies."""
        return encode_sequences(X, y, attributes=self.attributes, labels=self.labels)

    def encode_files(
        self, paths: PathLike | Iterable[PathLike], *, columns: str | None = None, format: Format | None = None
    ) -> Encoded:
        """Read and encode files with this model's template and vocabularies."""
        kind: Format = format or ("items" if self.template is None else "columns")
        return encode_files(
            paths,
            template=self.template if self.template is not None else "chunking",
            columns=columns,
            format=kind,
            attributes=self.attributes,
            labels=self.labels,
        )

    def decoder(
        self,
        X: Data,
        *,
        rules: Any = None,
        known: Known = None,
        called: Sequence[Hashable] | None = None,
        threads: int = 1,
    ) -> Decoder:
        """A decoder for some sequences; `tag` and the methods below use it.

        rules: Constraints on the labels: 'BIO', 'IOBES', 'BILOU', a matrix, a function, or Rules.
        known: Labels that you already know, one entry per sequence: None, a dict of position to label, or a list with
            one entry per token: None, a label, or a set of labels.
        called: The labels as `rules` and `known` write them, if they are not the model's strings.

        >>> model = Model.train(encode_sequences([[["a"], ["b"]]], [["X", "Y"]]), Settings("lbfgs"))
        >>> model.decoder([[["b"], ["a"]]]).best().tolist()
        [1, 0]
        """
        encoded = self._read(X)
        limits = None
        if rules is not None or known is not None:
            limits = limits_for(
                rules, known, encoded.dataset.tokens, self.labels.strings() if called is None else called
            )
        return Decoder(self.field, encoded, limits, threads=threads)

    def tag(self, X: Data, *, rules: Any = None, known: Known = None, threads: int = 1) -> list[list[str]]:
        """The best labels of each sequence; a token is a list of attributes, or a dict as in python-crfsuite.

        >>> model = Model.train(encode_sequences([[["a"], ["b"]]], [["X", "Y"]]), Settings("lbfgs"))
        >>> model.tag([[["a"], ["b"]]]), model.tag([[["a"], ["b"]]], known=[{0: "Y"}])
        ([['X', 'Y']], [['Y', 'Y']])
        """
        decoder = self.decoder(X, rules=rules, known=known, threads=threads)
        return label_lists(decoder.best(), tuple(self.labels.strings()), decoder.tokens)

    def marginals(self, X: Data, *, rules: Any = None, known: Known = None, threads: int = 1) -> list[Floats]:
        """P(y_t = y | x) as one array [positions, labels] for each sequence."""
        decoder = self.decoder(X, rules=rules, known=known, threads=threads)
        node = decoder.marginals()
        return [node[start:end] for start, end in pairwise(decoder.tokens.tolist())]

    def n_best(
        self, X: Data, count: int, *, rules: Any = None, known: Known = None, threads: int = 1
    ) -> list[list[tuple[list[str], float]]]:
        """The `count` most probable label sequences of each sequence, best first, with their probabilities.

        >>> model = Model.train(encode_sequences([[["a"], ["b"]]], [["X", "Y"]]), Settings("lbfgs"))
        >>> [paths] = model.n_best([[["a"], ["b"]]], 9)
        >>> paths[0][0], len(paths), round(sum(p for _, p in paths), 4)
        (['X', 'Y'], 4, 1.0)
        """
        found = self.decoder(X, rules=rules, known=known, threads=threads).n_best(count)
        names = self.labels.strings()
        return [[([names[i] for i in path], p) for path, p in paths] for paths in found]

    def spans(self, X: Data, *, rules: Any = None, known: Known = None, threads: int = 1) -> list[list[Span]]:
        """The chunks in the best labels of each sequence; a chunk's probability covers its type and both ends."""
        return self.decoder(X, rules=rules, known=known, threads=threads).spans(self.labels.strings())

    def log_probability(self, X: Data, y: Iterable[Iterable[str]], *, rules: Any = None, threads: int = 1) -> Doubles:
        """log p(y | x) of each sequence; −inf if y breaks the rules or contains a label unknown to the model.

        >>> model = Model.train(encode_sequences([[["a"]]], [["X"]]), Settings("lbfgs"))
        >>> model.log_probability([[["a"]]], [["X"]]).tolist()
        [0.0]
        """
        if isinstance(X, Encoded):
            ids = np.array([self.labels.find(label) for labels in y for label in labels], np.int32)
            if len(ids) != len(X.gold):
                raise InputError(f"X has {len(X.gold)} tokens, but y has {len(ids)} labels")
            encoded = replace(X, dataset=replace(X.dataset, labels=ids))
        else:
            encoded = self._read(X, y)
        return self.decoder(encoded, rules=rules, threads=threads).log_probability()

    def evaluate(self, encoded: Encoded, *, scheme: str | None = None, threads: int = 1) -> Scores:
        """Score the model against gold labels; a gold label unknown to the model counts as an error.

        scheme: What to count, as in `tagfield.evaluate.evaluate`; by default what the labels mark.
        """
        bare = encoded.dataset.first_unlabelled(encoded.gold)
        if bare is not None:
            raise InputError(f"{encoded.where(bare)}: the sequence has no labels to score against")
        if not _same(encoded.labels, self.labels):
            raise InputError("the data is not encoded with this model's labels; use model.encode or model.encode_files")
        decoder = self.decoder(encoded, threads=threads)
        return ChunkScorer(encoded.names.strings(), scheme).score(encoded.gold, decoder.best(), decoder.tokens)

    def _read(self, X: Data, y: Iterable[Iterable[str]] | None = None) -> Encoded:
        """X and y, encoded for scoring rather than for training."""
        if not isinstance(X, Encoded):
            return encode_sequences(X, y, attributes=self.attributes, labels=self.labels, gather=False)
        if not _same(X.attributes, self.attributes):
            raise InputError(
                "the data is not encoded with this model's attributes; use model.encode or model.encode_files"
            )
        return X

    # Files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the model as one safetensors file. A failed write leaves no partial file.

        >>> import tempfile
        >>> model = Model.train(encode_sequences([[["a"], ["b"]]], [["X", "Y"]]), Settings(epochs=2))
        >>> model.save(tempfile.mkdtemp() + "/tiny.tagfield")
        """
        save_tensors(path, *to_tensors(self._parts()))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Model":
        """Load a model file, memory-mapped. A truncated, corrupt or foreign file raises ModelFileError."""
        return cls(*load_parts(path))

    def __reduce__(self) -> tuple[Any, ...]:
        return Model._assemble, to_tensors(self._parts())

    @classmethod
    def _assemble(cls, tensors: dict[str, Any], metadata: dict[str, str]) -> "Model":
        return cls(*from_tensors(tensors, metadata))

    def _parts(self) -> Parts:
        return Parts(self.labels, self.attributes, self.features, self.weights, self.template, self.info, self.stream)

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
        rows += [("weights", f"{sum(self.features.counts):,} weights")]
        rows += [("template", self.template.name)] if self.template is not None else []
        return rows + [(name, str(self.info[key])) for key, name in known if key in self.info]

    # Weights

    def top_features(self, count: int = 20) -> list[tuple[str, str, float]]:
        """The (attribute, label, weight) triples with the largest absolute weights."""
        flat = self.weights.state.reshape(-1)
        count = min(count, flat.size)
        chosen = np.argpartition(-np.abs(flat), count - 1)[:count] if count else np.empty(0, np.int64)
        chosen = chosen[np.argsort(-np.abs(flat[chosen]), kind="stable")]
        chosen = chosen[flat[chosen] != 0]
        return [
            (self.attributes[a], self.labels[y], w)
            for a, y, w in zip(*(x.tolist() for x in (*self.features.locate(chosen), flat[chosen])), strict=True)
        ]

    def attribute_weights(self, attribute: int) -> Floats:
        """The weights of one attribute, one per label [L]; 0 where it has no feature."""
        return self.features.row(self.weights, attribute)

    def without_spare_attributes(self) -> "Model":
        """The model without attributes whose every weight is 0, such as c1 leaves, as in CRFsuite.

        The command `train` and `CRF.fit` save this form. Data that is encoded for training keeps its ids, so it fits
        the model before, not after. A model that gives every pair a weight (features='all') stays as it is without c1.

        >>> model = Model.train(encode_sequences([[["a"], ["b"]]], [["X", "Y"]]), Settings("lbfgs", c1=0.6))
        >>> len(model.attributes), len(model.without_spare_attributes().attributes)
        (2, 0)
        """
        alive, _ = self.features.locate(np.flatnonzero(self.weights.state))
        spare = len(np.unique(alive)) < len(self.attributes)
        sparse = self.features.kind == "observed" or self.info.get("settings", {}).get("c1", 0) > 0
        return self.pruned() if spare and sparse else self

    def pruned(self, threshold: float = 0.0) -> "Model":
        """A copy without weights of absolute value ≤ `threshold`, and without attributes that have no weight left.

        >>> model = Model.train(encode_sequences([[["a"], ["b"]]] * 9, [["X", "Y"]] * 9), Settings("lbfgs"))
        >>> len(model.attributes), len(model.pruned(100.0).attributes)
        (2, 0)
        """
        alive, features, weights = prune(self.features, self.weights, threshold)
        states, edges = features.counts
        info = {**self.info, "pruned": threshold, "state_features": states, "transition_features": edges}
        return Model(self.labels, self.attributes.subset(alive), features, weights, self.template, info)


def _same(one: Vocabulary, other: Vocabulary) -> bool:
    """Whether two vocabularies give every string the same id; takes milliseconds for two distinct objects."""
    if one is other or len(one) != len(other):
        return one is other
    (text, offsets), (other_text, other_offsets) = one.to_arrays(), other.to_arrays()
    return np.array_equal(offsets, other_offsets) and np.array_equal(text, other_text)
