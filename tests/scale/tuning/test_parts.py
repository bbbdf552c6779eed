"""The parts of tuning: candidates, rounds, folds, statistics, the state file and the configuration."""

import json
import math
import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.cli.shared.training_options import FLAGS
from tagfield.data.encode import encode_sequences, encode_words
from tagfield.demo import addresses
from tagfield.errors import InputError
from tagfield.scale.tuning.candidates import SETTINGS, Candidate, candidates
from tagfield.scale.tuning.config import command, to_toml, train_options
from tagfield.scale.tuning.folds import deal, figure_for, run
from tagfield.scale.tuning.result import Row, Tuning
from tagfield.scale.tuning.rounds import plan, runs
from tagfield.scale.tuning.state import State, fingerprint
from tagfield.scale.tuning.statistics import difference, estimate
from tagfield.train import Settings

ABOUT = {"data": {"": "abc"}, "folds": 3, "seed": 0}


def test_every_candidate_can_be_trained_and_is_told_apart() -> None:
    every = candidates(["words", "names", "chunking"], seed=1)
    assert every[0] == Candidate({}, "words")
    assert len(every) == 3 * len(SETTINGS) == len({str(each) for each in every})
    assert {each.template for each in every[1:5]} == {"words", "names", "chunking"}
    for each in every:
        assert each.settings(seed=4).seed == 4
        assert set(train_options(each.options)) - {"algorithm"} <= {flag[2:] for flag in FLAGS.values()}
    assert every == candidates(["words", "names", "chunking"], seed=1) != candidates(["words", "names", "chunking"], 2)
    assert SETTINGS[0] == {}
    assert Candidate({}).settings() == Settings()


@given(st.integers(1, 300), st.integers(2, 12), st.integers(1, 80))
def test_rounds_stay_within_the_budget(budget: int, folds: int, there: int) -> None:
    if budget < min(2, there) * folds:
        with pytest.raises(InputError, match=f"budget must be at least .* got {budget}$"):
            plan(budget, folds, there)
        return
    rounds = plan(budget, folds, there)
    assert runs(rounds) <= budget
    assert rounds[0].candidates <= there
    assert rounds[-1].folds == folds
    assert [each.folds for each in rounds] == sorted({each.folds for each in rounds})
    assert [each.candidates for each in rounds] == sorted((each.candidates for each in rounds), reverse=True)
    assert rounds[-1].candidates >= min(2, there)
    more = plan(budget + 1, folds, there)
    assert more[0].candidates >= rounds[0].candidates


@given(st.integers(2, 60), st.integers(2, 9), st.integers(0, 5))
def test_folds_are_a_partition(sequences: int, folds: int, seed: int) -> None:
    if sequences < folds:
        with pytest.raises(InputError, match=f"{sequences} sequences are too few for {folds} folds"):
            deal(sequences, folds, seed)
        return
    dealt = deal(sequences, folds, seed)
    assert sorted(np.concatenate(dealt).tolist()) == list(range(sequences))
    assert max(map(len, dealt)) - min(map(len, dealt)) <= 1


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_every_candidate_can_be_scored(options: dict) -> None:
    """Also one that leaves out rare attributes, so that the held-out fold has attributes without an id."""
    made = addresses(seed=1, train=60, test=1).train
    encoded = encode_words([[row[0] for row in s] for s in made], [[row[-1] for row in s] for s in made])
    assert 5 < run(encoded, deal(60, 3, seed=0), 1, Candidate(options).settings()) <= 100


def test_a_run_never_sees_the_fold_that_it_scores() -> None:
    """Each sequence has a word of its own, with a label that nothing but this word tells."""
    rng = np.random.default_rng(0)
    X = [[[f"w{k}"]] for k in range(40)]
    y = [[f"L{rng.integers(4)}"] for _ in range(40)]
    encoded = encode_sequences(X, y)
    folds = deal(40, 4, seed=0)
    whole = run(encoded, [np.arange(40), np.arange(40)], 0, Settings())
    assert whole == 100.0  # where the held-out part is trained on
    assert max(run(encoded, folds, k, Settings()) for k in range(4)) < 80
    assert figure_for(encoded) == "accuracy"


