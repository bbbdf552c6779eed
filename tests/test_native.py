"""Every build of the kernels that this machine runs gives the same results, and an unknown one is refused."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from tagfield.native import built_levels, supported_levels

SCRIPT = """
import json
import numpy as np
from tagfield.encode import encode_sequences
from tagfield.model import Model
from tagfield.native import kernels
from tagfield.train import RECIPES, Settings
from tagfield.train.options import Stochastic
from tests.support.chain_doors import best_path, log_partition, marginals

rng = np.random.default_rng(4)
words = [rng.integers(40, size=6).tolist() for _ in range(30)]
X = [[{f"w{w}": 1, f"v{w % 5}": 1.25, "n": 0.05 * w} for w in ws] for ws in words]
y = [[f"y{w % LABELS}" for w in ws] for ws in words]
encoded = encode_sequences(X, y)
found = {"module": kernels.__name__.rpartition("_")[2]}
for recipe in ("sgd", "u1.g1", "u2.g1", "u2.g2", "pa", "arow", "lbfgs"):
    for features in ("all", "observed"):
        options = {"rate": 0.05} if isinstance(RECIPES[recipe], Stochastic) else {}
        model = Model.train(encoded, Settings.of(recipe, features=features, epochs=3, **options))
        p = np.concatenate(model.marginals(X))
        numbers = [*p.ravel().tolist(), *model.log_probability(X, y).tolist(), model.info["objective"]]
        found[f"{recipe} {features}"] = numbers
s, tau = rng.uniform(-300, 300, (9, 11)), rng.uniform(-300, 300, (11, 11))
node, edge = marginals(s, tau)
score, path = best_path(s, tau)
found["lattice"] = [log_partition(s, tau), *node.ravel().tolist(), *edge.ravel().tolist(), score, *path.tolist()]
print(json.dumps(found))
"""


def run(level: str, script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "TAGFIELD_CPU": level},
        capture_output=True,
        text=True,
        check=False,
    )


LEVELS = built_levels()


@pytest.mark.skipif(
    len(LEVELS) < 2, reason="only one build of the kernels is installed; TAGFIELD_KERNELS=all builds all"
)
@pytest.mark.parametrize("labels", [3, 20, 33])  # of `observed`: one block, full rows of three, sparse rows
def test_all_levels_agree(labels: int) -> None:
    results = {}
    for level in LEVELS:
        done = run(level, SCRIPT.replace("LABELS", str(labels)))
        assert done.returncode == 0, done.stderr
        results[level] = json.loads(done.stdout)
        assert results[level].pop("module") == level
    base = results.pop(LEVELS[0])
    for level, found in results.items():
        assert found.keys() == base.keys()
        for name, numbers in found.items():
            np.testing.assert_allclose(
                numbers, base[name], rtol=1e-4, atol=1e-4, err_msg=f"{name}: {level} against {LEVELS[0]}"
            )


@pytest.mark.parametrize("level", ["avx9000", "AVX2", "none"])
def test_an_unknown_level_is_refused(level: str) -> None:
    done = run(level, "import tagfield.native")
    assert done.returncode != 0
    assert done.stderr.splitlines()[-1] == (
        f"tagfield.errors.InputError: this processor does not support TAGFIELD_CPU={level}; "
        f"choose one of {', '.join(supported_levels())}"
    )


def test_an_empty_choice_is_the_best_one() -> None:
    done = run("", "from tagfield.native import kernels; print(kernels.__name__)")
    assert done.stdout.strip() == f"tagfield._kernels_{LEVELS[-1]}"


ABSENT = """
import importlib.util
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name.endswith("_kernels_ABSENT") else real(name, *rest)
import tagfield.native
"""


def test_a_build_that_is_not_installed_is_refused_by_name() -> None:
    level = supported_levels()[0]
    done = run(level, ABSENT.replace("ABSENT", level))
    said = done.stderr.splitlines()[-1]
    if [level] == LEVELS:
        assert said.startswith("ImportError: no kernels for this processor")
    else:
        assert said == (
            f"tagfield.errors.InputError: the kernels of TAGFIELD_CPU={level} are not installed, "
            f"only {', '.join(name for name in LEVELS if name != level)}; "
            "build the others with TAGFIELD_KERNELS=all in the environment of pip install"
        )
