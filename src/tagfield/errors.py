"""The exceptions of tagfield, as a tree.

    TagfieldError
    ├── InputError (also a ValueError)    the data, a template or an argument is wrong
    ├── ModelFileError                    a model file is truncated, corrupt or not a tagfield model
    ├── OutputError                       a file could not be written; the old file is unchanged
    └── TrainingError                     training diverged; nothing was saved

    UnknownAttributesWarning (a UserWarning)    a model knows hardly any attribute of its input

A message is one or two sentences: what was found, where (file, line or sequence index), and what to do.
Commands print the message and exit with code 2.
"""


class TagfieldError(Exception):
    """The base class of every error that tagfield raises."""


class InputError(TagfieldError, ValueError):
    """Data, a template or an argument is wrong."""


class ModelFileError(TagfieldError):
    """A model file is truncated, corrupt or not a tagfield model."""


class OutputError(TagfieldError):
    """A file could not be written; the old file is unchanged."""


class TrainingError(TagfieldError):
    """Training diverged to numbers that are not finite. The message names the epoch; nothing was saved."""


class UnknownAttributesWarning(UserWarning):
    """A model knows hardly any attribute of its input, so its labels mean little."""
