"""A corpus with the ids of a model scores as the text behind it, whatever the windows."""

from pathlib import Path

import numpy as np
import pytest

from tagfield import Corpus, InputError, Model, Settings, pack
from tagfield.data.corpus import recoded

TEMPLATE = "columns w pos y\nw[0]\npos[-1]|w[0]\ntransition pos\n"


def text(sentences: int, seed: int, labels: str) -> str:
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(sentences):
        words = rng.integers(0, 30, rng.integers(1, 8))
        made.append("".join(f"w{w} T{w % 3} {labels[w % len(labels)]}\n" for w in words))
    return "\n".join(made)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """To train on, and to score: with other words, and a label that training lacks."""
    for name, given in (("a.txt", (40, 0, "BIO")), ("b.txt", (60, 1, "BIOX"))):
        (tmp_path / name).write_text(text(*given))
    (tmp_path / "own").write_text(TEMPLATE)
    return tmp_path / "a.txt", tmp_path / "b.txt"


@pytest.mark.parametrize("template", ["chunking", "own"])
@pytest.mark.parametrize("hash_bits", [0, 12])
@pytest.mark.parametrize("window", [1, 3000.0, 1e9])
def test_scores_are_those_of_the_text(
    files: tuple[Path, Path],
    tmp_path: Path,
    template: str,
    hash_bits: int,
    window: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chosen = tmp_path / "own" if template == "own" else template
    packed = [pack(file, tmp_path / f"c{file.name}", template=chosen, hash_bits=hash_bits) for file in files]
    model = Model.train(packed[0], Settings.of("default", epochs=2)).without_spare_attributes()
    monkeypatch.setattr(Corpus, "windows", lambda corpus, order, size, own=Corpus.windows: own(corpus, order, window))
    assert model.evaluate(tmp_path / "cb.txt").to_dict() == model.evaluate(files[1]).to_dict()


def test_another_template_is_refused(files: tuple[Path, Path], tmp_path: Path) -> None:
    corpus = pack(files[0], tmp_path / "c", template="chunking")
    model = Model.train(files[0], Settings.of("default", epochs=1), template=tmp_path / "own")
    with pytest.raises(InputError, match=r"packed with template chunking, but the model reads template .*own"):
        model.evaluate(corpus)
    hashed = pack(files[0], tmp_path / "h", template=tmp_path / "own", hash_bits=10)
    with pytest.raises(InputError, match="the corpus has --hash-bits 10, but the model has names of attributes"):
        list(recoded(hashed, model.attributes, model.labels, model.template))
