"""python-crfsuite's names: `import tagfield.pycrfsuite as pycrfsuite` is tagfield.compat.pycrfsuite."""

import sys

from tagfield.compat import pycrfsuite
from tagfield.compat.pycrfsuite import *  # noqa: F403

sys.modules[__name__] = pycrfsuite
