"""A model's errors on one HTML page, for the people who annotate.

labelled.py   files, or lists ─▶ Encoded, and the words of its sentences
finding.py    predictions against gold labels ─▶ wrong tokens; places: neighbouring ones; a rank for sentences
reasons.py    the terms that separate prediction and gold labels, for each place that is shown
similar.py    training tokens that share the strongest attributes
records.py    sentences, places, reasons and examples ─▶ JSON, within a budget of bytes
page.py       page.html · page.css · page.js, and the JSON ─▶ one file that loads nothing
"""

from tagfield.apps.errors.finding import Errors, find_errors
from tagfield.apps.errors.labelled import Labelled
from tagfield.apps.errors.page import ErrorsPage, write_errors_page

__all__ = ["Errors", "ErrorsPage", "Labelled", "find_errors", "write_errors_page"]
