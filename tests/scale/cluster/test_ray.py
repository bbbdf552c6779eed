"""A real cluster of two nodes on this machine: workers, and a whole node, are killed, and the bits stay the same.

One cluster serves all tests of this file, since starting one takes seconds.
"""

import os
import signal
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tagfield import Model
from tagfield.data.corpus import Corpus, pack
from tagfield.errors import InputError
from tagfield.scale.cluster import ClusterError, actors, tag, tag_dataset, train
from tagfield.scale.cluster.actors import Actors, Call, Hosted
from tagfield.scale.cluster.mixing import Scheme
from tagfield.scale.cluster.ray_workers import InStore, OnDiskShare, RayWorkers
from tagfield.scale.cluster.session import check_address
from tagfield.scale.cluster.training import run_on
from tagfield.scale.cluster.workers import LocalWorkers, Task, cut
from tagfield.train import Settings, Trained
from tagfield.train.problem.problem import Problem
from tests.support.strategies import encode, learnable

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning", "ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

ray = pytest.importorskip("ray")

ENCODED = encode(learnable(60))
SETTINGS = Settings.of("default", epochs=2)
FAST = {"health_check_initial_delay_ms": 500, "health_check_period_ms": 500, "health_check_failure_threshold": 2}
NODE = {"num_cpus": 3, "object_store_memory": 80 << 20}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A head node, with which this process is connected, and a node to lose."""
    from ray.cluster_utils import Cluster

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = Cluster()
        made.add_node(**NODE, include_dashboard=False, _system_config=FAST | {"health_check_timeout_ms": 5000})
        made.lost = made.add_node(**NODE)
        ray.init(address=made.address, log_to_driver=False, logging_level="CRITICAL")
    yield made
    ray.shutdown()
    made.shutdown()


class Disturbed(RayWorkers):
    """Workers that something happens to when its n-th call is on its way."""

    at, asked = 5, 0

    def disturb(self, call: Call) -> None: ...

    def submit(self, worker: int, method: str, *arguments: Any) -> Call:
        call = super().submit(worker, method, *arguments)
        self.asked += method != "hello"
        if self.asked == self.at and method != "hello":
            self.disturb(call)
        return call


class LosesAWorker(Disturbed):
    def disturb(self, call: Call) -> None:
        os.kill(self.processes[call.worker], signal.SIGKILL)


def posed(settings: Settings) -> tuple[Problem, Task, list[Any]]:
    problem = Problem.of(ENCODED, settings)
    task = Task(problem.features, problem.settings, len(ENCODED), ENCODED.labels)
    return problem, task, cut(problem.dataset, 3)


def bits(trained: Trained) -> bytes:
    return b"".join(array.tobytes() for array in trained.weights.arrays())


def alone(settings: Settings) -> bytes:
    """What workers in this process end with."""
    problem, task, parts = posed(settings)
    return bits(run_on(LocalWorkers(task, parts), problem, task, Scheme(4), ENCODED))


def with_workers(kind: type[RayWorkers], settings: Settings, **more: Any) -> bytes:
    problem, task, parts = posed(settings)
    with kind(ray, task, [InStore(ray.put(part)) for part in parts], 3) as workers:
        for name, value in more.items():
            setattr(workers, name, value)
        return bits(run_on(workers, problem, task, Scheme(4), ENCODED))


def test_a_worker_that_is_killed_changes_no_bit(cluster: Any) -> None:
    assert with_workers(LosesAWorker, SETTINGS) == alone(SETTINGS)


def test_the_number_of_workers_changes_no_bit(cluster: Any) -> None:
    settings = Settings.of("lbfgs", epochs=4)
    run = train(ENCODED, settings, address=None, workers=2, shares=3)
    assert bits(run) == alone(settings)


def test_a_corpus_on_disk_is_read_by_the_workers(cluster: Any, tmp_path: Path) -> None:
    lines = "".join(f"w{k % 7} {'AB'[k % 2]}\n" + "\n" * (k % 3 == 0) for k in range(60))
    (tmp_path / "a.txt").write_text(lines)
    pack(tmp_path / "a.txt", tmp_path / "corpus")
    corpus = Corpus.open(tmp_path / "corpus")
    problem = Problem.of(corpus.encoded(), SETTINGS)
    task = Task(problem.features, problem.settings, len(corpus), corpus.labels)
    middle, end = len(corpus) // 2, len(corpus)
    shares = [OnDiskShare(str(tmp_path / "corpus"), *ends) for ends in ((0, middle), (middle, end))]
    with RayWorkers(ray, task, shares, 1) as workers:
        found = run_on(workers, problem, task, Scheme(4), corpus)
    expected = run_on(LocalWorkers(task, cut(problem.dataset, 2)), problem, task, Scheme(4), corpus)
    assert bits(found) == bits(expected)


class Fragile(Hosted):
    def end(self) -> None:
        os._exit(1)

    def fail(self) -> None:
        raise InputError("nothing to read")

    def stumble(self) -> None:
        raise ZeroDivisionError("by zero")


def test_a_worker_that_ends_again_and_again_is_one_sentence(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actors, "TRIES", 2)
    with Actors(ray, Fragile, lambda worker: (), 1) as fragile:
        with pytest.raises(InputError, match=r"^nothing to read$"):
            fragile.result(fragile.submit(0, "fail"))
        with pytest.raises(ClusterError, match=r"worker 0 on .* failed: ZeroDivisionError: by zero"):
            fragile.result(fragile.submit(0, "stumble"))
        with pytest.raises(ClusterError, match=r"worker 0 on .* ended 2 times in the same call"):
            fragile.result(fragile.submit(0, "end"))


def test_the_address_of_a_cluster_is_known_as_one(cluster: Any) -> None:
    check_address(cluster.address)


def test_more_workers_than_cpus_is_one_sentence(cluster: Any) -> None:
    with pytest.raises(InputError, match=r"50 workers with 1 thread need 50 CPUs, but the cluster has \d+"):
        train(ENCODED, SETTINGS, address=None, workers=50, shares=50)
    with pytest.raises(InputError, match="Ray is connected already"):
        train(ENCODED, SETTINGS, address="local")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "m"
    words = [["Anna", "sleeps"], ["Ben", "sings"], ["Oslo", "sleeps"]]
    Model.train_words(words, [["B-PER", "O"], ["B-PER", "O"], ["B-LOC", "O"]]).save(path)
    return path


def test_sequences_are_tagged_in_order(cluster: Any, model: Path) -> None:
    words = [["Anna", "sings"], ["Oslo"], ["Ben", "sleeps"]] * 7
    assert list(tag(model, words, address=None, batch=2)) == Model.load(model).tag_words(words)


@pytest.mark.skipif(not hasattr(Model, "tag_arrow"), reason="this build of tagfield does not tag Arrow tables")
def test_a_dataset_is_tagged_by_blocks(cluster: Any, model: Path) -> None:
    data = ray.data.from_items([{"tokens": ["Anna", "sings"]}, {"tokens": ["Oslo"]}])
    rows = tag_dataset(data, model, "tokens", workers=1).take_all()
    assert sorted(list(row["labels"]) for row in rows) == [["B-LOC"], ["B-PER", "O"]]


def test_a_node_that_is_lost_changes_no_bit(cluster: Any) -> None:
    """The last test: the cluster is smaller afterwards."""

    class LosesANode(Disturbed):
        def disturb(self, call: Call) -> None:
            cluster.remove_node(cluster.lost, allow_graceful=False)

    assert with_workers(LosesANode, SETTINGS) == alone(SETTINGS)
    np.testing.assert_equal(sum(node["Alive"] for node in ray.nodes()), 1)
