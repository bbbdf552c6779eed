"""Types of the native kernels (native/kernel/bind/module.cpp); every build of them has the same."""

from collections.abc import Callable
from typing import overload

import numpy as np
from numpy.typing import NDArray

_Floats = NDArray[np.float32]
_Doubles = NDArray[np.float64]
_Ints = NDArray[np.int32]
_Longs = NDArray[np.int64]
_Mask = NDArray[np.uint8]

LANES: int
LARGEST: float
COMPILER: str

class Slots:
    """The slots of edge attributes, for a Corpus."""

    def __init__(
        self,
        slots: _Longs,
        occurrences: _Longs,
        attribute: _Ints,
        stop: _Ints,
        position: _Ints,
        value: _Floats | None = None,
    ) -> None: ...

class Corpus:
    sentences: int
    attributes: int
    edge_attributes: int
    classes: int
    complete: bool
    @overload
    def __init__(
        self,
        tokens: _Longs,
        slots: _Longs,
        occurrences: _Longs,
        attribute: _Ints,
        place: NDArray[np.uint16] | NDArray[np.uint32],
        value: _Floats | None,
        labels: _Ints,
        weight: _Doubles,
        edges: Slots | None = None,
        class_weight: _Doubles | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self,
        tokens: _Longs,
        slots: _Longs,
        occurrences: _Longs,
        attribute: _Ints,
        stop: _Ints,
        position: _Ints,
        value: _Floats | None,
        labels: _Ints,
        weight: _Doubles,
        edges: Slots | None = None,
        class_weight: _Doubles | None = None,
    ) -> None: ...

class Layout:
    blocks: int
    edge_blocks: int
    def __init__(
        self,
        attributes: int,
        labels: int,
        first: _Longs | None,
        column: NDArray[np.uint16] | None,
        edges: int = 0,
        edge_first: _Longs | None = None,
        edge_column: NDArray[np.uint16] | None = None,
    ) -> None: ...

class Field:
    """Where the weights live and what they are; views, nothing is copied."""

    state: _Floats
    transitions: _Floats
    edges: _Floats | None
    writable: bool
    def __init__(self, layout: Layout, state: _Floats, transitions: _Floats, edges: _Floats | None = None) -> None: ...

class Limits:
    """Which labels each token may have [T, L], and which label may follow which [L, L]; None where all may."""

    labels: _Mask | None
    follow: _Mask | None
    def __init__(self, labels: _Mask | None = None, follow: _Mask | None = None) -> None: ...

class Pass:
    rate: float
    decay: float
    constant: bool
    t: float
    scale: float
    averaging: bool
    summed_scale: float
    block: int
    threads: int
    least_work: float
    averaged: int
    cost: float
    preconditioner: str
    floor: float
    skip: int
    most: float
    mu: float
    memory: float
    streaming: bool
    observe_states: bool
    observe_edges: bool
    respond_edges: bool
    loss: float
    failed: int
    fallbacks: int
    minibatch: int
    mean: bool
    ends: bool
    steps: int
    def __init__(self) -> None: ...
    def set_response(
        self,
        cells: _Floats,
        tails: _Doubles,
        bits: int,
        odd: bool,
        low_linear: bool,
        low: float,
        high: float,
        logs: bool,
    ) -> None: ...
    def add_count_table(
        self, cells: _Floats, tails: _Doubles, bits: int, low_linear: bool, low: float, high: float
    ) -> None: ...
    def clear_response(self) -> None: ...
    def add_kind(self) -> None: ...
    def set_kinds(self, states: NDArray[np.uint8], transitions: int, edges: NDArray[np.uint8]) -> None: ...
    def set_exact(self, direction: Callable[[_Doubles, _Doubles], _Doubles]) -> None: ...
    def set_limits(self, limits: Limits) -> None: ...
    def respond(self, u: _Floats) -> _Floats: ...
    def run(
        self,
        corpus: Corpus,
        theta: Field,
        squares: Field | None,
        rest: Field | None,
        order: _Longs,
        velocity: Field | None = None,
    ) -> None: ...

