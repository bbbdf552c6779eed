"""Applications: an HTTP service, a page to annotate on, a page of a model's errors; web/ is what their pages share."""
