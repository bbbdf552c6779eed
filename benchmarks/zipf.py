"""A synthetic corpus of any size: words by a Zipf law, tags by a hidden chain; for measuring how training scales.

python -m benchmarks.zipf 100_000_000 > big.txt

Words have ranks r with P(r) ~ 1/(r + 2.7), as in running text, so new words keep coming. The tag of a word depends on
its rank, the label on the tag and the label before, with some noise, so that there is something to learn.
"""

import sys

import numpy as np

WORDS, TAGS, SENTENCE, NOISE = 2_000_000, 40, 24, 0.03
LABELS = ("B-NP", "I-NP", "B-VP", "I-VP", "B-PP", "O")
BATCH = 20_000  # sentences that are drawn at a time


def batches(tokens: int, seed: int = 0):  # type: ignore[no-untyped-def]
    """Text of about `tokens` tokens, a few megabytes at a time."""
    rng = np.random.default_rng(seed)
    ranks = 1.0 / (np.arange(WORDS) + 2.7)
    steps = np.cumsum(ranks) / ranks.sum()
    follows = rng.integers(0, len(LABELS), (TAGS, len(LABELS)))  # label by tag and label before
    done = 0
    while done < tokens:
        lengths = rng.integers(SENTENCE // 2, 3 * SENTENCE // 2, BATCH)
        lengths = lengths[: max(1, int(np.searchsorted(np.cumsum(lengths), tokens - done)) + 1)]
        count = int(lengths.sum())
        word = np.searchsorted(steps, rng.random(count))
        tag = (word * 2654435761 >> 7) % TAGS
        noisy, wrong = rng.random(count) < NOISE, rng.integers(0, len(LABELS), count)
        lines, label, at = [], 0, 0
        for length in lengths.tolist():
            label = len(LABELS) - 1
            for t in range(at, at + length):
                label = int(wrong[t]) if noisy[t] else int(follows[tag[t], label])
                lines.append(f"w{word[t]:x} T{tag[t]} {LABELS[label]}")
            lines.append("")
            at += length
        done += count
        yield "\n".join(lines) + "\n"


if __name__ == "__main__":
    for text in batches(int(sys.argv[1].replace("_", ""))):
        sys.stdout.write(text)