def count_attributes(corpus: Corpus, attributes: int) -> _Longs: ...
def count_transitions(corpus: Corpus, labels: int) -> _Longs: ...
def observed_rows(
    corpus: Corpus, attributes: int, labels: int, minimum: int
) -> tuple[_Longs, NDArray[np.uint16], NDArray[np.uint8], int]: ...
def count_edges(corpus: Corpus, edges: int) -> _Longs: ...
def observed_edges(
    corpus: Corpus, edges: int, labels: int, minimum: int
) -> tuple[_Longs, NDArray[np.uint16], NDArray[np.uint8], int]: ...

# native/kernel/bind/decode.cpp
def scores(corpus: Corpus, field: Field, threads: int = 1) -> _Doubles: ...
def tag(corpus: Corpus, field: Field, limits: Limits | None = None, threads: int = 1) -> tuple[_Ints, _Doubles]: ...
def marginals(
    corpus: Corpus,
    field: Field,
    limits: Limits | None = None,
    nodes: bool = True,
    threads: int = 1,
    labels: _Ints | None = None,
) -> tuple[_Floats, _Doubles, _Doubles]: ...
def nbest(
    corpus: Corpus, field: Field, count: int, limits: Limits | None = None, threads: int = 1
) -> tuple[_Ints, _Doubles, _Longs]: ...
def transitions(corpus: Corpus, field: Field, sentence: int) -> _Doubles: ...
def log_messages(scores: _Doubles, trans: _Doubles) -> tuple[_Doubles, _Doubles, float]: ...

# native/kernel/bind/sequence.cpp
def sequence_decoder(field: Field) -> object: ...

# native/kernel/bind/passes.cpp
def squared_norm(array: _Floats) -> float: ...
def margin_pass(
    corpus: Corpus,
    theta: Field,
    rest: Field,
    order: _Longs,
    type: int,
    aggressiveness: float,
    cost_sensitive: bool,
    seen: float,
) -> tuple[float, float, int]: ...
def arow_pass(corpus: Corpus, mean: Field, spread: Field, order: _Longs, gamma: float) -> tuple[float, int]: ...

# native/kernel/bind/gradient.cpp
class FeatureRows:
    """The features of each attribute and edge attribute, for an optimiser."""

    def __init__(self, labels: int, first: _Longs, label: _Ints, edge_first: _Longs, edge_cell: _Longs) -> None: ...

class Packed:
    """A corpus as the lists that its gradient is summed from."""

    def __init__(self, corpus: Corpus, rows: FeatureRows) -> None: ...
    def add(
        self,
        x: _Doubles,
        trans: _Doubles,
        edge: _Doubles,
        gradient: _Doubles,
        grad_trans: _Doubles,
        grad_edge: _Doubles,
        limits: Limits | None = None,
        threads: int = 1,
        loss: float = 0.0,
    ) -> float: ...

BLOCK: int
_Pairs = list[tuple[_Doubles, _Doubles]]

def inner(a: _Doubles, b: _Doubles, threads: int = 1) -> float: ...
def scaled(x: _Doubles, by: float, out: _Doubles, threads: int = 1) -> float: ...
def point_products(x: _Doubles, gradient: _Doubles, c1: float, pairs: _Pairs, threads: int = 1) -> list[float]: ...
def make_pair(
    x: _Doubles, x_new: _Doubles, gradient: _Doubles, gradient_new: _Doubles, c1: float, pairs: _Pairs, threads: int = 1
) -> list[float]: ...
def direction(
    x: _Doubles,
    gradient: _Doubles,
    c1: float,
    pairs: _Pairs,
    of_slope: float,
    of_s: _Doubles,
    of_y: _Doubles,
    out: _Doubles,
    threads: int = 1,
) -> list[float]: ...
def along(
    x: _Doubles, gradient: _Doubles, direction: _Doubles, step: float, c1: float, out: _Doubles, threads: int = 1
) -> list[float]: ...
