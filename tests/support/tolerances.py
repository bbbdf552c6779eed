"""Tolerances by name, each with its reason."""

EXACT = 0.0  # the same arithmetic in the same order
ALGEBRA = 1e-10  # two formulas for one float64 number
NUMERIC = 1e-6  # against finite differences or quadrature
TABLE = 1e-5  # what a response table promises, relative to the exact function
SINGLE = 2e-5  # one float32 lattice against float64
PASSES = 5e-4  # weights after some float32 passes with tabulated responses, against float64 with exact ones
OPTIMUM = 1e-4  # objectives of optimisers that stop by a rule
CURVATURE = 2e-3  # J·v by a central difference of float32 lattices, relative to the largest score of v
