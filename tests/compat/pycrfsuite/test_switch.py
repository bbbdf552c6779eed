"""The switch itself: every name and submodule that others import is tagfield's, and nothing else is loaded for it."""

from pathlib import Path

import pytest

from tests.support.switched import INSTALL, SWITCH, run

PROGRAM = """
import json, sys
import pycrfsuite
from pycrfsuite import BaseTrainer, CRFSUITE_VERSION, CRFSuiteError, ItemSequence, Tagger, Trainer
from pycrfsuite._dumpparser import CRFsuiteDumpParser, ParsedDump
from pycrfsuite._logparser import LabelScore, TrainLogParser
import pycrfsuite._pycrfsuite

trainer = Trainer(verbose=False)
trainer.append([["a"], ["b"]], ["X", "Y"])
trainer.train("m.crfsuite")
with Tagger().open("m.crfsuite") as tagger:
    info = tagger.info()
print(json.dumps([
    {each.__module__.partition(".")[0] for each in (BaseTrainer, CRFSuiteError, ItemSequence, Tagger)} == {"tagfield"},
    pycrfsuite._pycrfsuite.Trainer is pycrfsuite.Trainer is Trainer,
    isinstance(info, ParsedDump), isinstance(trainer.logparser, TrainLogParser), CRFSUITE_VERSION,
    "sklearn" in sys.modules,
]))
"""


@pytest.mark.parametrize("switch", [SWITCH, INSTALL])
def test_every_name_is_tagfields(tmp_path: Path, switch: str) -> None:
    assert run(PROGRAM, tmp_path, switch) == [True, True, True, True, "0.12.2", False]
