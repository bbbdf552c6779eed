"""Train with your own convex function, and plot it next to arctan: own_generator.py PICTURE.png

    g, an increasing function ─▶ Generator ─▶ Response f(u) ─▶ table ─▶ the same native loop as every recipe

The function is arcsinh. It has the slope of arctan near 0, but it never saturates: a larger error always moves a weight
more. The plot needs matplotlib: pip install tagfield[plots]
"""

import argparse
import io

import matplotlib
import numpy as np

from tagfield import RECIPES, Encoded, Model, Scores, Settings
from tagfield.bregman import Generator, Response, update
from tagfield.data.encode import encode_files
from tagfield.data.text.sources import Source
from tagfield.demo import Sentence, addresses, write_columns

matplotlib.use("Agg")
import matplotlib.pyplot as plt

# The update U2 of a gradient g is f(u) = g(0) − g(−u), which is g(u) for an odd g.
arcsinh = Generator.from_gradient(lambda u: np.arcsinh(u / np.sqrt(0.1)), name="arcsinh")
RESPONSES = {"arcsinh": Response(update("U2"), arcsinh), "arctan": RECIPES["u2.g1"].response}


def encode(sentences: list[Sentence], model: Model | None = None) -> Encoded:
    """Encodes sentences with the template `chunking`; with a model, by its vocabularies."""
    text = io.StringIO()
    write_columns(sentences, text)
    known = {} if model is None else {"attributes": model.attributes, "labels": model.labels}
    return encode_files([Source("addresses", text.getvalue().encode())], **known)


def draw(path: str, reach: float = 3.0) -> None:
    """Plots each response with slope 1 at 0, to show how it bends; the learning rate absorbs the slope."""
    u = np.linspace(-reach, reach, 401)
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    for (name, response), line in zip(RESPONSES.items(), ("-", "--"), strict=True):
        axes.plot(u, response.f(u) / response.slope, line, label=name)
    axes.set(xlabel="u = E − Ẽ", ylabel="f(u), slope 1 at 0")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=150)
    plt.close(figure)


def main(arguments: list[str] | None = None) -> dict[str, Scores]:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("picture", help="output file, .png or .svg")
    parser.add_argument("--train", type=int, default=500, metavar="N", help="number of training addresses")
    parser.add_argument("--test", type=int, default=300, metavar="N", help="number of test addresses")
    parser.add_argument("--epochs", type=int, default=10, metavar="N", help="number of epochs")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="random seed")
    options = parser.parse_args(arguments)

    corpus = addresses(seed=options.seed, train=options.train, test=options.test)
    encoded = encode(corpus.train)
    found = {}
    for name, response in RESPONSES.items():
        settings = Settings.of("ngd", loss="U2", generator=response.generator, epochs=options.epochs, seed=options.seed)
        model = Model.train(encoded, settings)
        found[name] = scores = model.evaluate(encode(corpus.test, model))
        print(f"{name:8} accuracy {100 * scores.accuracy:.2f} %   chunk F1 {100 * scores.f1:.2f} %")
    draw(options.picture)
    print(f"plot: {options.picture}")
    return found


if __name__ == "__main__":
    main()
