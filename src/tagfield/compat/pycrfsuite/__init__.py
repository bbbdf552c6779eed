"""tagfield by the names of python-crfsuite: Trainer, Tagger, ItemSequence; a script keeps its code and its models.

    import tagfield.pycrfsuite as pycrfsuite        in your own script
    tagfield.install_as_pycrfsuite()                before others import pycrfsuite: usaddress, NLTK, sklearn-crfsuite

    Trainer.append ─▶ corpus ─▶ train (tagfield's trainers) ─▶ messages in CRFsuite's words ─▶ a CRFsuite model file
    Tagger.open (CRFsuite's models and tagfield's) ─▶ set, tag, probability, marginal, info, dump

>>> import tempfile
>>> trainer = Trainer("lbfgs", {"c2": 0.1}, verbose=False)
>>> trainer.append([{"word": "Anna"}, {"word": "sleeps"}], ["NAME", "VERB"])
>>> path = tempfile.mkdtemp() + "/tiny.crfsuite"
>>> trainer.train(path)
>>> with Tagger().open(path) as tagger:
...     tagger.tag([{"word": "sleeps"}, {"word": "Anna"}])
['VERB', 'NAME']
"""

import sys
from importlib import import_module

from tagfield.compat.pycrfsuite.items import ItemSequence
from tagfield.compat.pycrfsuite.tagger import Tagger
from tagfield.compat.pycrfsuite.trainer import BaseTrainer, CRFSuiteError, Trainer

__all__ = [
    "CRFSUITE_VERSION",
    "BaseTrainer",
    "CRFSuiteError",
    "ItemSequence",
    "Tagger",
    "Trainer",
    "install_as_pycrfsuite",
]

CRFSUITE_VERSION = "0.12.2"  # the version whose files and parameters these are
SUBMODULES = ("_pycrfsuite", "_logparser", "_dumpparser")  # those that other packages import


def install_as_pycrfsuite() -> None:
    """Let `import pycrfsuite` find tagfield, in this process and for every package that is imported from now on.

    Call it before you import a package that uses python-crfsuite; python-crfsuite need not be installed.

    >>> before = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "pycrfsuite"}
    >>> install_as_pycrfsuite()
    >>> import pycrfsuite
    >>> pycrfsuite.Tagger is Tagger
    True
    >>> for name in ("pycrfsuite", *(f"pycrfsuite.{each}" for each in SUBMODULES)):
    ...     _ = sys.modules.pop(name)
    >>> sys.modules.update(before)
    """
    sys.modules["pycrfsuite"] = sys.modules[__name__]
    for name in SUBMODULES:
        sys.modules[f"pycrfsuite.{name}"] = import_module(f"{__name__}.{name}")
