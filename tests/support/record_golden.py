"""Writes tests/golden/weights.json anew for the build of the kernels that is in use: run it once for each.

    for level in base avx2 avx512; do TAGFIELD_CPU=$level python -m tests.support.record_golden; done

A change that is meant to change bits is the only reason to do so; its commit says which change, and why.
"""

import json

import numpy as np

from tests.train import test_golden


def main() -> None:
    for case in test_golden.CASES:
        trained = test_golden.trained_on(case)
        weights = test_golden.dense(trained)
        case["weights"][test_golden.LEVEL] = test_golden.digest(weights)
        case["passes"], case["objective"] = len(trained.history), trained.history[-1].objective
        case["norm"] = float(np.linalg.norm(weights.astype(np.float64)))
    lines = ",\n".join(map(json.dumps, test_golden.CASES))
    test_golden.RECORD.write_text(f'{{"cases": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
