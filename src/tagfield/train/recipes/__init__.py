"""Recipes: what to train and how, as frozen records. An option is a field of one of them.

fields ─▶ recipe ─▶ stochastic, crfsuite_recipes ─▶ table (every named recipe) ─▶ settings
"""
