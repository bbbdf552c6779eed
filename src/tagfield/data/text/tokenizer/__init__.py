"""Tokenizers: running text ─▶ sentences of tokens, as character offsets."""
