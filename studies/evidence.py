"""The statistics behind the claims: paired differences with corrected p values, early leads, cost of an epoch.

Results ─▶ gains(pairs)   final scores: tokens, interval, two tests, Holm over the family ─▶ Gain
        ─▶ lead(…)        how early a recipe is ahead of another                           ─▶ Lead
        ─▶ cost(…)        seconds of an epoch, beside another recipe's                     ─▶ Cost
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from tagfield.compare.chunk_significance import ChunkDifference, compare_chunks
from tagfield.compare.results import Results, RunResult
from tagfield.compare.significance import LEVEL, Difference, compare_pair, holm, mean_interval, paired_t
from tagfield.compare.summary import LearningCurves, final_accuracy, first_reaching
from tagfield.data.dataset import Doubles, Longs

EARLY = 10  # the first epochs, where a faster recipe should be ahead


@dataclass(frozen=True)
class Place:
    """Where two recipes are compared: a study and a feature set."""

    study: str
    features: str


@dataclass(frozen=True)
class Gain:
    """The final test scores of one recipe compared with another's."""

    place: Place
    one: str
    other: str
    tokens: Difference
    chunks: ChunkDifference | None
    adjusted: float = 1.0  # p of the tokens, corrected for the family; the larger of the two tests
    adjusted_chunks: float = 1.0
    seeds: int = 1

    @property
    def verdict(self) -> str:
        """better, worse, or not significant, by tokens."""
        return _verdict(self.adjusted, self.tokens.tokens)

    @property
    def chunk_verdict(self) -> str:
        """The same by chunk F1; empty where labels mark no chunks."""
        return "" if self.chunks is None else _verdict(self.adjusted_chunks, self.chunks.points)


@dataclass(frozen=True)
class Lead:
    """How early a recipe is ahead of another, on the test part; curves are means over seeds."""

    place: Place
    one: str
    other: str
    on_top: int  # epochs in which its curve is the higher one
    epochs: int
    early: float  # tokens more right, in the mean over the first EARLY epochs
    low: float  # 95 % interval over seeds
    high: float
    p: float  # paired t test over seeds
    reached: tuple[int, float] | None  # the first epoch at the other's final accuracy, and the seconds until then
    own: tuple[int, float] | None  # when the other itself got there
    seeds: int = 1
    adjusted: float = 1.0

    @property
    def verdict(self) -> str:
        """ahead, behind, or not significant, over the first epochs."""
        return {"better": "ahead", "worse": "behind"}.get(found := _verdict(self.adjusted, self.early), found)


@dataclass(frozen=True)
class Cost:
    """CPU seconds of an epoch, without scoring, compared with plain SGD."""

    place: Place
    recipe: str
    seconds: float
    ratio: float
    low: float  # 95 % interval of the ratio, over seeds
    high: float


def gains(found: dict[str, Results], asked: Iterable[tuple[Place, str, str]]) -> list[Gain]:
    """Every pair that has runs, with p values corrected together: one family, one call."""
    rows = []
    for place, one, other in asked:
        if place.study not in found:
            continue
        results = found[place.study]
        a, b = (_good(results, name, place.features) for name in (one, other))
        errors = _stacked(a, "wrong"), _stacked(b, "wrong")
        if errors[0] is None or errors[1] is None:
            continue
        chunks = _stacked(a, "chunks"), _stacked(b, "chunks")
        difference = _tokens(Key(errors[0]), Key(errors[1]), results.data["test"]["tokens"])
        with_chunks = None if chunks[0] is None or chunks[1] is None else _chunks(Key(chunks[0]), Key(chunks[1]))
        rows.append(Gain(place, one, other, difference, with_chunks, seeds=max(len(a), len(b))))
    by_tokens = holm([row.tokens.p for row in rows])
    marked = [row for row in rows if row.chunks is not None]
    by_chunks = dict(zip(map(id, marked), holm([row.chunks.p for row in marked if row.chunks]), strict=True))
    return [
        replace(row, adjusted=p, adjusted_chunks=by_chunks.get(id(row), 1.0))
        for row, p in zip(rows, by_tokens, strict=True)
    ]


