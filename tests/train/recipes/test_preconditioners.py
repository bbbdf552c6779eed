"""The preconditioners beside AdaGrad: passes against twins, Hessian times vector against enumeration, refusals."""

import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield import CRF, Corpus, pack
from tagfield.data.encode import encode_files
from tagfield.demo import addresses, write_columns
from tagfield.errors import InputError
from tagfield.inference.lattice import open_corpus
from tagfield.native import kernels
from tagfield.scale.cluster.training import check_recipe
from tagfield.train import RECIPES, Settings, train
from tagfield.train.problem.problem import Problem as Posed
from tagfield.train.recipes.preconditioners import MetaDescent, Newton, SgdQn
from tagfield.train.recipes.stochastic import Stochastic
from tagfield.weights.features import feature_set
from tagfield.weights.layout import Weights, absent
from tests.support.corpus import with_hidden
from tests.support.naive import Problem
from tests.support.naive_preconditioners import Newton as NewtonTwin
from tests.support.naive_preconditioners import SgdQn as SgdQnTwin
from tests.support.naive_preconditioners import Smd as SmdTwin
from tests.support.naive_preconditioners import hessian_times
from tests.support.passes import LABELS, PAPER, check_against_twin, naive_f
from tests.support.strategies import encode, learnable, problems, to_dense
from tests.support.tolerances import CURVATURE
from tests.support.trainers import made

NEW = ("newton", "sgdqn", "smd")
MEASURING = ("sgdqn", "smd")


@settings(max_examples=60, deadline=None)
@given(
    problems(labels=LABELS, edges=True),
    st.data(),
    st.sampled_from(PAPER),
    st.booleans(),
    st.booleans(),
    st.sampled_from([0.0, 0.5, 4.0]),
    st.sampled_from([1, 2, 8]),
    st.sampled_from([1, 2]),
)
def test_newton_follows_the_twin(
    problem: Problem,
    data: st.DataObject,
    name: str,
    averaging: bool,
    respond_edges: bool,
    decay: float,
    block: int,
    threads: int,
) -> None:
    both = {"respond_edges": respond_edges, "floor": 0.3, "block": block}
    told = {"preconditioner": "newton", "decay": decay, "averaging": averaging, "threads": threads}
    check_against_twin(problem, data, name, partial(NewtonTwin, **both), **told, **both)


@settings(max_examples=80, deadline=None)
@given(
    problems(labels=LABELS, edges=True),
    st.data(),
    st.sampled_from(PAPER),
    st.booleans(),
    st.booleans(),
    st.sampled_from([0.1, 0.5, 2.0]),
    st.sampled_from([1, 2, 3]),
    st.sampled_from([0.0, 2.0]),
)
def test_sgdqn_follows_the_twin(
    problem: Problem,
    data: st.DataObject,
    name: str,
    averaging: bool,
    respond_edges: bool,
    decay: float,
    skip: int,
    cost: float,
) -> None:
    both = {"respond_edges": respond_edges, "cost": cost, "skip": skip, "most": 5.0}
    told = {"preconditioner": "sgdqn", "decay": decay, "averaging": averaging}
    check_against_twin(problem, data, name, partial(SgdQnTwin, **both), CURVATURE, **told, **both)


@settings(max_examples=60, deadline=None)
@given(
    problems(labels=(1, 2, 3), edges=True),
    st.data(),
    st.sampled_from(["sgd", "u2.g1", "u1.g1"]),
    st.booleans(),
    st.sampled_from([0.0, 0.5]),
    st.sampled_from([0.1, 0.5]),
    st.sampled_from([1.0, 0.9, 0.0]),
    st.sampled_from([0.0, 1.0]),
)
def test_smd_follows_the_twin(
    problem: Problem,
    data: st.DataObject,
    name: str,
    averaging: bool,
    decay: float,
    mu: float,
    memory: float,
    cost: float,
) -> None:
    both, f = {"mu": mu, "memory": memory, "cost": cost}, naive_f(name)
    slope = None if name == "sgd" else lambda u: (f(u + 1e-6) - f(u - 1e-6)) / 2e-6
    told = {"preconditioner": "smd", "decay": decay, "averaging": averaging}
    check_against_twin(problem, data, name, partial(SmdTwin, **both, slope=slope), CURVATURE, **told, **both)


