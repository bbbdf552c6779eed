"""Model: labels, attributes and weights; it tags, gives marginals and probabilities, and is saved and loaded.

    Encoded, Trained ─▶ Model ─▶ save ─▶ one safetensors file ─▶ load (mapped, every bound checked) ─▶ Model

A model never changes once it is made. Threads share one: each call has its own workspace, and the kernels run
without the interpreter's lock.

The file holds, beside the metadata (template, settings, figures of the run, versions):

    state [B, 8] float32, trans [L, 8·NB] float32     first [A+1] int64, column [B] uint16 for sparse rows
    attribute_bytes, attribute_offsets, label_bytes, label_offsets
"""

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from tagfield import __version__
from tagfield._text import Vocabulary, label_lists
from tagfield.dataset import Doubles, Floats
from tagfield.encode import Encoded, Format, encode_files, encode_sequences
from tagfield.errors import InputError, ModelFileError, TagfieldError
from tagfield.evaluate import ChunkScorer, Scores
from tagfield.features import LANES, FeatureSet, Weights, absent
from tagfield.lattice import open_corpus
from tagfield.native import kernels
from tagfield.storage import load_tensors, save_tensors
from tagfield.text.sources import PathLike
from tagfield.text.templates import Template
from tagfield.train import Settings, Trained, train
from tagfield.train.progress import OnEpoch

