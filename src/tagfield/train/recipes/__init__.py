"""Recipes: what is trained and how, as frozen records; an option is a field of one of them.

fields ─▶ recipe ─▶ stochastic, classic ─▶ table (every named recipe) ─▶ settings
"""
