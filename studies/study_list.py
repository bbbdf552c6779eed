"""The studies of the article: comparisons, each with a question, a plan and its own folder.

    Study(name, corpus, plan, tuned) ─▶ run: [tune on a held-out tenth ─▶] compare ─▶ Results

`table` and the three other corpora follow the paper (c2 = 1 for every recipe, calibrated rates). `strength` gives plain
SGD the same effective strength as the transformed recipes. The tuned studies choose c2 and rate for each recipe inside
the training part, and use the test part once.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from studies.corpora import Corpus
from tagfield.compare.compare import OnProgress, compare
from tagfield.compare.plan import PAPER, Plan, PlannedRun, runs_by_iteration
from tagfield.compare.results import Results
from tagfield.compare.results_file import RESULTS_FILE, Line, read_lines, without_unfinished_runs
from tagfield.compare.shared_data import fingerprint
from tagfield.compare.tune_recipes import FACTORS, STRENGTHS, Say, tune
from tagfield.train import RECIPES

TRANSFORMED = ("u1.g1", "u2.g1", "u2.g1p", "u2.g2", "u2.g3")
CHOSEN = ("sgd", "u1.g1", "u2.g1", "u2.g1p", "adaptive")  # those that are tuned: one sigmoid of each slope
KIN = tuple(name for name in ("newton", "sgdqn", "smd") if name in RECIPES)
# what stays linear: transitions; states; attributes that nearly every sentence has
KINDS = ("transitions=quadratic", "states=quadratic", "w.kind*=quadratic,w.length*=quadratic,w.shape*=quadratic")
BEYOND = 1.2  # c2 that the tuning tries past the ends of its grid, in the mean
# CPU seconds of an epoch on one core of a server: training, scoring the test part, scoring the training part
SECONDS = {
    "conll2000": (0.105, 0.01, 0.04),
    "wnut17": (0.045, 0.006, 0.01),
    "ewt_xpos": (0.46, 0.025, 0.1),
    "ingredients": (0.045, 0.004, 0.01),
}
SLOWER = {"adaptive": 1.4, "newton": 1.4, "sgdqn": 2.3, "smd": 5.0}  # than the mean of SGD and the paper's recipes
ITERATIONS = {"observed": 20.0, "all": 45.0}  # CPU seconds of L-BFGS on CoNLL-2000, until it converges


@dataclass(frozen=True)
class Study:
    """A comparison of recipes with a question."""

    name: str
    corpus: str
    question: str
    plan: Plan
    tuned: bool = False
    borrows: str = ""  # a study before this one; runs with the same settings are taken from it, bit for bit
    kinds: tuple[str, ...] = ()  # KIND=GENERATOR: u2.g1 with another generator for some features

    def run(
        self,
        corpus: Corpus,
        home: Path,
        workers: int | None = None,
        on_progress: OnProgress | None = None,
        say: Say = lambda _: None,
    ) -> Results:
        """Train the missing runs, and return all results."""
        train, test = corpus.read()
        folder, plan = home / self.name, self.full_plan
        if self.tuned:
            plan = tune(train, plan, folder, workers=workers, on_progress=on_progress, say=say)
        about = {"name": corpus.title, "template": corpus.template}
        known = same_runs(home / self.borrows, plan, fingerprint(train, test)) if self.borrows else []
        return compare(train, test, plan, folder, workers=workers, about=about, on_progress=on_progress, known=known)

    @property
    def full_plan(self) -> Plan:
        """The plan, with the runs of other generators."""
        if not self.kinds:
            return self.plan
        more = [
            PlannedRun("u2.g1", "all", seed, None, None, kind) for kind in self.kinds for seed in range(self.plan.seeds)
        ]
        return replace(self.plan, only=(*self.plan.runs(), *more))

    @property
    def seconds(self) -> float:
        """An estimate of its CPU time on the machine that SECONDS were measured on."""
        train, test, watched = SECONDS[self.corpus]
        runs = [run for run in self.full_plan.runs() if not runs_by_iteration(run.recipe)]
        if self.kinds:
            runs = [run for run in runs if run.generator is not None]
        elif self.borrows:
            runs = [run for run in runs if run.recipe in ("sgd", "u2.g1")]
        scoring = test + watched * ("train" in self.plan.scored)
        of_runs = self.plan.epochs * sum(train * SLOWER.get(run.recipe, 1.0) + scoring for run in runs)
        if self.tuned:
            cells = {(run.recipe, run.features) for run in runs}
            tried = self.plan.epochs * (len(STRENGTHS) + BEYOND + len(FACTORS))
            of_runs += tried * sum(0.9 * train * SLOWER.get(recipe, 1.0) + test / 2 for recipe, _ in cells)
        slow = [run for run in self.plan.runs() if runs_by_iteration(run.recipe) and self.plan.iterations > 100]
        return of_runs + sum(ITERATIONS[run.features] for run in slow)

    @property
    def command(self) -> str:
        """The command that runs this study alone."""
        return f'make paper PAPER_FLAGS="--only {self.name}"'


def same_runs(folder: Path, plan: Plan, data: str) -> list[Line]:
    """The lines of another study's runs that a plan would repeat: same data, settings and seed, so the same bits."""
    if not (folder / RESULTS_FILE).is_file():
        return []
    lines = without_unfinished_runs(read_lines(folder / RESULTS_FILE))
    theirs = Plan.from_dict(lines[0]["plan"])
    if lines[0]["data"]["fingerprint"] != data:
        return []
    keys = {run.key for run in plan.runs() if theirs.settings(run) == plan.settings(run)}
    return [line for line in lines if line.get("run") in keys and "error" not in line]


