"""The verdicts on made-up results: each claim where it is true, and where it is not."""

from dataclasses import replace

import pytest

from studies import accuracy_claims, other_claims, speed_claims
from studies.claims import FAILS, HOLDS, PART, UNSHOWN, UNTESTED, Question, claims
from studies.epoch_measures import EpochMeasures
from studies.run_studies import Findings
from studies.sensitivity import cells
from studies.study_list import CHOSEN, KIN, TRANSFORMED
from tagfield.compare.paper_results import PAPER_ACCURACY, SIZES, WEIGHTS
from tagfield.compare.plan import PAPER
from tagfield.compare.results import Results
from tests.support.made_results import TOKENS, made_results

BOTH = ("observed", "all")
NONE = dict.fromkeys(TRANSFORMED, 0.0)
FAR = dict.fromkeys(TRANSFORMED, 60.0)


def table(gains: dict[str, float], **more: object) -> Findings:
    every = {"sgd": 0.0, "pa": -40.0, "lbfgs": 0.0, **NONE, **gains}
    return Findings({"table": made_results(every, BOTH, **more)})  # type: ignore[arg-type]


def verdict(question: Question, found: Findings) -> str:
    return question.answer(found).judged.verdict


def test_every_claim_names_a_test_that_is_here_and_a_study() -> None:
    from studies.run_studies import steps

    known = {step.name for step in steps()}
    for each in claims(Findings()):
        assert each.checked.endswith(f"test_claims.py::test_{each.name}")
        assert f"test_{each.name}" in globals()
        assert set(each.studies) <= known
        assert all(name in each.command for name in each.studies)
        assert each.judged.verdict == UNTESTED


def test_reproduced() -> None:
    assert verdict(accuracy_claims.reproduced, table({})) == UNTESTED
    assert verdict(accuracy_claims.reproduced, Findings({"table": papers(0.0)})) == HOLDS
    judged = accuracy_claims.reproduced.answer(Findings({"table": papers(0.5)})).judged
    assert judged.verdict == PART  # L-BFGS alone differs
    assert "14 of its 16" in judged.sentence


def papers(lbfgs: float) -> Results:
    """Results of the sizes of the paper's data, with its accuracies; those of L-BFGS may differ, in points."""
    results = made_results(dict.fromkeys(PAPER, 0.0), BOTH, chunk_gains={})
    data = {part: {"sentences": s, "tokens": t} for part, (s, t) in SIZES.items()}
    runs = []
    for run in results.runs:
        accuracy = PAPER_ACCURACY[run.run.recipe][run.run.features][0] + lbfgs * (run.run.recipe == "lbfgs")
        test = {"accuracy": accuracy / 100, "chunks": {"f1": 0.93}}
        runs.append(replace(run, closing={**run.closing, "weights": WEIGHTS[run.run.features], "test": test}))
    return replace(results, data=data, runs=runs)


def check_higher(question: Question, studies: list[str]) -> None:
    kinds = {"table": BOTH, "strength": BOTH, "tuned-observed": ("observed",)}

    def found(gains: dict[str, float]) -> Findings:
        every = {"sgd": 0.0, **gains}
        return Findings({name: made_results(every, kinds.get(name, ("all",)), chunk_gains={}) for name in studies})

    assert verdict(question, found(FAR)) == HOLDS
    assert verdict(question, found(NONE)) == UNSHOWN
    assert verdict(question, found({**NONE, "u1.g1": -60.0})) == FAILS
    judged = question.answer(found({**NONE, "u2.g1": 60.0})).judged
    assert judged.verdict == PART
    assert "U2\\*.G1 on" in judged.sentence
    assert f"{TOKENS:,}" in judged.table
    assert "+60" in judged.table


def test_higher_by_its_protocol() -> None:
    check_higher(accuracy_claims.higher_by_its_protocol, ["table"])


def test_higher_at_equal_strength() -> None:
    check_higher(accuracy_claims.higher_at_equal_strength, ["strength"])


def test_higher_when_tuned() -> None:
    check_higher(accuracy_claims.higher_when_tuned, ["tuned-observed", "tuned-all"])


def test_higher_elsewhere() -> None:
    check_higher(accuracy_claims.higher_elsewhere, ["wnut17", "ingredients", "ewt_xpos"])


def test_higher_elsewhere_when_tuned() -> None:
    check_higher(accuracy_claims.higher_elsewhere_when_tuned, ["wnut17-tuned", "ingredients-tuned", "ewt_xpos-tuned"])


def test_a_gain_that_only_some_sentences_show_is_not_shown() -> None:
    """Three tokens for every seed: sure for seeds, not for other sentences."""
    judged = accuracy_claims.higher_by_its_protocol.answer(table(dict.fromkeys(TRANSFORMED, 3.0))).judged
    assert judged.verdict == UNSHOWN
    assert "beyond that of the test sentences: 0." in judged.sentence


def test_chunks_are_judged_apart_from_tokens() -> None:
    every = {"sgd": 0.0, **FAR}
    found = Findings({"wnut17": made_results(every, chunk_gains=dict.fromkeys(TRANSFORMED, -60))})
    judged = accuracy_claims.higher_elsewhere.answer(found).judged
    assert judged.verdict == HOLDS
    assert "0 of 5 are really higher and 5 really lower" in judged.sentence


def test_u2_over_u1() -> None:
    assert verdict(accuracy_claims.u2_over_u1, table({"u2.g1": 60.0})) == HOLDS
    assert verdict(accuracy_claims.u2_over_u1, table({"u1.g1": 60.0})) == FAILS
    assert verdict(accuracy_claims.u2_over_u1, table({})) == UNSHOWN


