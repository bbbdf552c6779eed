"""Reading text: files, columns, item lines and templates.

    sources.py    a path, a .gz or standard input ─▶ bytes;  the file and line of each sentence
    templates.py  a template file ─▶ Template;  presets.py: the built-in ones, and the choice by name or path
    columns.py    CoNLL columns + Template ─▶ Dataset
    items.py      CRFsuite's item lines ⇄ Dataset
    demo/         corpora made from a seed

Parsing, template expansion and vocabularies are native (native/text); these files open, check and report.
"""
