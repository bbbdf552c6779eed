"""tagfield: conditional random fields for sequence labelling, trained by natural gradient descent."""

__version__ = "0.1.0"
