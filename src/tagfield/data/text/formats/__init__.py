"""File formats: one file for each, with its reader and its writer.

    columns.py    columns, -DOCSTART-, comments     json_file.py   JSON and JSON lines, in many dialects
    conllu.py     CoNLL-U and CoNLL-U Plus          brat.py        .txt beside .ann
    csv_tsv.py    tables with a header              docbin.py      spaCy's binary files
    plain.py      untokenised text, line by line    rows.py        Hugging Face rows, dicts

A reader is a generator over one Source, and its errors name the file and the line. A writer raises InputError if it
cannot hold tokens or labels as they are; ids, comments and further fields that it cannot hold are left out and counted.
"""
