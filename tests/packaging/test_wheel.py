"""What scripts/wheel.py finds wrong with a wheel. Wheels are forged here; `make wheel` makes a real one."""

import zipfile
from pathlib import Path

import pytest

import tagfield
from tests.support.scripts import ROOT, script

wheel = script("wheel")
TAG = f"tagfield-{tagfield.__version__}-cp311-cp311-"
INFO = f"tagfield-{tagfield.__version__}.dist-info"
LINUX = f"{TAG}manylinux_2_28_x86_64.whl"
GNU = ".cpython-311-x86_64-linux-gnu.so"
X86 = ("_text", "_kernels_base", "_kernels_avx2", "_kernels_avx512")


def forge(path: Path, modules: tuple[str, ...] = X86, suffix: str = GNU, **more: bytes) -> Path:
    """A wheel of the sources, with modules that are none."""
    package = ROOT / "src/tagfield"
    files = {
        f"tagfield/{file.relative_to(package).as_posix()}": file.read_bytes()
        for file in package.rglob("*")
        if file.is_file() and file.suffix not in (".so", ".pyc")
    }
    files |= {f"tagfield/native/{name}{suffix}": b"\x7fELF \0.shstrtab\0" for name in modules}
    files[f"{INFO}/METADATA"] = f"Metadata-Version: 2.4\nName: tagfield\nVersion: {tagfield.__version__}\n".encode()
    files[f"{INFO}/licenses/LICENSE"] = b"MIT"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, content in (files | more).items():
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize(
    ("platform", "modules", "suffix"),
    [
        ("manylinux_2_28_x86_64", X86, GNU),
        ("musllinux_1_2_x86_64", X86, ".cpython-311-x86_64-linux-musl.so"),
        ("manylinux_2_28_aarch64", X86[:2], ".cpython-311-aarch64-linux-gnu.so"),
        ("macosx_11_0_x86_64", X86, ".cpython-311-darwin.so"),
        ("macosx_11_0_arm64", X86[:2], ".cpython-311-darwin.so"),
        ("win_amd64", X86, ".cp311-win_amd64.pyd"),
    ],
)
def test_good_wheels(tmp_path: Path, platform: str, modules: tuple[str, ...], suffix: str) -> None:
    assert wheel.problems(forge(tmp_path / f"{TAG}{platform}.whl", modules, suffix)) == []


def test_what_is_wrong_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = forge(tmp_path / f"{TAG}linux_x86_64.whl", ("_text",), **{"tagfield/tests/x.py": b"x"})
    monkeypatch.setattr(wheel, "LARGEST", 1000)
    said = "\n".join(wheel.problems(path))
    assert "and may have at most 1,000; strip its modules" in said
    assert "its modules are _text, not _kernels_avx2, _kernels_avx512, _kernels_base, _text" in said
    assert "its platform is this machine alone; repair it with auditwheel" in said
    assert "it has tagfield/tests/x.py, which is not part of the package" in said


def test_symbols_for_a_debugger_are_found(tmp_path: Path) -> None:
    path = forge(
        tmp_path / LINUX, X86[1:], **{"tagfield/native/_text.cpython-311-x86_64-linux-gnu.so": b"\0.symtab\0.strtab\0"}
    )
    assert wheel.problems(path) == [
        "tagfield/native/_text.cpython-311-x86_64-linux-gnu.so have symbols for a debugger; strip them"
    ]


def test_another_version_and_missing_files(tmp_path: Path) -> None:
    path = tmp_path / LINUX
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{INFO}/METADATA", "Name: tagfield\nVersion: 99\n")
        for name in X86:
            archive.writestr(f"tagfield/native/{name}.so", b"")
    said = wheel.problems(path)
    assert said[0].startswith("it lacks tagfield/__init__.py, ")
    assert said[1:] == ["it lacks the licence", f"its version is 99, and that of the sources {tagfield.__version__}"]


def test_a_folder_of_wheels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    forge(tmp_path / LINUX)
    assert wheel.main(["--wheel", str(tmp_path), "--no-smoke"]) == 0
    assert capsys.readouterr().out.startswith(f"{LINUX}: ")
    forge(tmp_path / f"{TAG}win_amd64.whl")
    assert wheel.main(["--wheel", str(tmp_path), "--no-smoke"]) == 0, "the names of modules do not matter"
    (tmp_path / f"{TAG}linux_x86_64.whl").write_bytes((tmp_path / LINUX).read_bytes())
    assert wheel.main(["--wheel", str(tmp_path), "--no-smoke"]) == 1
    assert "repair it with auditwheel" in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    with pytest.raises(SystemExit, match="has no wheels"):
        wheel.main(["--wheel", str(tmp_path / "empty"), "--no-smoke"])
