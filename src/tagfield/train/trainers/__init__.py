"""Trainers: one file each; a trainer takes a Problem and changes its weights, a pass at a time."""
