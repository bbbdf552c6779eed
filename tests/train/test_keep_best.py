"""With held-out data, the epoch with the best score on it is kept, whatever the recipe."""

import pytest

from tagfield.experiment.demo import addresses
from tagfield.model import Model
from tagfield.train import Settings, train
from tests.train.test_default import encode


@pytest.mark.parametrize("recipe", ["default", "sgd", "pa", "lbfgs"])
def test_with_held_out_data_the_best_epoch_is_kept(recipe: str) -> None:
    """The scores of the weights that come out are the best of the history; without keep_best, those of the last."""
    corpus = addresses(seed=1, train=60, test=60)
    known = encode(corpus.train)
    dev = encode(corpus.test, known)
    kept = train(known, Settings.of(recipe, epochs=8, max_dev_rise=None), dev=dev)
    scores = [epoch.scores.f1 for epoch in kept.history if epoch.scores is not None]
    assert len(set(scores)) > 1
    assert kept.best.number == 1 + scores.index(max(scores))
    model = Model.of(known, kept)
    assert model.evaluate(dev).f1 == max(scores)
    last = train(known, Settings.of(recipe, epochs=8, max_dev_rise=None, keep_best=False), dev=dev)
    assert [epoch.scores for epoch in last.history] == [epoch.scores for epoch in kept.history]
    if recipe in ("pa", "lbfgs"):  # those that do not keep the lowest objective themselves
        assert last.best.number == len(last.history)
