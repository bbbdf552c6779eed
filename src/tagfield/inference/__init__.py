"""Inference: scores of a sentence in; best paths, probabilities of tokens, paths and spans out."""
