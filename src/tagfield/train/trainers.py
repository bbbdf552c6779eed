"""From settings to the trainer that runs them, pass by pass."""

from dataclasses import replace
from typing import TypeAlias

import numpy as np

from tagfield.bregman.convex import Generator
from tagfield.bregman.generators import parse_generator
from tagfield.bregman.losses import LOSSES, UPDATES, Loss, named_loss
from tagfield.bregman.losses import update as named_update
from tagfield.bregman.responses import Response
from tagfield.bregman.responses import recipe as response_of
from tagfield.dataset import Dataset
from tagfield.errors import InputError
from tagfield.features import FeatureSet, Weights
from tagfield.native import kernels
from tagfield.train.arow import ArowTrainer
from tagfield.train.calibration import calibrate
from tagfield.train.choose import choose
from tagfield.train.margin import MarginTrainer
from tagfield.train.partial import Limits
from tagfield.train.recipes import find_recipe
from tagfield.train.settings import Settings
from tagfield.train.stochastic import StochasticTrainer, Update

Trainer: TypeAlias = StochasticTrainer | MarginTrainer | ArowTrainer
CHOICE = 1  # the stream of chance for choosing an update
PERCEPTRON = 3  # the type of a margin pass whose step is 1


def make_trainer(
    settings: Settings,
    corpus: kernels.Corpus,
    features: FeatureSet,
    start: Weights,
    rng: np.random.Generator,
    dataset: Dataset | None = None,
    limits: Limits | None = None,
) -> Trainer:
    """A trainer for a stochastic or margin recipe, at the weights `start`; finds the rate if none is given.

    >>> from tagfield.encode import encode_sequences
    >>> from tagfield.features import feature_set
    >>> from tagfield.lattice import open_corpus
    >>> corpus = open_corpus(encode_sequences([[["a"], ["b"]]], [["X", "Y"]]).dataset)
    >>> features = feature_set(corpus, 2, 2, "all")
    >>> trainer = make_trainer(Settings("ap"), corpus, features, features.zeros(), np.random.default_rng(0))
    >>> trainer.run(np.arange(1)), trainer.run(np.arange(1))
    (0.5, 0.0)
    """
    recipe = find_recipe(settings.recipe)
    if recipe.name == "arow":
        return ArowTrainer(
            corpus, features, variance=settings.arow_variance, gamma=settings.arow_gamma, start=start
        )
    if recipe.family == "margin":
        perceptron = recipe.name == "ap"
        return MarginTrainer(
            corpus,
            features,
            type=PERCEPTRON if perceptron else settings.pa_type,
            aggressiveness=settings.pa_c,
            cost_sensitive=settings.pa_cost_sensitive,
            average=settings.pa_average or perceptron,
            start=start,
        )
    if settings.generator == "auto" and recipe.name == "ngd":
        if dataset is None:
            raise InputError(
                "generator='auto' compares updates on the whole data, and a stream has none; name a generator"
            )
        # Averaged, whatever settings.average says. The choice has chance of its own, and calibration's draw is made all
        # the same: the shuffles that follow are those of any recipe that is calibrated from this seed.
        apart = np.random.default_rng([settings.seed, CHOICE])
        chosen = choose(dataset, features, c2=settings.c2, rng=apart, limits=limits)
        rng.permutation(corpus.sentences)
        update, rate = chosen.update, settings.rate or chosen.rate
    else:
        update = update_of(settings)
        rate = settings.rate or calibrate(
            corpus,
            features,
            update,
            c2=settings.c2,
            rng=rng,
            settings=settings.calibration,
            limits=limits,
        )
    return StochasticTrainer(corpus, features, update, c2=settings.c2, rate=rate, start=start, limits=limits)


def update_of(settings: Settings) -> Update:
    """The update of a stochastic recipe, with what the settings add to it.

    >>> str(update_of(Settings(recipe="u2.g1", average=True)))
    'u2.g1, averaged'
    >>> str(update_of(Settings(recipe="ngd", loss="U1", generator="gd:5")))
    'B1, γ=0 of gd:5'
    """
    if settings.recipe == "ngd":
        response = Response(_loss(settings), _generator(settings))
    else:
        response = response_of("sgd" if settings.recipe == "adaptive" else settings.recipe)
    if settings.respond == "states" and response.depends_on_u_alone:
        # The transitions' u then touches f at 0: near the optimum, all weights keep their pace.
        _check_slope(response, "respond='states'")
        response = replace(response, scale=response.scale / response.slope)
    if settings.anneal and response.depends_on_u_alone:
        _check_slope(response, "anneal")
    return Update(
        response,
        states_only=settings.respond == "states",
        adaptive=settings.metric == "adaptive" or settings.recipe == "adaptive",
        average=settings.average,
        anneal=settings.anneal,
    )


def _loss(settings: Settings) -> Loss:
    loss = settings.loss
    if not isinstance(loss, str):
        return loss
    if loss.upper() not in (*LOSSES, *UPDATES):
        raise InputError(f"there is no loss {loss!r}; choose one of {', '.join([*LOSSES, *UPDATES])}")
    return named_update(loss) if loss.upper() in UPDATES else named_loss(loss, settings.gamma)


def _generator(settings: Settings) -> Generator:
    generator = settings.generator
    return parse_generator(generator) if isinstance(generator, str) else generator


def _check_slope(response: Response, what: str) -> None:
    """An error where f has no slope at 0 that a linear response could have too."""
    with np.errstate(all="ignore"):
        slope = response.slope
    if not 0 < slope < np.inf:
        raise InputError(f"{what} needs a response with a slope at 0, and that of {response} is {slope:g}")
