"""The claims of the paper, quoted, each with a verdict that is computed from the results.

    Findings ─▶ a function for each claim ─▶ Claim: verdict, sentence with figures, table, command, tests

A verdict is one of five: holds, holds in part (the sentence says where), not shown (no significant difference), does
not hold, not tested (the study has not run). It depends only on the tests of evidence.py, not on numbers written here.
A claim tested by several protocols (the paper's, equal strength, tuned) appears once for each, so that readers see
which of them shows a gain.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from studies.evidence import Gain, Place
from studies.run_studies import Findings
from studies.wording import label, listed, signed, span, where

HOLDS, PART, UNSHOWN, FAILS, UNTESTED = "holds", "holds in part", "not shown", "does not hold", "not tested"
OVER_SENTENCES = (
    "approximate randomisation over sentences and a paired t test over seeds; both must be below 0.05 after Holm"
)
OVER_SEEDS = "paired t test over seeds, below 0.05 after Holm"


@dataclass(frozen=True)
class Judged:
    """The result of judging a claim."""

    verdict: str
    sentence: str  # with its figures
    table: str = ""  # Markdown


@dataclass(frozen=True)
class Claim:
    """A claim of the paper, with its verdict."""

    name: str  # a word, for links
    title: str
    words: str  # the paper's words
    judged: Judged
    studies: tuple[str, ...]  # that the verdict depends on
    test: str  # the statistical test behind it

    @property
    def checked(self) -> str:
        """The test of this project that checks the verdict on made-up results."""
        return f"tests/studies/test_claims.py::test_{self.name}"

    @property
    def command(self) -> str:
        """The command that computes it."""
        return f'make paper PAPER_FLAGS="--only {",".join(self.studies)}"'


Judge = Callable[[Findings], Judged]


@dataclass(frozen=True)
class Question:
    """A claim without its results yet."""

    name: str
    title: str
    words: str
    studies: tuple[str, ...]
    test: str
    judge: Judge

    def answer(self, found: Findings) -> Claim:
        """The claim with its verdict."""
        there = found.results.keys() | {name for name, each in self._others(found).items() if each}
        judged = self.judge(found) if there & set(self.studies) else Judged(UNTESTED, "The study has not run.")
        return Claim(self.name, self.title, self.words, judged, self.studies, self.test)

    @staticmethod
    def _others(found: Findings) -> dict[str, object]:
        return {"sensitivity": found.grid, "curves": found.curves, **found.extra}


def claim(title: str, words: str, studies: Sequence[str], test: str) -> Callable[[Judge], Question]:
    """Turn a function from Findings to Judged into a Question with the function's name."""
    return lambda judge: Question(judge.__name__, title, words, tuple(studies), test, judge)


def of_total(yes: int, total: int) -> str:
    """The verdict if a statement is true in some of the cases.

    >>> of_total(3, 3), of_total(1, 3), of_total(0, 3), of_total(0, 0)
    ('holds', 'holds in part', 'does not hold', 'not tested')
    """
    if not total:
        return UNTESTED
    return HOLDS if yes == total else PART if yes else FAILS


def of_tests(better: int, worse: int, total: int) -> str:
    """The verdict of tests that find better, worse or no difference.

    >>> of_tests(3, 0, 3), of_tests(1, 1, 3), of_tests(0, 0, 3), of_tests(0, 1, 3)
    ('holds', 'holds in part', 'not shown', 'does not hold')
    """
    return UNSHOWN if total and not better and not worse else of_total(better, total)


def places(studies: Sequence[str]) -> list[Place]:
    """The feature sets of some studies."""
    both = {"table": ("observed", "all"), "strength": ("observed", "all"), "tuned-observed": ("observed",)}
    return [Place(study, features) for study in studies for features in both.get(study, ("all",))]


def named(row: Gain) -> str:
    """A recipe and the place."""
    return f"{label(row.one)} on {where(row.place.study, row.place.features)}"


def gain_words(row: Gain) -> str:
    """A gain in words: tokens, of how many, and the interval."""
    found = row.tokens
    return f"{named(row)} {signed(found.tokens)} of {found.test_tokens:,} tokens ({span(found.low, found.high)})"


def extremes(rows: Sequence[Gain]) -> str:
    """The largest and the smallest gain."""
    if not rows:
        return ""
    most, least = (pick(rows, key=lambda row: row.tokens.points) for pick in (max, min))
    return f"They range from {gain_words(least)} to {gain_words(most)}." if len(rows) > 1 else f"{gain_words(most)}."


def told(rows: Sequence[Gain], verdict: str) -> list[Gain]:
    """The rows with this verdict."""
    return [row for row in rows if row.verdict == verdict]


def count_words(rows: Sequence[Gain], what: str = "differences") -> str:
    """How many are real, and in which direction."""
    better, worse = told(rows, "better"), told(rows, "worse")
    words = f"Real and positive: {len(better)} of {len(rows)} {what}"
    words += f" ({listed([named(row) for row in better])})" if 0 < len(better) < len(rows) else ""
    words += f"; real and negative: {len(worse)}"
    return words + (f" ({listed([named(row) for row in worse])})" if worse else "")


def claims(found: Findings) -> list[Claim]:
    """All claims, in the order of the article."""
    from studies import accuracy_claims, other_claims, speed_claims

    every = [*accuracy_claims.QUESTIONS, *speed_claims.QUESTIONS, *other_claims.QUESTIONS]
    return [question.answer(found) for question in every]