@settings(max_examples=60, deadline=None)
@given(problems(labels=(1, 2, 3, 4), edges=True, weighted=False, empty=False), st.data(), st.integers(0, 2**32 - 1))
def test_hessian_times_vector_is_the_covariance(problem: Problem, data: st.DataObject, seed: int) -> None:
    """With μ = 0, C = 0, λ = λ_t = 1 a step leaves v − (r + Hv), and takes r from θ."""
    corpus = open_corpus(encode(problem).dataset)
    features = feature_set(corpus, problem.attributes, problem.labels, "all", edge_attributes=problem.edge_attributes)
    rng, top = np.random.default_rng(seed), data.draw(st.sampled_from([0.1, 1.0, 5.0]))
    steep = data.draw(st.sampled_from([1e-6, 1.0, 1e3]))

    def drawn(size: float) -> Weights:
        return features.zero.map(
            lambda zero: np.where(absent(zero), zero, rng.normal(0, size, zero.shape)).astype(np.float32)
        )

    theta, velocity = drawn(top), drawn(steep)
    before, v = (to_dense(features, *each.arrays()).map(np.float64) for each in (theta, velocity))
    native = kernels.Pass()
    native.preconditioner, native.rate, native.decay, native.mu, native.memory = "smd", 1.0, 0.0, 0.0, 1.0
    gains = theta.map(np.ones_like)
    native.run(
        corpus, features.field(theta), features.field(gains), None, np.zeros(1, np.int64), features.field(velocity)
    )
    expected = hessian_times(problem, 0, before, v)
    r = before.map(np.subtract, to_dense(features, *theta.arrays()))
    left = v.map(np.subtract, to_dense(features, *velocity.arrays()))
    found = left.map(np.subtract, r)
    size = float(np.abs(v.flat()).max(initial=0.0)) * max(1, sum(len(token) for token in problem.sentences[0]))
    np.testing.assert_allclose(found.flat(), expected.flat(), atol=CURVATURE * max(size, 1e-3))


@pytest.mark.parametrize("name", NEW)
@pytest.mark.parametrize("response", ["sgd", "u2.g1", "ngd"])
def test_each_goes_with_any_response(name: str, response: str) -> None:
    rate = {"newton": 2.0, "sgdqn": 0.1, "smd": 0.02}[name]
    trained = train(encode(learnable(80)), Settings.of(response, metric=name, epochs=5, c2=0.01, rate=rate))
    assert trained.history[-1].loss < 0.8 * trained.history[0].loss
    assert str(trained.settings.recipe).endswith(f", {name}")


@pytest.mark.parametrize("name", NEW)
def test_the_same_bits_on_any_number_of_threads(name: str) -> None:
    found = {
        threads: train(
            encode(learnable(150)), Settings.of(name, rate=0.1, threads=threads, epochs=2, average=True)
        ).weights
        for threads in (1, 2, 3)
    }
    assert len({weights.state.tobytes() for weights in found.values()}) == 1


@pytest.mark.parametrize("name", MEASURING)
def test_the_objective_falls_with_unknown_labels_and_class_weights(name: str) -> None:
    encoded = encode(learnable(60))
    hidden = with_hidden(encoded, np.arange(0, len(encoded.dataset.labels), 3))
    for data, more in ((hidden, {}), (encoded, {"class_weight": np.array([0.5, 1.0, 2.0])})):
        trained = train(data, Settings.of(name, epochs=4), **more)
        assert trained.history[-1].objective < trained.history[0].objective


def remembered(passes: int, name: str, **options: Any) -> tuple[Posed, np.ndarray]:
    """A problem, and what each weight remembers after some passes over it."""
    trainer = made(encode(learnable(100)), Settings.of(name, **options))
    for _ in range(passes):
        trainer.run(np.arange(100))
    return trainer.problem, trainer.state().arrays["squares.state"]


