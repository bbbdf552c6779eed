"""Text in: files, columns, item lines and templates.

    sources.py    a path, a .gz or standard input ─▶ bytes
    templates.py  a template file ─▶ Template;  presets.py has those that come with the package
    columns.py    CoNLL columns + Template ─▶ packed arrays
    items.py      CRFsuite's item lines, read and written
    demo/         corpora made from a seed

Reading, expansion and interning are native (native/text); what is here opens, checks and names.
"""