def test_sigmoids_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accuracy_claims, "ALIKE", 0.3)
    assert verdict(accuracy_claims.sigmoids_alike, table({})) == HOLDS
    assert verdict(accuracy_claims.sigmoids_alike, table({"u2.g2": 60.0})) == FAILS
    monkeypatch.setattr(accuracy_claims, "ALIKE", 0.001)  # not significant, but the intervals are too wide to say alike
    assert verdict(accuracy_claims.sigmoids_alike, table({})) == FAILS


def test_sgd_is_the_strongest_baseline() -> None:
    question = accuracy_claims.sgd_is_the_strongest_baseline
    assert verdict(question, table({"pa": -60.0, "lbfgs": -60.0})) == HOLDS
    assert verdict(question, table({"pa": -60.0})) == PART
    assert verdict(question, table({"pa": 60.0, "lbfgs": 0.0})) == FAILS


def test_pa_overfits() -> None:
    lower = {"pa": -60.0}
    assert verdict(accuracy_claims.pa_overfits, table(lower, trained={"pa": 0.99})) == HOLDS
    assert verdict(accuracy_claims.pa_overfits, table(lower, trained={"pa": 0.9})) == FAILS
    assert verdict(accuracy_claims.pa_overfits, table({"pa": 0.0}, trained={"pa": 0.99})) == FAILS


def check_faster(question: Question, studies: list[str]) -> None:
    kinds = {"table": BOTH, "strength": BOTH, "tuned-observed": ("observed",)}

    def found(**leads: float) -> Findings:
        every = {"sgd": 0.0, "u1.g1": 0.0, "u2.g1": 0.0}
        names = {name.replace("_", "."): lead for name, lead in leads.items()}
        return Findings({name: made_results(every, kinds.get(name, ("all",)), names) for name in studies})

    assert verdict(question, found(u1_g1=0.02, u2_g1=0.02)) == HOLDS
    assert verdict(question, found()) == UNSHOWN
    assert verdict(question, found(u1_g1=-0.02, u2_g1=-0.02)) == FAILS
    judged = question.answer(found(u1_g1=0.02, u2_g1=-0.02)).judged
    assert judged.verdict == PART
    assert "Really behind: U2\\*.G1 on" in judged.sentence


def test_faster_by_its_protocol() -> None:
    check_faster(speed_claims.faster_by_its_protocol, ["table"])


def test_faster_at_equal_strength() -> None:
    check_faster(speed_claims.faster_at_equal_strength, ["strength"])


def test_faster_when_tuned() -> None:
    check_faster(speed_claims.faster_when_tuned, ["tuned-observed", "tuned-all"])


def test_faster_elsewhere() -> None:
    check_faster(speed_claims.faster_elsewhere, ["wnut17", "ingredients", "ewt_xpos"])


def test_faster_elsewhere_when_tuned() -> None:
    check_faster(speed_claims.faster_elsewhere_when_tuned, ["wnut17-tuned", "ingredients-tuned", "ewt_xpos-tuned"])


def test_lbfgs_is_slow_and_catches_up() -> None:
    slow = table({"lbfgs": 5.0}, lengths={"lbfgs": 40}, leads={"lbfgs": -0.05})
    assert verdict(speed_claims.lbfgs_is_slow_and_catches_up, slow) == HOLDS
    assert verdict(speed_claims.lbfgs_is_slow_and_catches_up, table({"lbfgs": -60.0})) == FAILS


def test_an_epoch_costs_little_more() -> None:
    question = speed_claims.an_epoch_costs_little_more
    assert verdict(question, table({}, seconds=dict.fromkeys(TRANSFORMED, 1.4))) == HOLDS
    assert verdict(question, table({}, seconds=dict.fromkeys(TRANSFORMED, 3.0))) == FAILS
    judged = question.answer(table({}, seconds={"u2.g2": 3.0})).judged
    assert judged.verdict == PART
    assert "3.00 times (U2\\*.G2" in judged.sentence


def test_insensitive() -> None:
    def grid(spread: float) -> Findings:
        runs = {}
        for cell in cells():
            accuracy = 0.95 if cell.parameter is None else 0.96 + (spread if cell.parameter >= 1 else 0.0)
            runs[cell] = replace(made_results({"sgd": 0.0}).runs[0], epochs=[{"test_accuracy": accuracy}])
        return Findings(grid=runs)

    assert verdict(other_claims.insensitive, grid(0.0)) == HOLDS
    judged = other_claims.insensitive.answer(grid(0.01)).judged
    assert judged.verdict == PART  # α and β are above 1 throughout, ε is not
    assert "for 2 of 3 functions" in judged.sentence


def test_kin_beside_u1() -> None:
    every = dict.fromkeys((*CHOSEN, *KIN), 0.0)
    assert verdict(other_claims.kin_beside_u1, Findings({"kin": made_results(every)})) == HOLDS
    apart = dict.fromkeys(("adaptive", *KIN), 60.0)
    assert verdict(other_claims.kin_beside_u1, Findings({"kin": made_results({**every, **apart})})) == FAILS


def test_the_divergence_falls() -> None:
    def curves(*values: float) -> Findings:
        path = [EpochMeasures("u2.g1", e + 1, b, 0.1, 0.2, 0.9) for e, b in enumerate(values)]
        return Findings(curves={"sgd": path, "u2.g1": path})

    assert verdict(other_claims.the_divergence_falls, curves(3.0, 2.0, 1.0)) == HOLDS
    assert verdict(other_claims.the_divergence_falls, curves(1.0, 0.5, 2.0)) == FAILS
