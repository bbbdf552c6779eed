"""Weights: which exist (features), where each lives (layout, blocks), and their values."""