def test_gains_of_smd_grow_where_steps_agree_and_fall_where_they_turn() -> None:
    assert remembered(3, "smd", rate=0.01, smd_mu=0.5, c2=0.01)[1].max() > 1.2
    assert remembered(3, "smd", rate=2.0, smd_mu=0.5, c2=0.01)[1].min() < 0.8


def test_curvature_shortens_the_steps_of_sgdqn() -> None:
    problem, seen = remembered(1, "sgdqn", rate=0.5, qn_skip=2)
    assert seen.min() == 0.0
    assert 0 < seen.max() <= 100 * 99 * problem.penalty_share * (1 + 1e-6)


@pytest.mark.parametrize("name", MEASURING)
def test_blocks_and_counts_are_refused(name: str) -> None:
    with pytest.raises(InputError, match=f"^block must be 1 with metric {name}, got 8: each step measures"):
        Settings.of(name, block=8)
    assert Settings.of(name, block=1).recipe.block == 1
    with pytest.raises(InputError, match=f"^metric {name} needs a direction that depends on u = E − Ẽ alone, and"):
        Settings.of("ngd", loss="U6", generator="arctan:1", metric=name)


@pytest.mark.parametrize("name", NEW)
def test_only_newton_streams_and_none_trains_on_a_cluster(name: str) -> None:
    crf = CRF("u2.g1", metric=name)
    if name == "newton":
        crf.partial_fit([[["a"], ["b"]]] * 20, [["X", "Y"]] * 20, classes=["X", "Y"])
        assert crf.predict([[["a"], ["b"]]]).tolist() == [["X", "Y"]]
    else:
        with pytest.raises(InputError, match=f"^partial_fit cannot use the metric {name}, which measures curvature"):
            crf.partial_fit([[["a"]]], [["X"]], classes=["X", "Y"])
    with pytest.raises(InputError, match=f"^{name} does not train on a cluster; use the metric adaptive or flat$"):
        check_recipe(RECIPES[name])


@pytest.mark.parametrize("name", NEW)
def test_a_corpus_on_disk_gives_the_same_bits(name: str, tmp_path: Path) -> None:
    with (tmp_path / "train.txt").open("w", encoding="utf-8") as file:
        write_columns(addresses(seed=1, train=40, test=0).train, file)
    pack(tmp_path / "train.txt", tmp_path / "corpus")
    told = Settings.of(name, epochs=2, rate=0.1, average=True)
    there = train(Corpus.open(tmp_path / "corpus"), told).weights
    here = train(encode_files(tmp_path / "train.txt"), told).weights
    assert here.state.tobytes() == there.state.tobytes()
    assert here.trans.tobytes() == there.trans.tobytes()


def test_sgdqn_needs_a_penalty() -> None:
    with pytest.raises(InputError, match=re.escape("metric sgdqn needs a c2 above 0: curvatures are bounded by")):
        Settings.of("sgdqn", c2=0.0)
    assert Settings.of("smd", c2=0.0).c2 == 0.0


def test_the_records_check_their_options() -> None:
    for make, message in (
        (lambda: Newton(0.0), "delta must be above 0, got 0"),
        (lambda: SgdQn(skip=0), "skip must be at least 1, got 0"),
        (lambda: SgdQn(bound=1.0), "bound must be above 1, got 1"),
        (lambda: MetaDescent(mu=-1.0), "mu must be ≥ 0, got -1"),
        (lambda: MetaDescent(memory=1.5), "memory must be at most 1, got 1.5"),
    ):
        with pytest.raises(InputError, match=re.escape(message)):
            make()
    assert Stochastic(RECIPES["sgd"].response, "smd").preconditioner == MetaDescent()  # type: ignore[arg-type]
    assert replace(RECIPES["u2.g1"], preconditioner=SgdQn(skip=3)).preconditioner == SgdQn(skip=3)