FORMAT = "tagfield model 1"


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
    info: dict[str, Any] = field(default_factory=dict)  # how it came to be

    @classmethod
    def train(
        cls,
        encoded: Encoded,
        settings: Settings | None = None,
        *,
        dev: Encoded | None = None,
        on_epoch: OnEpoch | None = None,
    ) -> "Model":
        """Trains by a recipe; see `tagfield.train.train`."""
        return cls.of(encoded, train(encoded, settings, dev=dev, on_epoch=on_epoch))

    @classmethod
    def of(cls, encoded: Encoded, trained: Trained) -> "Model":
        """The model that a training run ended with, in its most compact form."""
        features, weights = trained.features.compact(trained.weights)
        states, edges = features.counts
        last = trained.history[-1] if trained.history else None
        info = {
            "version": __version__,
            "settings": trained.settings.to_dict(),
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

    # Tagging

    def encode(self, X: Iterable[object], y: Iterable[Iterable[str]] | None = None) -> Encoded:
        """Sequences of attribute lists or dicts, encoded with this model's vocabularies."""
        return encode_sequences(X, y, attributes=self.attributes, labels=self.labels)

    def encode_files(
        self,
        paths: PathLike | Iterable[PathLike],
        *,
        columns: str | None = None,
        format: Format | None = None,
    ) -> Encoded:
        """Files, encoded with this model's template and vocabularies."""
        kind: Format = format or ("items" if self.template is None else "columns")
        return encode_files(
            paths,
            template=self.template if self.template is not None else "chunking",
            columns=columns,
            format=kind,
            attributes=self.attributes,
            labels=self.labels,
        )

    def tag(self, X: Iterable[object] | Encoded, *, threads: int = 1) -> list[list[str]]:
        """The best label sequence for each sequence of attribute lists (or dicts, as in python-crfsuite)."""
        dataset = self._read(X).dataset
        corpus = open_corpus(dataset)
        ids = kernels.tag(corpus, self.features.layout, self.weights.state, self.weights.trans, threads)
        return label_lists(ids, tuple(self.labels.strings()), dataset.tokens)

    def marginals(self, X: Iterable[object] | Encoded, *, threads: int = 1) -> list[Floats]:
        """P(y_t = y | x) as one array [positions, labels] for each sequence."""
        encoded = self._read(X)
        corpus = open_corpus(encoded.dataset)
        node, _, _ = kernels.marginals(
            corpus, self.features.layout, self.weights.state, self.weights.trans, True, threads
        )
        return [node[start:end] for start, end in pairwise(encoded.dataset.tokens.tolist())]

    def log_probability(
        self, X: Iterable[object] | Encoded, y: Iterable[Iterable[str]], *, threads: int = 1
    ) -> Doubles:
        """log p(y | x) for each sequence; −inf where y has a label that the model does not know."""
        if isinstance(X, Encoded):
            ids = np.array([self.labels.find(label) for labels in y for label in labels], np.int32)
            if len(ids) != len(X.gold):
                raise InputError(f"there are {len(X.gold)} tokens but {len(ids)} labels")
            dataset = replace(X.dataset, labels=ids)
        else:
            dataset = self._read(X, y).dataset
        corpus = open_corpus(dataset)
        _, log_z, score = kernels.marginals(
            corpus, self.features.layout, self.weights.state, self.weights.trans, False, threads
        )
        return np.where(np.isnan(score), -np.inf, score - log_z)

    def evaluate(self, encoded: Encoded, *, threads: int = 1) -> Scores:
        """Scores against gold labels; one that the model does not know counts as an error."""
        if not encoded.labelled:
            bare = int(np.flatnonzero(encoded.gold < 0)[0])
            sentence = int(np.searchsorted(encoded.dataset.tokens, bare, side="right")) - 1
            raise InputError(f"{encoded.where(sentence)}: the sequence has no labels to score against")
        if not _same(encoded.labels, self.labels):
            raise InputError(
                "the data is encoded with other labels than the model's; encode it with the model"
            )
        corpus = open_corpus(self._known(encoded).dataset)
        ids = kernels.tag(corpus, self.features.layout, self.weights.state, self.weights.trans, threads)
        return ChunkScorer(encoded.names.strings()).score(encoded.gold, ids, encoded.dataset.tokens)

    def _read(self, X: Iterable[object] | Encoded, y: Iterable[Iterable[str]] | None = None) -> Encoded:
        """Data to be scored, not to be trained on."""
        if isinstance(X, Encoded):
            return self._known(X)
        return encode_sequences(X, y, attributes=self.attributes, labels=self.labels, gather=False)

    def _known(self, encoded: Encoded) -> Encoded:
        """The data as it is, if its ids are this model's."""
        if not _same(encoded.attributes, self.attributes):
            raise InputError(
                "the data is encoded with other attributes than the model's; encode it with the model"
            )
        return encoded

    # Files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes one safetensors file, whole or not at all.

        >>> import tempfile
        >>> model = Model.train(encode_sequences([[["a"], ["b"]]], [["X", "Y"]]), Settings(epochs=2))
        >>> model.save(tempfile.mkdtemp() + "/tiny.tagfield")
        """
        save_tensors(path, *self._parts())

    def _parts(self) -> tuple[dict[str, Any], dict[str, str]]:
        """Everything as arrays and text: what a file holds, and what a pickle carries."""
        attribute_bytes, attribute_offsets = self.attributes.to_arrays()
        label_bytes, label_offsets = self.labels.to_arrays()
        tensors: dict[str, Any] = {
            "state": self.weights.state,
            "trans": self.weights.trans,
            "attribute_bytes": attribute_bytes,
            "attribute_offsets": attribute_offsets,
            "label_bytes": label_bytes,
            "label_offsets": label_offsets,
        }
        if self.features.first is not None and self.features.column is not None:
            tensors |= {"first": self.features.first, "column": self.features.column}
        metadata = {"format": FORMAT, "features": self.features.kind, "info": json.dumps(self.info)}
        if self.template is not None:
            metadata["template"] = self.template.to_json()
        return tensors, metadata

    def __reduce__(self) -> tuple[Any, ...]:
        return Model._assemble, self._parts()

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Model":
        """Maps a model file. A truncated, corrupt or foreign file is a ModelFileError."""
        tensors, metadata = load_tensors(path)
        name = os.fspath(path)
        if metadata.get("format") != FORMAT:
            found = metadata.get("format", "a safetensors file of something else")
            raise ModelFileError(f"{name}: this is not a model that this version reads ({found})")
        try:
            return cls._assemble(tensors, metadata)
        except (TagfieldError, KeyError, TypeError, ValueError) as error:
            raise ModelFileError(f"{name}: the model is corrupt: {error}; train it again") from None

    @classmethod
    def _assemble(cls, tensors: dict[str, Any], metadata: dict[str, str]) -> "Model":
        attributes = Vocabulary.from_arrays(tensors["attribute_bytes"], tensors["attribute_offsets"])
        labels = Vocabulary.from_arrays(tensors["label_bytes"], tensors["label_offsets"])
        weights = Weights(tensors["state"], tensors["trans"])
        kind = metadata["features"]
        if kind not in ("observed", "all"):
            raise ValueError(f"there is no feature set {kind!r}")
        rows = -(-len(labels) // LANES)
        if weights.state.dtype != np.float32 or weights.trans.dtype != np.float32:
            raise ValueError("the weights are not float32")
        if weights.trans.shape != (len(labels), rows * LANES):
            raise ValueError(f"{len(labels)} labels do not fit transitions of shape {weights.trans.shape}")
        if not weights.finite():
            raise ValueError("a weight is not a finite number")
        if ("first" in tensors) != ("column" in tensors):
            raise ValueError("its sparse rows have first or column, not both")
        features = FeatureSet(
            "all" if kind == "all" else "observed",
            len(attributes),
            len(labels),
            tensors.get("first"),
            tensors.get("column"),
            weights,
        )
        if weights.state.shape != (features.layout.blocks, LANES):
            raise ValueError(f"the layout does not fit state weights of shape {weights.state.shape}")
        _check_padding(features)
        template = Template.from_json(metadata["template"]) if "template" in metadata else None
        info = json.loads(metadata["info"])
        if not isinstance(info, dict):
            raise ValueError("its information is not a record")
        return cls(labels, attributes, features, weights, template, info)

    def top_features(self, count: int = 20) -> list[tuple[str, str, float]]:
        """The (attribute, label, weight) triples with the largest weights by size."""
        flat = self.weights.state.reshape(-1)
        count = min(count, flat.size)
        chosen = np.argpartition(-np.abs(flat), count - 1)[:count] if count else np.empty(0, np.int64)
        chosen = chosen[np.argsort(-np.abs(flat[chosen]), kind="stable")]
        rows = self._rows(chosen // LANES)
        return [
            (self.attributes[int(a)], self.labels[int(b) * LANES + int(lane)], float(flat[i]))
            for i, (a, b), lane in zip(chosen, rows, chosen % LANES, strict=True)
            if flat[i] != 0
        ]

    def attribute_weights(self, attribute: int) -> Floats:
        """The weights of one attribute with every label [8·NB]; 0 where there is none."""
        features = self.features
        if features.first is None or features.column is None:
            per_row = features.blocks_per_row
            return self.weights.state[attribute * per_row : (attribute + 1) * per_row].reshape(-1)
        row = np.zeros((features.blocks_per_row, LANES), np.float32)
        start, end = features.first[attribute], features.first[attribute + 1]
        row[features.column[start:end]] = self.weights.state[start:end]
        return row.reshape(-1)

    def _rows(self, blocks: Any) -> Sequence[tuple[int, int]]:
        """(attribute, label block) of each block."""
        if self.features.first is None or self.features.column is None:
            per_row = self.features.blocks_per_row
            return [(int(k) // per_row, int(k) % per_row) for k in blocks]
        owners = np.searchsorted(self.features.first, blocks, side="right") - 1
        return [(int(a), int(self.features.column[k])) for a, k in zip(owners, blocks, strict=True)]


def _same(one: Vocabulary, other: Vocabulary) -> bool:
    """Whether two vocabularies give every string the same id; a few milliseconds where they are not one object."""
    if one is other or len(one) != len(other):
        return one is other
    (text, offsets), (other_text, other_offsets) = one.to_arrays(), other.to_arrays()
    return np.array_equal(offsets, other_offsets) and np.array_equal(text, other_text)


def _check_padding(features: FeatureSet) -> None:
    """Blocks are filled up with weights that belong to no label; they must be marked as no features."""
    used = features.labels % LANES
    if not used:
        return
    state, rows = features.zero.state, features.blocks_per_row
    last = state[rows - 1 :: rows] if features.column is None else state[features.column == rows - 1]
    if not (absent(last[:, used:]).all() and absent(features.zero.trans[:, features.labels :]).all()):
        raise ValueError("a weight belongs to no label")
