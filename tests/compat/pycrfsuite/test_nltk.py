"""NLTK's CRFTagger on tagfield: train, tag, evaluate; and the model file is that of python-crfsuite."""

from pathlib import Path

import pytest

from tests.support.switched import both

pycrfsuite = pytest.importorskip("pycrfsuite", reason="python-crfsuite is not installed (the extra dev has it)")
pytest.importorskip("nltk", reason="nltk is not installed (the extra dev has it)")

SENTENCES = """
import json, os, random
import nltk
from nltk.tag import CRFTagger

nltk.data.path.insert(0, os.getcwd())  # NLTK opens models only below its own folders

def sentences(count, seed):
    rng = random.Random(seed)
    words = {"Det": "the a every".split(), "Adj": "old red 3rd quick".split(), "Verb": "eats sees likes barks".split(),
             "Noun": "dog cat Paris 42 tables".split(), ".": [".", "!", "?"]}
    for _ in range(count):
        tags = ["Det", "Adj", "Noun", "Verb", "Det", "Noun", "."] if rng.random() < 0.5 else ["Noun", "Verb", "."]
        yield [(rng.choice(words[tag]), tag) for tag in tags]
"""

TRAIN = (
    SENTENCES
    + """
tagger = CRFTagger(training_opt={"c2": 0.5, "max_iterations": 40})
tagger.train(list(sentences(60, 1)), "model.crf")
again = CRFTagger()
again.set_model_file("model.crf")
gold = list(sentences(40, 2))
plain = [[word for word, _ in sentence] for sentence in gold]
print(json.dumps([tagger.tag_sents(plain), again.tag(["Cats", "like", "7", "dogs", "!"]), again.accuracy(gold)]))
"""
)


@pytest.mark.slow
def test_train_tag_evaluate_and_the_model_is_the_same(tmp_path: Path) -> None:
    theirs, ours = both(TRAIN, tmp_path)
    assert ours == theirs
    assert ours[2] > 0.9
    mine, peer = pycrfsuite.Tagger(), pycrfsuite.Tagger()  # python-crfsuite reads both models
    mine.open(str(tmp_path / "ours" / "model.crf"))
    peer.open(str(tmp_path / "theirs" / "model.crf"))
    assert mine.info().state_features == pytest.approx(peer.info().state_features, abs=1e-4)
