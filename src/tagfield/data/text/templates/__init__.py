"""Templates: how the cells of a token and its neighbours become attribute strings.

template.py    Template and Pattern           parsing.py    the text of a template file ─▶ Template
cells.py       the same as Python objects     presets.py    the built-in templates, by name
functions.py   w.lower.suffix3                resources.py  gazetteers, clusters, regular expressions
fitting.py     the template that fits a file  plan.py       Template ─▶ native encoder
wapiti/        Wapiti's patterns
"""
