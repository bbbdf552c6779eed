"""The source distribution has every file that git knows, tests too, and nothing else."""

import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from tests.support.scripts import ROOT, script

sdist = script("sdist")


def in_git() -> bool:
    command = ["git", "-C", str(ROOT), "rev-parse", "--show-toplevel"]
    done = subprocess.run(command, capture_output=True, text=True, check=False) if shutil.which("git") else None
    return done is not None and done.returncode == 0 and Path(done.stdout.strip()) == ROOT


@pytest.mark.slow
def test_it_has_what_git_knows(tmp_path: Path) -> None:
    if not in_git():
        pytest.skip("these sources are not a git repository, so there is no list of files to compare with")
    made = sdist.build(tmp_path)
    inside = sdist.files_of(made)
    assert {"tests/conftest.py", "native/kernel/bind/corpus.cpp", "LICENSE", "CMakeLists.txt", "PKG-INFO"} <= inside
    junk = [name for name in inside if name.endswith((".so", ".pyc")) or name.startswith((".", "build/", "dist/"))]
    assert set(junk) <= {".gitignore", ".dockerignore"}
    tracked = sdist.tracked_files()
    assert [problem for problem in sdist.problems(made, tracked | inside) if "git does not know" not in problem] == []
    assert sdist.problems(made, {*tracked, *inside, "src/tagfield/new.py"}) == ["it lacks src/tagfield/new.py"]


def test_what_is_wrong_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "junk.txt").write_text("x")
    made = tmp_path / "tagfield-1.tar.gz"
    with tarfile.open(made, "w:gz") as archive:
        for name in ("a.py", "PKG-INFO", "build/junk.so"):
            archive.add(tmp_path / "junk.txt", f"tagfield-1/{name}")
    assert sdist.problems(made, {"a.py", "b.py", ".github/x.yml"}) == [
        "it lacks b.py",
        "it has build/junk.so, which git does not know",
    ]
    monkeypatch.setattr(sdist, "LARGEST", 10)
    assert "bytes, and may have at most 10" in sdist.problems(made, {"a.py", "build/junk.so"})[0]
