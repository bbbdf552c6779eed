"""docs/cluster.md runs as it stands, on a Ray cluster of this machine."""

from pathlib import Path

import pytest

from tests.support.clusters import ROOT, play_alone


@pytest.mark.slow
def test_the_page_trains_and_tags_on_a_cluster(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    assert play_alone(ROOT / "docs" / "cluster.md", tmp_path) == "1 blocks ran\n"
    assert (tmp_path / "CORPUS").is_dir()
