"""The loop over epochs: held-out data, history, when to stop, streams, and what training ends with.

driver.train ─▶ problem_of ─▶ driver.fit ─▶ epochs.run_epochs ─▶ Trained
"""
