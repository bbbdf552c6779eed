"""Every answer of a random model, through every door, against the truth.

Case ─▶ Model.tag · marginals · n_best · spans · log_probability · explain      with edges, rules and known labels
     ─▶ Direct, CRF, Tagger, and files of tagfield, CRFsuite, CRF++ and Wapiti   where they can hold it
words ─▶ tag_words · tag_text · Arrow · the service                             tests/hunt/words.py
"""

import math
import warnings
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from tagfield import CRF, Model
from tagfield.errors import InputError
from tagfield.model.explain import explain
from tagfield.pycrfsuite import Tagger
from tests.hunt.cases import Case, Truth, drawn

SUM = 1e-12  # of what a score may be off, relative to its terms, in float64


class Wrong(AssertionError):
    """An answer that is not the truth."""


def check(ok: Any, what: str, *shown: Any) -> None:
    if not ok:
        raise Wrong(" · ".join([what, *map(repr, shown)]))


def round_of(seed: int) -> int:
    """All answers of one case; how many sequences there were."""
    case = drawn(seed)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ask(case)
    except InputError as error:
        largest = max((abs(score) for truth in case.truths() for score in truth.scores.values()), default=0)
        check("beyond ±1e9" in str(error) and case.size >= 1e8, "refused", str(error), largest)
    return len(case.tokens)


def ask(case: Case) -> None:
    truths, asked, X, model = case.truths(), case.asked, case.X, case.model
    labels(case, truths, model.tag(X, **asked), "Model.tag")
    encoded = model.encode(X, edges=case.edges)
    within = {"rules": case.rules, "known": case.known}
    labels(case, truths, model.tag(encoded, **within), "Model.tag, encoded")
    labels(case, truths, model.tag(encoded, **within, threads=2), "Model.tag, two threads")
    probabilities(case, truths, model.marginals(X, **asked), "Model.marginals")
    n_best(case, truths, model.n_best(X, 3, **asked), "Model.n_best", 3)
    n_best(case, truths, model.n_best(X, 10**4, **asked), "Model.n_best, all", 10**4)
    spans(case, truths)
    best = model.decoder(X, **asked).best_with_probabilities()
    for truth, path, (start, end) in zip(truths, best.path, pairwise(encoded.dataset.tokens), strict=True):
        near(case, path, truth.probability[tuple(best.labels[start:end].tolist())], "the best path's probability")
    log_probability(case, truths)
    explanations(case, truths)
    for name, door in doors(case):
        tag, sure = door
        labels(case, case.truths(limited=False), tag(X), name)
        probabilities(case, case.truths(limited=False), sure(X), name)


def near(case: Case, found: float, wanted: float, what: str) -> None:
    check(abs(found - wanted) <= case.tolerance, what, float(found), wanted)


def labels(case: Case, truths: list[Truth], found: list[list[str]], what: str) -> None:
    """The path is the best one, or ties with it but for rounding."""
    check(len(found) == len(truths), what, found)
    slack = (1e-4 if case.state.dtype == np.float32 else 1e-6) + SUM * case.size
    for truth, path in zip(truths, found, strict=True):
        ids = truth.ids(path)
        check(ids in truth.scores, f"{what}: a path that is not allowed", path)
        check(truth.scores[ids] >= truth.top - slack, f"{what}: not the best path", path, truth.scores[ids], truth.top)


def probabilities(case: Case, truths: list[Truth], found: list[Any], what: str) -> None:
    for truth, node, tokens in zip(truths, found, case.tokens, strict=True):
        wanted = truth.marginals(len(tokens))
        if isinstance(node, list):  # dicts, as CRF gives them
            node = np.array([[row[name] for name in case.names] for row in node]).reshape(wanted.shape)
        check(node.shape == wanted.shape, what, node.shape)
        off = np.abs(node - wanted).max(initial=0)
        check(off <= case.tolerance, f"{what}: probabilities", float(off), node.tolist(), wanted.tolist())


def n_best(case: Case, truths: list[Truth], found: list[Any], what: str, count: int) -> None:
    for truth, paths in zip(truths, found, strict=True):
        check(len(paths) == min(count, len(truth.scores)), f"{what}: how many", len(paths), len(truth.scores))
        check(len({tuple(path) for path, _ in paths}) == len(paths), f"{what}: twice the same", paths)
        ranked = sorted(truth.probability.values(), reverse=True)
        for (path, p), wanted in zip(paths, ranked, strict=False):
            near(case, p, truth.probability[truth.ids(path)], f"{what}: the probability of {path}")
            near(case, p, wanted, f"{what}: the order")


