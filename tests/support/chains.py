"""Small labelled data for the estimator's tests, made from a seed."""

import numpy as np

from tagfield import CRF


def tagged(count: int, length: int = 8, seed: int = 0) -> tuple[list, list]:
    """Sequences of dicts as in sklearn-crfsuite's tutorial; chunk labels that the words mostly determine."""
    rng = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(count):
        tokens, labels, inside = [], [], ""
        for t in range(int(rng.integers(1, length + 1))):
            word = int(rng.integers(0, 12))
            kind = "ABO"[word % 3] if rng.random() < 0.97 else "O"
            label = "O" if kind == "O" else f"{'I' if inside == kind else 'B'}-{kind}"
            inside = kind
            tokens.append(
                {
                    "bias": 1.0,
                    "word": f"w{word}",
                    "class": {"mod7": f"{word % 7}"},
                    "even": word % 2 == 0,
                    "BOS": t == 0,
                }
            )
            labels.append(label)
        X.append(tokens)
        y.append(labels)
    return X, y


def three_crfs(X: list, y: list) -> list[CRF]:
    """Models with few weights, with every possible weight, and with weights of 0."""
    return [
        CRF(c2=0.1).fit(X, y),
        CRF("ap", all_possible_states=True, all_possible_transitions=True).fit(X, y),
        CRF(c1=0.2, c2=0.01).fit(X, y),
    ]
