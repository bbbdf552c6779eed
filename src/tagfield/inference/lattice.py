"""The dataset in the form that the kernels read."""

from tagfield.data.dataset import Dataset, Doubles
from tagfield.errors import InputError
from tagfield.native import kernels


def open_corpus(dataset: Dataset, class_weight: Doubles | None = None) -> kernels.Corpus:
    """The dataset in the form that the kernels read: sealed, with every bound checked once.

    class_weight: [L] what a token of each label weighs; only training gives one

    >>> from tagfield.data.encode import encode_sequences
    >>> open_corpus(encode_sequences([[["a"], ["b"]]], [["X", "Y"]]).dataset).sentences
    1
    """
    try:
        dataset = dataset.seal()
        return kernels.Corpus(
            dataset.tokens,
            dataset.slots,
            dataset.occurrences,
            dataset.attribute,
            dataset.place,
            dataset.value,
            dataset.labels,
            dataset.weight,
            None if dataset.edge_slots is None else kernels.Slots(**dataset.edge_slots.arrays()),
            class_weight,
        )
    except (AttributeError, TypeError, ValueError) as error:
        if isinstance(error, ValueError):
            problem = str(error)
        else:  # the kernels list every type that they take
            problem = "an array is missing, or is not a NumPy array of its type and dimension"
        raise InputError(f"the dataset is inconsistent: {problem}; create datasets with encode_sequences") from None
