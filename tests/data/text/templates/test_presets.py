"""The presets: what they have always meant, and the new ones against features written by hand."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.data.encode import Encoded, encode_files, encode_words
from tagfield.data.text.sources import Source
from tagfield.data.text.templates.parsing import parse_template
from tagfield.data.text.templates.presets import ABOUT, PRESETS, load_template, preset_text
from tagfield.data.text.templates.template import Template
from tagfield.errors import InputError
from tests.support import naive_presets as naive

PAGE = Path(__file__).resolve().parents[4] / "docs" / "templates.md"

words = st.text(alphabet="aBc12-/.–'ÉßİΑ漢", min_size=1, max_size=7) | st.sampled_from(
    ["IL-2", "U.S.", "McDonald", "1990"]
)
letters = st.sampled_from(naive.LETTERS)


def attributes(encoded: Encoded) -> list[list[set[str]]]:
    return [[{name for name, _ in token} for token in sequence.tokens] for sequence in encoded.sequences()]


@pytest.mark.parametrize("name", ["ner", "pos"])
@given(sentences=st.lists(st.lists(words, min_size=1, max_size=6), max_size=3))
def test_words_have_the_features_that_you_would_write_by_hand(name: str, sentences: list[list[str]]) -> None:
    y = [["O"] * len(sentence) for sentence in sentences]
    expected = [[set(token) for token in naive.text(sentence)] for sentence in sentences]
    assert attributes(encode_words(sentences, y, template=name)) == expected


@given(st.lists(st.lists(letters, min_size=1, max_size=8), max_size=3))
def test_characters_have_the_features_that_you_would_write_by_hand(sentences: list[list[str]]) -> None:
    y = [["S"] * len(sentence) for sentence in sentences]
    expected = [[set(token) for token in naive.segmentation(sentence)] for sentence in sentences]
    assert attributes(encode_words(sentences, y, template="segmentation")) == expected


def test_older_presets_keep_their_attributes() -> None:
    """Models and published figures depend on them."""
    chunking = encode_words([[("The", "DT"), ("dog", "NN")]], [["B", "I"]], template="chunking")
    assert attributes(chunking)[0] == [
        {"w[0]=The", "w[1]=dog", "w[0]|w[1]=The|dog", "pos[0]=DT", "pos[1]=NN", "pos[0]|pos[1]=DT|NN", "__BOS__"},
        {"w[-1]=The", "w[0]=dog", "w[-1]|w[0]=The|dog", "pos[-1]=DT", "pos[0]=NN", "pos[-1]|pos[0]=DT|NN", "__EOS__"},
    ]
    ((token,),) = attributes(encode_words([["Bark"]], [["O"]], template="words"))
    affixes = {f"w.prefix{n}[0]={'Bark'[:n]}" for n in range(1, 5)} | {
        f"w.suffix{n}[0]={'Bark'[-n:]}" for n in range(1, 5)
    }
    assert token == {"w[0]=Bark", "w.lower[0]=bark", "w.shape[0]=Xx", "__BOS__", "__EOS__"} | affixes
    ((token,),) = attributes(encode_words([[("Bark", "VB")]], [["O"]], template="crfpp"))
    assert len(token) == 19
    assert {"U00:_B-2", "U02:Bark", "U06:Bark/_B+1", "U22:VB/_B+1/_B+2"} < token


def test_phrases_adds_suffixes_to_chunking() -> None:
    sentence, y = [[("The", "DT"), ("Dogs", "NNS")]], [["B", "I"]]
    first, second = (attributes(encode_words(sentence, y, template=name))[0] for name in ("chunking", "phrases"))
    for word, before, after in zip(("the", "dogs"), first, second, strict=True):
        assert after == before | {f"w.lower.suffix{n}[0]={word[-n:]}" for n in range(1, 6)}


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_found_by_name_and_survives_a_model_file(name: str) -> None:
    template = load_template(name)
    assert template.name == name
    assert Template.from_json(template.to_json()) == template
    template.check()
    assert len({pattern.text for pattern in template.patterns}) == len(template.patterns) <= 30


def test_the_page_names_every_preset_with_its_columns() -> None:
    _, table = PAGE.read_text(encoding="utf-8").split("| preset | columns | use it for |")
    rows = [line.split("`") for line in table.split("\n\n")[0].splitlines()[2:]]
    assert {row[1]: tuple(row[3].split()) for row in rows} == {name: t.columns for name, t in PRESETS.items()}


def test_case_and_digits_are_seen_beside_the_word() -> None:
    ((token, _),) = attributes(encode_words([["IL-2", "Receptor"]], [["B", "I"]], template="ner"))
    assert {"w.lower[0]=il-2", "w.kind[0]=dX-", "w.kind[1]=title", "w.shape[0]=X-d", "w.lower.parts[0]=il"} < token


def test_chunking_is_crfsuites_example() -> None:
    names = [pattern.text.split("=")[0] for pattern in PRESETS["chunking"].patterns]
    assert " ".join(names) == (
        "w[-2] w[-1] w[0] w[1] w[2] w[-1]|w[0] w[0]|w[1] pos[-2] pos[-1] pos[0] pos[1] pos[2] "
        "pos[-2]|pos[-1] pos[-1]|pos[0] pos[0]|pos[1] pos[1]|pos[2] "
        "pos[-2]|pos[-1]|pos[0] pos[-1]|pos[0]|pos[1] pos[0]|pos[1]|pos[2]"
    )
    encoded = encode_files([Source("file", b"a b A\nc:d e B\n")])
    first = ["w[0]=a", "w[1]=c:d", "w[0]|w[1]=a|c:d", "pos[0]=b", "pos[1]=e", "pos[0]|pos[1]=b|e", "__BOS__"]
    second = ["w[-1]=a", "w[0]=c:d", "w[-1]|w[0]=a|c:d", "pos[-1]=b", "pos[0]=e", "pos[-1]|pos[0]=b|e", "__EOS__"]
    assert encoded.attributes.strings() == first + second


def test_a_template_is_loaded_by_name_or_path_and_slips_get_advice(tmp_path: Path) -> None:
    path = tmp_path / "template"
    path.write_bytes(b"U0:%x[0,0]\nU1:\xff\n")
    with pytest.raises(InputError, match="line 2: the bytes are not valid UTF-8"):
        load_template(path)
    with pytest.raises(InputError, match=r"no template named 'chunkin'; did you mean 'chunking'\?"):
        load_template("chunkin")
    with pytest.raises(InputError, match=r"no template named 'mine'; use chunking, words, .*segmentation, or the path"):
        load_template("mine")
    assert load_template("words") is PRESETS["words"]
    assert load_template(PRESETS["words"], "_ w y").columns == ("_", "w", "y")


@pytest.mark.parametrize("name", list(PRESETS))
def test_the_text_of_a_preset_is_the_preset(name: str) -> None:
    made, preset = parse_template(preset_text(name), name), PRESETS[name]
    assert [pattern.text for pattern in made.all_patterns] == [pattern.text for pattern in preset.all_patterns]
    assert (made.columns, made.padding, made.boundaries) == (preset.columns, preset.padding, preset.boundaries)
    assert set(ABOUT) == set(PRESETS)


def test_lines_extend_a_preset_that_is_named_and_not_a_template() -> None:
    assert load_template("ner", add=["w[-3]"]).patterns[-1].text == "w[-3]=%x[-3,w]"
    assert load_template(PRESETS["ner"], add=["w[-3]"]) is PRESETS["ner"]
