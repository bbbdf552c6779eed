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
    words = np.array([f"w{word:x} T{tag_of(word)} " for word in range(WORDS)], object)
    ends = np.array([[f"{label}\n", f"{label}\n\n"] for label in LABELS], object)  # the second ends a sentence
    done = 0
    while done < tokens:
        lengths = rng.integers(SENTENCE // 2, 3 * SENTENCE // 2, BATCH)
        lengths = lengths[: max(1, int(np.searchsorted(np.cumsum(lengths), tokens - done)) + 1)]
        count = int(lengths.sum())
        word = np.searchsorted(steps, rng.random(count))
        noisy, wrong = rng.random(count) < NOISE, rng.integers(0, len(LABELS), count)
        first = np.cumsum(lengths) - lengths  # token of each sentence
        tag, label = tag_of(word), np.empty(count, np.int64)
        before = np.full(len(lengths), len(LABELS) - 1)
        for t in range(int(lengths.max())):  # all sentences side by side
            there = lengths > t
            at = first[there] + t
            before[there] = label[at] = np.where(noisy[at], wrong[at], follows[tag[at], before[there]])
        last = np.zeros(count, np.int64)
        last[first + lengths - 1] = 1
        done += count
        yield "".join((words[word] + ends[label, last]).tolist())


def tag_of(word):  # type: ignore[no-untyped-def]
    """The tag of each word."""
    return (word * 2654435761 >> 7) % TAGS


if __name__ == "__main__":
    for text in batches(int(sys.argv[1].replace("_", ""))):
        sys.stdout.write(text)