def studies(small: bool = False) -> list[Study]:
    """All studies, in the order in which they run; `small` for the built-in corpora.

    >>> [study.name for study in studies()][:3]
    ['table', 'strength', 'tuned-observed']
    >>> sum(study.seconds for study in studies()) / 2 < 45 * 60  # on two cores
    True
    """
    only_test = ("test",)
    paper = Plan(PAPER, ("observed", "all"), seeds=5, epochs=50)
    tuned = Plan(CHOSEN, ("observed",), seeds=5, epochs=50, scored=only_test)
    others = Plan(("sgd", "pa", *TRANSFORMED, "adaptive"), ("all",), seeds=5, epochs=20, scored=only_test)
    found = [
        Study("table", "conll2000", "What does the paper's own protocol give?", paper),
        Study(
            "strength",
            "conll2000",
            "What is left if plain SGD is regularised as little as the transformed recipes?",
            replace(paper, recipes=("sgd", *TRANSFORMED), c2=0.1, strength="effective", scored=only_test),
            borrows="table",
        ),
        Study("tuned-observed", "conll2000", "What is left if each recipe has its own c2 and rate?", tuned, tuned=True),
        Study("tuned-all", "conll2000", "The same on the large set.", replace(tuned, features=("all",)), tuned=True),
        Study(
            "kin",
            "conll2000",
            "How do the kin that the paper names compare, each with its own c2 and rate?",
            replace(tuned, recipes=("sgd", "u1.g1", "u2.g1", "adaptive", *KIN), features=("all",), epochs=10),
            tuned=True,
        ),
    ]
    for name in ("wnut17", "ingredients", "ewt_xpos"):
        slow = name == "ewt_xpos"
        plan = replace(others, epochs=12 if slow else 20, seeds=5 if slow else 10)
        chosen = replace(plan, recipes=tuple(each for each in CHOSEN if not slow or each != "u2.g1p"))
        found += [
            Study(name, name, "Does the paper's protocol give the same elsewhere?", plan),
            Study(f"{name}-tuned", name, "And if each recipe has its own c2 and rate?", chosen, tuned=True),
        ]
    found.append(
        Study(
            "kinds",
            "wnut17",
            "Does it help to transform only some kinds of features?",
            replace(others, recipes=("sgd", "u2.g1"), seeds=10),
            borrows="wnut17",
            kinds=KINDS,
        )
    )
    return [_shrunk(study) for study in found] if small else found


def _shrunk(study: Study) -> Study:
    plan = replace(study.plan, seeds=2, epochs=2, iterations=3)
    return replace(study, plan=plan, kinds=study.kinds and (*KINDS[:2], "s=quadratic"))


def settings_of(results: Results, recipe: str, features: str) -> Mapping[str, float | None]:
    """The c2 and rate that a recipe was trained with; the rate of the first seed.

    >>> from studies.corpora import built_in
    >>> import tempfile
    >>> study = Study("s", "conll2000", "", Plan(("sgd",), ("all",), seeds=1, epochs=1))
    >>> settings_of(study.run(built_in()["conll2000"], Path(tempfile.mkdtemp()), workers=0), "sgd", "all")["c2"]
    1.0
    """
    runs = [run for run in results.groups().get((recipe, features), []) if not run.failed]
    if not runs:
        return {"c2": None, "rate": None}
    return {"c2": runs[0].closing["c2"], "rate": runs[0].closing["rate"]}
