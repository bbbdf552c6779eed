"""Trainers: one file for each algorithm. A trainer changes the weights of a Problem, one pass at a time."""
