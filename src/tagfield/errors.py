"""What can go wrong, as a tree.

    TagfieldError
    ├── InputError (also a ValueError)    the data, a template or an argument is not right
    ├── ModelFileError                    a model file is truncated, corrupt or foreign
    ├── OutputError                       a file could not be written; the old one is untouched
    └── TrainingError                     training left the finite numbers; nothing was saved

Each message is one sentence or two: what was found, where (file, line or sequence index), and what to do.
Commands print the message and end with exit code 2.
"""


class TagfieldError(Exception):
    """The root of every error that tagfield raises on purpose."""


class InputError(TagfieldError, ValueError):
    """Data, a template or an argument that cannot be used as it is."""


class ModelFileError(TagfieldError):
    """A model file that is truncated, corrupt, or not a tagfield model."""


class OutputError(TagfieldError):
    """A file that could not be written. What stood there before is untouched."""


class TrainingError(TagfieldError):
    """Training that left the finite numbers. The message names the epoch; nothing was saved."""