def spans(case: Case, truths: list[Truth]) -> None:
    model, X, asked = case.model, case.X, case.asked
    for truth, path, found in zip(truths, model.tag(X, **asked), model.spans(X, **asked), strict=True):
        for span in found:
            check(0 <= span.start < span.end <= len(path), "a span outside of its sequence", span)
            near(case, span.probability, truth.chunk(span.type, span.start, span.end), f"the span {span}")


def log_probability(case: Case, truths: list[Truth]) -> None:
    chosen = [next(iter(truth.scores)) for truth in truths]
    y = [[case.names[i] for i in path] for path in chosen]
    rules = {"edges": case.edges, "rules": case.rules}
    if case.known is None:
        found = case.model.log_probability(case.X, y, **rules)
        for p, truth, path in zip(found, truths, chosen, strict=True):
            near(case, math.exp(p), truth.probability[path], "Model.log_probability")
    unknown = [[*path[:-1], "nowhere"] if path else path for path in y]
    for p, path in zip(case.model.log_probability(case.X, unknown, **rules), unknown, strict=True):
        check(p == -np.inf or not path, "the probability of an unknown label", p)


def explanations(case: Case, truths: list[Truth]) -> None:
    for s, (truth, tokens) in enumerate(zip(truths, case.tokens, strict=True)):
        for t in range(len(tokens)):
            links, known = (None if each is None else each[s] for each in (case.edges, case.known))
            found = explain(
                case.model,
                case.X[s],
                t,
                rules=case.rules if case.rules is not None else False,
                edges=links,
                known=known,
            )
            y = case.names.index(found.label)
            near(case, found.probability, truth.marginals(len(tokens))[t, y], "explain: the probability")
            total = math.fsum(amount for _, amount in found.separates)
            slack = 1e-9 * max(1.0, case.size)
            check(abs(total - found.difference) <= slack, "explain: the terms do not add up", total, found.difference)
            best = max((score for path, score in truth.scores.items() if path[t] == y), default=-math.inf)
            others = max((score for path, score in truth.scores.items() if path[t] != y), default=None)
            check((others is None) == (found.runner_up is None), "explain: the runner-up", found.runner_up)
            if others is not None:
                room = 1e-4 + slack
                check(
                    abs(best - others - found.difference) <= room,
                    "explain: the difference",
                    best - others,
                    found.difference,
                )


Door = tuple[Callable[[Any], Any], Callable[[Any], Any]]


def doors(case: Case) -> Iterator[tuple[str, Door]]:
    """Other ways to the same labels and probabilities: of CRF and Tagger, and of files."""
    if case.edges is not None:
        with TemporaryDirectory() as folder:
            case.model.save(f"{folder}/model")
            read = Model.load(f"{folder}/model")
            check(read == case.model and hash(read) == hash(case.model), "the saved model is another")
        return
    with TemporaryDirectory() as folder:
        yield "Model.load", of_model(stored(case, folder, "tagfield"))
        crf = CRF.load(Path(folder, "tagfield"))
        yield "CRF.predict", (crf.predict, crf.predict_marginals)
        yield "CRF.predict_single", (each(crf.predict_single), each(crf.predict_marginals_single))
        if case.state.any() and len(case.names) > 1:
            stored(case, folder, "crfsuite")
            tagger = Tagger()
            with tagger.open(f"{folder}/crfsuite"):
                if set(tagger.labels()) == set(case.names):
                    yield "Tagger", of_tagger(tagger, case.names)


def stored(case: Case, folder: str, form: str) -> Model:
    case.model.save(f"{folder}/{form}", format=form)
    return Model.load(f"{folder}/{form}")


def of_model(model: Model) -> Door:
    return lambda X: model.tag(X, rules=False), lambda X: model.marginals(X, rules=False)


def each(one: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    return lambda X: [one(sequence) for sequence in X]


def of_tagger(tagger: Tagger, names: tuple[str, ...]) -> Door:
    def sure(xseq: Any) -> list[dict[str, float]]:
        tagger.set(xseq)
        return [{name: tagger.marginal(name, t) for name in names} for t in range(len(xseq))]

    return each(tagger.tag), each(sure)