def test_what_cannot_be_trained_has_no_figure() -> None:
    encoded = encode_sequences([[["a"], ["b"]]] * 4, [["X", "Y"]] * 4)
    assert math.isnan(run(encoded, deal(4, 2, 0), 0, Settings.of("sgd", rate=1e30)))


def test_the_error_of_a_difference_is_that_of_the_pairs() -> None:
    default = [70.0, 80.0, 90.0, 60.0]
    ahead = difference([each + 1 for each in default], default)
    assert (ahead.mean, ahead.error) == (1.0, 0.0)
    noisy = difference([71.0, 80.0, 93.0, 60.0], default)
    assert noisy.error == pytest.approx(np.std([1, 0, 3, 0], ddof=1) * math.sqrt(1 / 4 + 1 / 3))
    assert math.isnan(difference([1.0], [2.0]).error)
    assert math.isnan(estimate([]).mean)


def test_another_candidate_must_be_clearly_ahead() -> None:
    usual, other = Candidate({}), Candidate({"c2": 0.3})

    def chosen(*figures: float) -> Candidate:
        rows = [Row(usual, [80.0, 81.0, 82.0]), Row(other, list(figures))]
        return Tuning.of(rows, usual, "f1", 3, True).chosen.candidate

    assert chosen(81.0, 82.0, 83.0) == other
    assert chosen(84.0, 79.0, 81.0) == usual  # the mean is higher, by less than its error
    assert chosen(85.0, 85.0) == usual  # not on every fold
    assert chosen(math.nan, 99.0, 99.0) == usual


def test_the_state_comes_back_and_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "state"
    state = State.open(path, ABOUT, resume=False)
    state.add("default", 0, 81.25)
    state.add("default", 1, math.nan)
    again = State.open(path, ABOUT, resume=True)
    assert again.get("default", 0) == 81.25
    assert math.isnan(again.get("default", 1) or 0.0)
    assert again.get("default", 2) is None
    assert len(again.figures("default", 1)) == 1
    with pytest.raises(InputError, match=r"holds the runs of an earlier tuning; resume it, or delete the file$"):
        State.open(path, ABOUT, resume=False)
    with pytest.raises(InputError, match=r"is the state of a tuning with seed 0, not 1; delete it"):
        State.open(path, ABOUT | {"seed": 1}, resume=True)
    with pytest.raises(InputError, match=r"with other data; delete it"):
        State.open(path, ABOUT | {"data": {"": "abd"}}, resume=True)
    for text in ("", "[]", "{}", json.dumps(ABOUT | {"runs": {"default": 3}})):
        path.write_text(text)
        with pytest.raises(InputError, match="not the state of a tuning"):
            State.open(path, ABOUT, resume=True)
    again.delete()
    assert not path.exists()


def test_the_fingerprint_sees_tokens_attributes_and_labels() -> None:
    made = [
        encode_sequences(X, y)
        for X, y in (
            ([[["a"], ["b"]]], [["X", "Y"]]),
            ([[["a"], ["c"]]], [["X", "Y"]]),
            ([[["a"], ["b"]]], [["X", "X"]]),
            ([[["a"]], [["b"]]], [["X"], ["Y"]]),
        )
    ]
    assert len({fingerprint(each) for each in made}) == len(made)


def test_the_configuration_is_toml_and_the_command_says_the_same() -> None:
    options = {"recipe": "u2.g1", "average": True, "min_count": 2, "c2": 1e-05, "features": "all"}
    named = train_options(options, 'my "best" template.txt')
    read = tomllib.loads(to_toml(named, "one\ntwo"))
    assert read == {
        "train": {
            "algorithm": "u2.g1",
            "average": True,
            "min-count": 2,
            "c2": 1e-05,
            "features": "all",
            "template": 'my "best" template.txt',
        }
    }
    assert command({"average": False}, ["a b"]) == "tagfield train 'a b' -o model --no-average"


def test_a_fold_that_is_missing_does_not_shift_the_others() -> None:
    """Differences are taken fold by fold, so a stopped tuning must not pair fold 2 with fold 1."""
    state = State({})
    for fold, figure in ((0, 1.0), (2, 3.0)):
        state.add("a", fold, figure)
    assert state.figures("a", 3) == [1.0]
