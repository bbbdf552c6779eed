"""Encoders: files, item lines and sentences of words ─▶ Dataset, mostly in native code."""
