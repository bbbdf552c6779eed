"""docs/arrow.md runs as it stands, with the real Spark, Ray, Polars and DuckDB; it prints what its comments say."""

import re
import shutil
from pathlib import Path

import pytest

from tests.support.clusters import ROOT, play_alone
from tests.support.pages import blocks_of, differences

PAGE = ROOT / "docs" / "arrow.md"
BEFORE = ("A table", "A Parquet file, however large", "pandas")  # what the other sections go on from


def test_every_block_prints_what_it_says(tmp_path: Path) -> None:
    assert differences(PAGE, tmp_path, BEFORE) == (3, [])


def test_polars_and_duckdb(tmp_path: Path) -> None:
    pytest.importorskip("polars")
    pytest.importorskip("duckdb")
    assert differences(PAGE, tmp_path, (*BEFORE, "Polars and DuckDB")) == (4, [])


@pytest.mark.slow
def test_spark(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed; `make spark` installs it")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    assert play_alone(PAGE, tmp_path, *BEFORE, "Spark") == "4 blocks ran\n"


@pytest.mark.slow
def test_ray(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    assert play_alone(PAGE, tmp_path, *BEFORE, "Ray") == "4 blocks ran\n"


def test_no_section_is_left_out() -> None:
    found = {block.heading for block in blocks_of(PAGE.read_text(encoding="utf-8")) if block.language == "python"}
    assert found == {*BEFORE, "Polars and DuckDB", "Spark", "Ray"}


def test_every_link_leads_somewhere() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", PAGE.read_text(encoding="utf-8"))
    assert links
    assert all((PAGE.parent / link).exists() for link in links)
