"""The names of python-crfsuite's module of this name."""

from tagfield.compat.pycrfsuite.dump import CRFsuiteDumpParser, ParsedDump

__all__ = ["CRFsuiteDumpParser", "ParsedDump"]
