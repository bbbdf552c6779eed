"""The kinds of rounds that `make hunt` tries: each a function of a seed that returns how many things it tried.

A round that finds something raises an exception. Add a kind with one line.
"""

from collections.abc import Callable

from tests.faults import kills
from tests.hunt import answers, conversions, misuse, races, swaps, words


def kill(seed: int) -> int:
    """One kill of annotate, tune or cluster training at a random moment: nothing acknowledged may be lost."""
    found = kills.run(sorted(kills.KILLS)[seed % len(kills.KILLS)], seed, 1)
    assert not found, "\n".join(found)
    return 1


KINDS: dict[str, Callable[[int], int]] = {
    "answers": answers.round_of,  # sequences of random models, against all paths
    "words": words.round_of,  # sentences, through the doors for words and text
    "misuse": misuse.round_of,  # calls with wrong arguments
    "races": races.round_of,  # threads that share models, encoders and vocabularies
    "conversions": conversions.round_of,  # answers of models that went through files of other programs
    "swaps": swaps.round_of,  # answers of a service whose model file is replaced
    "kills": kill,  # commands that are killed
}
