"""Compatibility: tagfield under the names of scikit-learn (sklearn/) and python-crfsuite (pycrfsuite/)."""
