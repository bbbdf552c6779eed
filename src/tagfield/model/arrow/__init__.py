"""Tagging Arrow tables: pyarrow, and whatever hands over Arrow data: pandas, Polars, DuckDB, Spark, Ray.

    table ─▶ columns.py: Arrow's buffers ─▶ native encoder, or texts ─▶ tokenizer
                                                                   │
    table with new columns ◀── tables.py ◀── arrays.py ◀── answers ◀── decoder

`tagger.py` makes a function that other processes can run. pyarrow is imported when it is first used.
"""

from tagfield.model.arrow.tables import Options, tag_arrow
from tagfield.model.arrow.tagger import ArrowTagger

__all__ = ["ArrowTagger", "Options", "tag_arrow"]
