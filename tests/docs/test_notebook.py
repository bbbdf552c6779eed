"""docs/tutorial.ipynb is made from docs/tutorial.md, and runs."""

import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.pages import ROOT, text_of

NOTEBOOK = ROOT / "docs" / "tutorial.ipynb"


def test_the_notebook_is_the_tutorial() -> None:
    written = runpy.run_path(str(ROOT / "scripts" / "pages.py"))["written"]
    made = written(text_of("docs/tutorial.md"))
    assert NOTEBOOK.read_text(encoding="utf-8") == made, "run: python scripts/pages.py notebook"


@pytest.mark.slow  # the page that it is made from runs in every test run
def test_the_notebook_runs(tmp_path: Path) -> None:
    for name in ("nbformat", "nbclient", "ipykernel"):
        pytest.importorskip(name, reason="notebooks need nbclient and ipykernel")
    # A process of its own: Jupyter's event loop and its warnings stay out of this one.
    code = (
        "import nbclient, nbformat, sys\n"
        "n = nbformat.read(sys.argv[1], 4)\n"
        "nbclient.NotebookClient(n, timeout=120, kernel_name='python3').execute()\n"
        "print(nbformat.writes(n))\n"
    )
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [sys.executable, "-c", code, str(NOTEBOOK)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=180,
        env=os.environ | {"PATH": path},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert (tmp_path / "demo" / "model").is_file()
    cells = [cell for cell in json.loads(done.stdout)["cells"] if cell["cell_type"] == "code"]
    printed = "".join("".join(output.get("text", "")) for cell in cells for output in cell["outputs"])
    assert "command not found" not in printed
    assert re.search(r"\[.+ NAME\]", printed)
