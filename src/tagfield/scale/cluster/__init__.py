"""Training and tagging on several machines, with Ray: pip install 'tagfield[cluster]'. docs/cluster.md is the guide.

    train(encoded, settings, address=…, workers=…)     a model from shares of the sentences
    tag(model, sequences, address=…, workers=…)        labels, in order
    tag_dataset(dataset, model, column)                a dataset of ray.data with labels

Nothing here is imported by `import tagfield`, and Ray itself only when a session is opened.
"""

from tagfield.scale.cluster.session import ClusterError
from tagfield.scale.cluster.tagging import tag, tag_dataset
from tagfield.scale.cluster.training import train

__all__ = ["ClusterError", "tag", "tag_dataset", "train"]
