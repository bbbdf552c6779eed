"""The loop over epochs: order, held-out data, history, stopping, streams, and what training ends with."""
