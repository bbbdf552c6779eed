"""Scale: training and tagging on several machines (cluster/), and settings chosen by cross-validation (tuning/)."""
