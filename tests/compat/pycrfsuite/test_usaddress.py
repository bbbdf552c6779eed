"""usaddress and parserator on tagfield: the shipped model parses alike, and training learns the same parser."""

from pathlib import Path

import pytest

from tests.support.switched import INSTALL, SWITCH, both

pytest.importorskip("pycrfsuite", reason="python-crfsuite is not installed (the extra dev has it)")
pytest.importorskip("usaddress", reason="usaddress is not installed (the extra dev has it)")
pytest.importorskip("parserator", reason="parserator is not installed (the extra dev has it)")

ADDRESSES = """
import json, random
import usaddress

def addresses(count, seed):
    rng = random.Random(seed)
    streets = "Main Oak Washington Lake Hill Park 5th Maple View MLK St. Rev Robert Wood".split()
    kinds = "St Street Ave Ave. Blvd Rd Ln Court Pkwy Hwy".split()
    towns = "Chicago Springfield Boston Portland Paris Reno Cleveland".split()
    for _ in range(count):
        parts = [f"{rng.randrange(1, 9999)}", rng.choice(["", "N", "S.", "East"]), rng.choice(streets)]
        parts += [rng.choice(kinds), rng.choice(["", "Apt 5", "Suite 12B", "# 4", "Floor 2", "PO Box 12"])]
        comma = rng.choice([",", ""])
        parts += [comma, rng.choice(towns) + comma, rng.choice(["IL", "MA", "Oregon", "ny"])]
        parts += [f"{rng.randrange(99999):05}"]
        yield " ".join(part for part in parts if part)
"""

PARSE = (
    ADDRESSES
    + """
def tagged(address):
    try:
        return usaddress.tag(address)
    except usaddress.RepeatedLabelError as error:
        return [str(error.parsed_string), error.original_string]

found = [[usaddress.parse(address), tagged(address)] for address in addresses(300, 1)]
hard = ["", "  ", "123", "123 Main St. Suite 100 Chicago, IL", "bob's house", "Box 12 Rural Route 3", "１２３ Main",
        "Corner of 4th and Main, Reno NV", "#1 abcd efg st Chicago Illinois 60601", "(New York)", "\\u00e9 rue, Paris"]
found += [[usaddress.parse(address), None] for address in hard]
print(json.dumps(found))
"""
)

TRAIN = (
    ADDRESSES
    + """
import pycrfsuite
from parserator import training

def xml(address):
    inner = " ".join(f"<{label}>{token}</{label}>" for token, label in usaddress.parse(address))
    return f"<AddressString>{inner}</AddressString>"

with open("labelled.xml", "w") as file:
    file.write(f"<AddressCollection>{''.join(xml(a) for a in addresses(150, 2))}</AddressCollection>")
data = list(training.readTrainingData(["labelled.xml"], usaddress.GROUP_LABEL))
training.train(usaddress, data, "learned.crfsuite")
usaddress.TAGGER = pycrfsuite.Tagger()
usaddress.TAGGER.open("learned.crfsuite")
info = usaddress.TAGGER.info()
found = [usaddress.parse(address) for address in addresses(200, 3)]
print(json.dumps([found, info.labels, {" ".join(key): weight for key, weight in info.transitions.items()}]))
"""
)


@pytest.mark.parametrize("switch", [SWITCH, INSTALL])
def test_the_shipped_model_parses_alike(tmp_path: Path, switch: str) -> None:
    theirs, ours = both(PARSE, tmp_path, switch)
    assert len(ours) > 300
    assert ours == theirs


def test_training_learns_the_same_parser(tmp_path: Path) -> None:
    theirs, ours = both(TRAIN, tmp_path)
    assert ours[:2] == theirs[:2]
    assert ours[2] == pytest.approx(theirs[2], abs=0.02)  # L-BFGS with c1 stops anywhere near the optimum
