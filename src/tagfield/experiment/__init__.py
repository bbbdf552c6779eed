"""Experiments: compare recipes, report the results, and the corpora to do it on. The library does not import this.

Encoded ─▶ compare(plan) ─▶ DIR/results.jsonl ─▶ load_results ─▶ summary · plots · page

demo/               synthetic corpora, generated from a seed
fetch.py            public corpora, downloaded and checked
response_curves.py  the curves of the paper's Figure 1
"""

from tagfield.experiment.compare import compare
from tagfield.experiment.plan import PAPER, Plan, Run
from tagfield.experiment.results import Results, RunResult, load_results
from tagfield.experiment.status import ComparisonStatus

__all__ = ["PAPER", "ComparisonStatus", "Plan", "Results", "Run", "RunResult", "compare", "load_results"]
