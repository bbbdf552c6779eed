"""The article docs/paper.md: its studies, the verdicts on the paper's claims, its tables and figures.

    corpora ─▶ study_list ─▶ run_studies ─▶ build/paper/STUDY/results.jsonl ─▶ Findings
                                                                              │
              docs/paper.md: text by hand, parts between marks ◀─ article ◀─ claims, tables, figures

`python -m studies DATA -o FOLDER` runs it, and `make paper` does so with the project's folders. Each study is a
comparison in its own folder, and resumes if it was interrupted. All figures in the article are computed: if a study
changes, so does the article.
"""
