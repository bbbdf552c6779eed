"""Data: what is read becomes a Dataset of packed arrays.

text/     files, templates, tokenizers: bytes and words in, sentences and attributes out
labels/   schemes (BIO, IOBES, …), the kinds of labels, chunks
corpus/   data that stays on disk
encode ─▶ Encoded: a Dataset and the names of its ids
"""
