"""What a trainer works on: sentences in memory or on disk, their order, features, limits and class weights.

Encoded, or Corpus on disk ─▶ problem_of (on_disk.py) ─▶ Problem, with its Sentences ─▶ a trainer
"""
