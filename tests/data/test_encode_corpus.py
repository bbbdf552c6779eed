"""CoNLL-2000 comes out to the last count."""

import pytest

from tagfield.data.encode import Encoded, encode_files
from tests.support.corpus import TEST, TRAIN, needs_corpus

pytestmark = needs_corpus


@pytest.fixture(scope="module")
def train() -> Encoded:
    return encode_files(TRAIN)


def test_the_training_part_of_conll_2000_has_its_counts(train: Encoded) -> None:
    data = train.dataset
    assert (len(data), int(data.tokens[-1])) == (8_936, 211_727)
    assert len(train.labels) == 22
    assert len(train.attributes) == 335_674
    assert len(data.position) == int(data.occurrences[-1]) == 3_808_439
    assert len(data.attribute) == int(data.slots[-1]) == 3_069_909
    assert data.value is None


def test_test_counts_and_the_unseen_label(train: Encoded) -> None:
    test = encode_files(TEST, attributes=train.attributes, labels=train.labels)
    assert (len(test), int(test.dataset.tokens[-1])) == (2_012, 47_377)
    assert test.unseen_labels == ["I-LST"]
    assert len(test.labels) == 22
    assert len(train.attributes) == 335_674
    assert (test.dataset.labels == -1).sum() == (test.gold == 22).sum() > 0


def test_a_padded_template_of_conll_2000_has_its_counts() -> None:
    padded = encode_files(TRAIN, template="crfpp")
    assert len(padded.attributes) == 338_551
    assert len(padded.attributes) * 22 + 22 * 22 == 7_448_606


def test_first_sentence_reads_back(train: Encoded) -> None:
    first = train.lines(0)
    assert first[0] == "Confidence NN B-NP"
    assert train.where(1).endswith(f"train.txt, line {len(first) + 2}")
    assert [line.split()[2] for line in first] == train.gold_labels()[0]
    assert train.attributes.strings()[:3] == ["w[0]=Confidence", "w[1]=in", "w[2]=the"]
