"""Train on the large feature set in a separate process, to measure its peak memory: TRAIN EPOCHS."""

import sys

from tagfield.data.encode import encode_files
from tagfield.train import Settings, train

if __name__ == "__main__":
    settings = Settings.of(recipe="sgd", features="all", epochs=int(sys.argv[2]), rate=0.1)
    train(encode_files(sys.argv[1]), settings)
