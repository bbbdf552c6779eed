"""Wapiti's patterns: macros, regular expressions and pattern files, as Wapiti 1.5 reads them."""
