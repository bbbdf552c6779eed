"""Writers: Sentences or Documents ─▶ files, one file for each family of formats.

    words.py      columns and tables: a row for each token          json_text.py   text with spans, in several dialects
    conllu.py     CoNLL-U                                           brat.py        a.txt and a.ann
    json_words.py tokens and labels as JSON                         docbin.py      spaCy's binary files

What a format cannot hold without changing tokens or labels is an InputError. What else it cannot hold (ids, comments,
further fields) is left out and counted; data/text/writing.py has the table of what each one holds.
"""
