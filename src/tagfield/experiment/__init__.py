"""The comparison of recipes: runs, summary, figures, page.

Encoded ─▶ compare(plan) ─▶ DIR/results.jsonl ─▶ load_results ─▶ summary · figures · page
"""

from tagfield.experiment.compare import compare
from tagfield.experiment.plan import PAPER, Plan, Run
from tagfield.experiment.progress import Progress
from tagfield.experiment.results import Results, RunResult, load_results

__all__ = ["PAPER", "Plan", "Progress", "Results", "Run", "RunResult", "compare", "load_results"]
