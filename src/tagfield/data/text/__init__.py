"""Reading text: files of every format, and templates.

    sources.py    a path, a .gz or standard input ─▶ bytes;  the file and line of each sentence;  inputs.py: brat too
    detect.py     bytes ─▶ FileFormat, and the template that fits;  file_format.py: the table of formats
    readers/      bytes ─▶ Sentences and Documents (records.py);  reading.py: `read`
    writers/      Sentences and Documents ─▶ files;  writing.py: `write`
    schemes.py    chunks ⇄ labels such as B-PER;  spans.py: spans of characters ⇄ labels of tokens
    file_data.py  files of every format ─▶ Dataset;  template_rows.py: the cells that a template reads
    templates.py  what a Template is;  template_text.py reads one from text;  cells.py makes one in Python
    presets.py    the built-in templates, and the choice by name or path
    functions.py  w.lower.suffix3: the table of functions;  resources.py: gazetteers, clusters, regular expressions
    plan.py       Template ─▶ native encoder
    columns.py    CoNLL columns + Template ─▶ Dataset;  words.py: the same for sentences of words
    items.py      CRFsuite's item lines ⇄ Dataset
    demo/         corpora made from a seed

Parsing, template expansion and vocabularies are native (native/text); these files open, check and report.
"""