class Key:
    """An array as an argument of a cached function."""

    def __init__(self, array: Longs) -> None:
        self.array = array
        self._bytes = array.tobytes() + str(array.shape).encode()

    def __hash__(self) -> int:
        return hash(self._bytes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and self._bytes == other._bytes


@lru_cache(maxsize=1024)
def _tokens(one: Key, other: Key, tokens: int) -> Difference:
    return compare_pair(one.array, other.array, tokens)


@lru_cache(maxsize=1024)
def _chunks(one: Key, other: Key) -> ChunkDifference:
    return compare_chunks(one.array, other.array)


def leads(found: dict[str, Results], asked: Iterable[tuple[Place, str, str]]) -> list[Lead]:
    """Every pair that has runs, with p values corrected together."""
    rows = []
    for place, one, other in asked:
        if place.study in found and (row := _lead(found[place.study], place, one, other)) is not None:
            rows.append(row)
    return [replace(row, adjusted=p) for row, p in zip(rows, holm([row.p for row in rows]), strict=True)]


def _lead(results: Results, place: Place, one: str, other: str) -> Lead | None:
    a, b = (_good(results, name, place.features) for name in (one, other))
    if not a or len(a) != len(b):
        return None
    mine, theirs = LearningCurves.of(a), LearningCurves.of(b)
    tokens = results.data["test"]["tokens"]
    curves = np.stack([x.curve("test_accuracy") for x in a]), np.stack([x.curve("test_accuracy") for x in b])
    early = tokens * (curves[0] - curves[1])[:, :EARLY].mean(axis=1)  # [seeds]
    low, high = mean_interval(early)
    goal = final_accuracy(b)
    above = mine.mean["test_accuracy"] > theirs.mean["test_accuracy"]
    return Lead(
        place,
        one,
        other,
        int(above.sum()),
        len(above),
        float(early.mean()),
        low,
        high,
        paired_t(early) if len(a) > 1 else 1.0,
        first_reaching(mine, goal),
        first_reaching(theirs, goal),
        len(a),
    )


def costs(results: Results, study: str, features: str, base: str = "sgd") -> list[Cost]:
    """Seconds of an epoch after the first, which has the calibration in it; recipes by epochs only."""
    groups = results.groups()
    place = Place(study, features)
    own = _seconds([run for run in groups.get((base, features), []) if not run.failed])
    if not len(own):
        return []
    rows = []
    for (recipe, kind), runs in groups.items():
        if kind != features or runs[0].closing.get("rate") is None:
            continue
        seconds = _seconds([run for run in runs if not run.failed])
        if len(seconds) == len(own):
            ratios = seconds / own
            rows.append(Cost(place, recipe, float(seconds.mean()), float(ratios.mean()), *mean_interval(ratios)))
    return rows


def _seconds(runs: list[RunResult]) -> Doubles:
    """CPU seconds of an epoch of each run."""
    curves = [run.curve("seconds") for run in runs if len(run.epochs) > 1]
    return np.array([(curve[-1] - curve[0]) / (len(curve) - 1) for curve in curves])


def wrong_tokens(results: Results, recipe: str, features: str) -> Longs | None:
    """The wrong tokens of each run on each test sentence, [seeds, sentences]; None if there are no such runs."""
    return _stacked(_good(results, recipe, features), "wrong")


def _good(results: Results, recipe: str, features: str) -> list[RunResult]:
    return [run for run in results.groups().get((recipe, features), []) if not run.failed]


def _stacked(runs: list[RunResult], what: str) -> Longs | None:
    found = [getattr(run, what) for run in runs]
    return None if not found or any(each is None for each in found) else np.stack(found)


def _verdict(adjusted: float, by: float) -> str:
    if adjusted >= LEVEL:
        return "not significant"
    return "better" if by > 0 else "worse"
