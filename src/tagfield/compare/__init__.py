"""Compare recipes: train them with several seeds on all cores, test which differences are significant, write a report.

    Encoded ─▶ compare(plan) ─▶ DIR/results.jsonl ─▶ load_results ─▶ Results
                                                                       │
    write_report: page, tables, plots, share image, advice ◀───────────┘

    plan.py, compare.py, worker_process.py, progress.py     train the runs of a plan in parallel processes
    shared_data.py, results_file.py, results.py             the data that workers share; the results, written and read
    summary.py, significance.py, differences.py, advice.py  means over seeds, tests, what to use
    report.py, report_page.py, tables.py, plots.py          what you see
    tune_recipes.py                                         c2 and learning rate of each recipe, on held-out data
    paper_results.py, results_page.py, response_curves.py   the paper's figures, docs/results.md, its Figure 1

Only the command line and studies/ import this package.
"""
