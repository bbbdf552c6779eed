"""A file is written whole or not at all; the failures here are real ones."""

import os
import shutil
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tagfield.errors import OutputError
from tagfield.system.atomic import write_atomically

posix = pytest.mark.skipif(os.name != "posix", reason="permissions and devices of POSIX systems")
not_root = pytest.mark.skipif(
    hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write anywhere, so nothing is refused"
)

# Runs in a child: writes 1 MB over an old file; prints the error, the files left and the old content.
FILL = """
import os, sys
from tagfield.system.atomic import write_atomically
from tagfield.errors import OutputError
folder = sys.argv[1]
path = os.path.join(folder, "model")
if sys.argv[2] == "limit":
    import resource, signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
chunk = int(sys.argv[3])
try:
    with write_atomically(path) as file:
        for _ in range(0, 1 << 20, chunk):
            file.write(bytes(chunk))
except OutputError as error:
    print(error)
print(os.listdir(folder), open(path, "rb").read())
"""


def leftovers(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "model"
    path.write_bytes(b"old")
    return path


def test_new_file_appears_only_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "model"
    with write_atomically(path) as file:
        file.write(b"new")
        file.flush()
        assert not path.exists()
    assert path.read_bytes() == b"new"
    assert leftovers(tmp_path) == ["model"]


def test_readers_see_the_old_file_until_the_end(old: Path) -> None:
    with open(old, "rb") as reader, write_atomically(str(old)) as file:
        file.write(b"a longer new content")
        assert old.read_bytes() == b"old"
        assert reader.read() == b"old"
    assert old.read_bytes() == b"a longer new content"


@pytest.mark.parametrize("failure", [KeyboardInterrupt, ValueError, SystemExit])
def test_a_block_that_fails_leaves_the_old_file(old: Path, failure: type[BaseException]) -> None:
    def fail() -> None:
        with write_atomically(old) as file:
            file.write(b"half")
            raise failure

    with pytest.raises(failure):
        fail()
    assert old.read_bytes() == b"old"
    assert leftovers(old.parent) == ["model"]


def test_an_error_about_another_file_keeps_its_name(old: Path) -> None:
    with pytest.raises(FileNotFoundError, match="elsewhere"), write_atomically(old):
        (old.parent / "elsewhere").read_bytes()
    assert leftovers(old.parent) == ["model"]


@posix
@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_permissions_are_those_of_a_plain_open(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        (tmp_path / "plain").open("wb").close()
        with write_atomically(tmp_path / "ours"):
            pass
    finally:
        os.umask(before)
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


@posix
def test_an_existing_file_keeps_its_mode(old: Path) -> None:
    old.chmod(0o640)
    with write_atomically(old) as file:
        file.write(b"new")
    assert stat.S_IMODE(old.stat().st_mode) == 0o640


@posix
def test_a_link_stays_a_link(old: Path) -> None:
    other = old.parent / "folder"
    other.mkdir()
    link = other / "link"
    link.symlink_to(old)
    with write_atomically(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert old.read_bytes() == b"new"
    assert leftovers(other) == ["link"]


def test_a_name_of_full_length_works(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    with write_atomically(path) as file:
        file.write(b"x")
    assert path.read_bytes() == b"x"


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("", "it is a folder; give the name of a file"),
        ("no/such/folder/model", "its folder does not exist; create the folder"),
        ("model/inside", "a part of the path is a file, not a folder"),
        ("n" * 256, "the name is too long"),
        ("a\0b", "check the path"),
    ],
)
def test_impossible_targets(old: Path, where: str, says: str) -> None:
    with pytest.raises(OutputError, match=says) as caught, write_atomically(os.path.join(old.parent, where)):
        pytest.fail("the block must not run")
    assert "\n" not in str(caught.value)
    assert leftovers(old.parent) == ["model"]


@posix
@not_root
def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(OutputError, match="permission is denied"), write_atomically(tmp_path / "model"):
            pytest.fail("the block must not run")
    finally:
        tmp_path.chmod(0o700)


@posix
@not_root
def test_a_file_that_may_not_be_written(old: Path) -> None:
    old.chmod(0o400)
    with pytest.raises(OutputError, match="permission is denied"), write_atomically(old):
        pytest.fail("the block must not run")
    assert old.read_bytes() == b"old"


@posix
def test_a_pipe_is_written_directly_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    with write_atomically(pipe) as file:
        file.write(b"through")
    reader.join(10)
    assert received == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
@pytest.mark.parametrize("size", [10, 1 << 20])  # fails when closed, fails in the block
def test_a_full_device(size: int) -> None:
    with pytest.raises(OutputError, match="the disk is full"), write_atomically("/dev/full") as file:
        file.write(bytes(size))
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


@posix
@pytest.mark.parametrize("chunk", [100, 1 << 20])
def test_the_file_size_limit(old: Path, chunk: int) -> None:
    child = subprocess.run(
        [sys.executable, "-c", FILL, str(old.parent), "limit", str(chunk)], capture_output=True, text=True, check=True
    )
    assert "larger than the limit allows" in child.stdout
    assert "the file that was there is unchanged" in child.stdout
    assert child.stdout.endswith("['model'] b'old'\n")


@pytest.mark.parametrize("chunk", [100, 1 << 20])
@pytest.mark.parametrize(
    ("option", "says"), [("size=64k", "the disk is full; free some space"), ("ro", "it is on a read-only disk")]
)
def test_a_disk_that_is_full_or_read_only(tmp_path: Path, option: str, says: str, chunk: int) -> None:
    """A disk in its own mount namespace, which disappears when the child process ends."""
    mount = f"mount -t tmpfs none '{tmp_path}' && printf old >'{tmp_path}/model' && "
    mount += f"mount -o remount,{option} '{tmp_path}'"
    private = ["unshare", "--mount", "--map-root-user", "sh", "-c"]
    if shutil.which("unshare") is None or subprocess.run([*private, mount], capture_output=True).returncode:
        pytest.skip("this system lets us mount no small disk")
    child = subprocess.run(
        [*private, f'{mount} && exec "$@"', "sh", sys.executable, "-c", FILL, str(tmp_path), "disk", str(chunk)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert says in child.stdout
    assert child.stdout.endswith("['model'] b'old'\n")
    assert leftovers(tmp_path) == []


HANG = """
import sys, time
from tagfield.system.atomic import write_atomically
with write_atomically(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    print("writing", flush=True)
    time.sleep(60)
"""


@posix
def test_the_next_write_removes_what_a_killed_process_left(tmp_path: Path) -> None:
    children = [
        subprocess.Popen([sys.executable, "-c", HANG, tmp_path / name], stdout=subprocess.PIPE) for name in ("a", "b")
    ]
    try:
        for child in children:
            assert child.stdout is not None
            assert child.stdout.readline() == b"writing\n"
        (tmp_path / ".tagfield-mine.tmp").write_bytes(b"not one of those names")
        children[0].kill()
        children[0].wait()
        assert len(leftovers(tmp_path)) == 3
        with write_atomically(tmp_path / "c") as file:
            file.write(b"whole")
        assert len(leftovers(tmp_path)) == 3  # one orphan less, one file more: the living child's file is spared
        children[1].kill()
        children[1].wait()
        with write_atomically(tmp_path / "c") as file:
            file.write(b"whole")
        assert leftovers(tmp_path) == [".tagfield-mine.tmp", "c"]
    finally:
        for child in children:
            child.kill()
            child.communicate()


@posix
def test_many_writers_in_one_folder_never_take_each_other_for_orphans(tmp_path: Path) -> None:
    script = (
        "import sys\nfrom tagfield.system.atomic import write_atomically\n"
        "for i in range(200):\n    with write_atomically(sys.argv[1]) as file:\n        file.write(b'x' * 100)\n"
    )
    children = [subprocess.Popen([sys.executable, "-c", script, tmp_path / str(k)]) for k in range(4)]
    assert [child.wait() for child in children] == [0] * 4
    assert leftovers(tmp_path) == ["0", "1", "2", "3"]


@posix
def test_an_open_file_is_written_to_where_it_is(tmp_path: Path) -> None:
    """`>> log` with /dev/stdout as the target: the log keeps what it holds."""
    script = (
        "from tagfield.system.atomic import write_atomically\n"
        "with write_atomically('/dev/stdout') as f: f.write(b'new')"
    )
    log = tmp_path / "log"
    log.write_bytes(b"old")
    with log.open("ab") as file:
        subprocess.run([sys.executable, "-c", script], stdout=file, check=True)
    assert log.read_bytes() == b"oldnew"
    assert leftovers(tmp_path) == ["log"]
