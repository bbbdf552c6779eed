"""The article docs/paper.md: its studies, the verdicts on the paper's claims, its tables and figures.

    corpora ─▶ studies ─▶ run_studies ─▶ build/paper/STUDY/results.jsonl ─▶ Findings
                                                                              │
              docs/paper.md: text by hand, parts between marks ◀─ page ◀─ claims, tables, figures

`python -m studies DATA -o FOLDER` runs it, and `make paper` does so with the project's folders. A
study is a comparison in a folder of its own: stopped and started again, it goes on where it was.
No figure of the article is typed: whoever changes a study gets another article.
"""
