"""Every seed, and every input that ever broke something, through Python's doors; and the mutations themselves."""

import random
from pathlib import Path

import pytest

from tagfield.errors import TagfieldError
from tests.fuzz.doors import CRASHES, NATIVE, PYTHON, SEEDS, seeds_of
from tests.fuzz.mutate import mutate

DOORS = {**NATIVE, **PYTHON}


def outcome(name: str, data: bytes) -> str:
    try:
        DOORS[name](data)
    except TagfieldError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", DOORS)
@pytest.mark.filterwarnings("ignore")
def test_seeds_and_mutants_are_read_or_refused_by_a_sentence(name: str) -> None:
    seeds = seeds_of(name)
    if name == "read_spacy" and not seeds:
        pytest.skip("needs spaCy")
    assert seeds, "a door without seeds is hardly ever passed"
    outcomes = [outcome(name, data) for data in seeds]
    assert "" in outcomes, "no seed is read to its end"
    rng = random.Random(name)
    outcomes += [outcome(name, mutate(rng.choice(seeds), seeds, rng)) for _ in range(60)]
    assert all("\n" not in told.strip() for told in outcomes)


def test_every_folder_belongs_to_a_door() -> None:
    folders = {path.name for root in (SEEDS, CRASHES) if root.is_dir() for path in root.iterdir()}
    assert folders <= set(DOORS)
    sources = {path.stem for path in Path(__file__).parents[2].joinpath("native/fuzz").glob("*.cpp")}
    assert sources == set(NATIVE)
