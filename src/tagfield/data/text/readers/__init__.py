"""Readers: the bytes of a file ─▶ Sentences or Documents, one file for each format.

    column_file.py   columns, -DOCSTART-, comments     jsonl.py, json_values.py   JSON in its many dialects
    conllu.py        CoNLL-U and CoNLL-U Plus          brat.py                    .txt beside .ann
    table.py         CSV and TSV with a header         docbin.py                  spaCy's binary files
    plain.py         untokenised text, line by line    rows.py                    Hugging Face rows, dicts

Every reader is a generator over one Source, and every error is an InputError that names the file and the line. Plain
column files and item files have native readers (columns.py and items.py in the folder above), which are much faster;
`column_file.py` reads the same columns as records, for conversions.
"""
