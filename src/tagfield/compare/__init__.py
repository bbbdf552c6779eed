"""Experiments: compare recipes, report the results, and the corpora to do it on. The library does not import this.

Encoded ─▶ compare(plan) ─▶ DIR/results.jsonl ─▶ load_results ─▶ summary · plots · page

demo/               synthetic corpora, generated from a seed
fetch.py            public corpora, downloaded and checked
response_curves.py  the curves of the paper's Figure 1

This file imports nothing, so that the synthetic corpora load without NumPy and the kernels.
"""
