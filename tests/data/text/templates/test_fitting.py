"""The template that fits the data, and the cells that it reads."""

from tagfield.data.text.templates.fitting import preset_for
from tagfield.data.text.templates.presets import PRESETS


def test_the_template_follows_what_is_found() -> None:
    words = ["w", "y"]
    wanted = {
        preset_for(words, {"B-PER", "O"}, ["Anna"]): "ner",
        preset_for(words, {"NN", "VB"}, ["Anna"]): "pos",
        preset_for(words, {"B", "M", "E", "S"}, ["中", "国"]): "segmentation",
        preset_for(["w", "pos", "y"], {"B-NP"}, ["The"]): "chunking",
        preset_for(["w", "pos", "chunk", "y"], {"B-NP"}, ["The"]): "ner",
    }
    for found, preset in wanted.items():
        assert found == (preset if preset in PRESETS else "words")
    assert preset_for(words, {"B", "E"}, ["ab"]) != "segmentation"  # whole words, not characters
