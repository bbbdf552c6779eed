"""What reading takes of memory: refused before it is taken, and never refused where it fits."""

import gzip
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tagfield.data.encode import encode_files
from tagfield.data.text.encoders.footprint import LINE, _long_lines
from tagfield.data.text.sources import SMALL, Source, open_source
from tagfield.errors import InputError, MemoryLimitError
from tagfield.system.memory import memory_limited, resident_memory


def sentences(words: int, *, new: bool) -> bytes:
    """Sentences of 20 words; all different, or the same ten over and over."""
    lines = (f"word{k if new else k % 10} B-X\n" + ("\n" if k % 20 == 19 else "") for k in range(words))
    return "".join(lines).encode()


def test_a_small_gzip_file_that_unpacks_to_much_is_stopped(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.gz"
    bomb.write_bytes(gzip.compress(b"\0" * (12 * SMALL), 1))
    assert bomb.stat().st_size < SMALL / 16
    with (
        memory_limited(resident_memory() + 5 * SMALL),
        pytest.raises(MemoryLimitError, match=r"the unpacked text needs"),
    ):
        open_source(bomb)
    assert len(open_source(bomb).text) == 12 * SMALL


def test_a_bomb_of_a_gigabyte_takes_little_memory(tmp_path: Path) -> None:
    """In a process of its own, whose peak is measured."""
    bomb = tmp_path / "bomb.gz"
    piece = gzip.compress(b"word B-X\n\n" * (1 << 20), 1)
    bomb.write_bytes(piece * 100)  # 100 members: 1 GB
    code = (
        "import sys\nfrom tagfield.data.encode import encode_files\nfrom tagfield.errors import MemoryLimitError\n"
        "try:\n    encode_files(sys.argv[1])\nexcept MemoryLimitError as error:\n    print(error)\n"
        "print(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(bomb)],
        env={**os.environ, "TAGFIELD_MAX_MEMORY": "600MB"},
        capture_output=True,
        text=True,
        check=True,
    )
    message, peak = run.stdout.strip().rsplit("\n", 1)
    assert "of the 600 MB that may be used" in message
    assert int(peak) * 1024 < 600e6


def test_an_endless_file_is_stopped() -> None:
    with memory_limited(resident_memory() + 4 * SMALL), pytest.raises(MemoryLimitError, match="/dev/zero: the text"):
        open_source("/dev/zero")


@pytest.mark.parametrize("new", [False, True])
def test_the_estimate_is_near_the_truth(new: bool) -> None:
    """Encoded under a limit a little above its peak it passes, and under half of that it is refused."""
    code = (
        "from pathlib import Path\nfrom tests.data.text.encoders.test_footprint import sentences\n"
        "from tagfield.data.encode import encode_files\n"
        "from tagfield.data.text.sources import Source\nfrom tagfield.system.memory import *\n"
        f"text = sentences(300_000, new={new})\n"
        "encode_files(Source('a.txt', sentences(100, new=False)), template='words')\nbefore = resident_memory()\n"
        "Path('/proc/self/clear_refs').write_text('5')\n"  # the peak starts again from here
        "encode_files(Source('a.txt', text), template='words')\n"
        "print(1024 * int(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0]) - before)"
    )
    root = Path(__file__).parents[4]
    run = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    peak = float(run.stdout)
    source = Source("a.txt", sentences(300_000, new=new))
    with (
        memory_limited(resident_memory() + peak / 3),
        pytest.raises(MemoryLimitError, match=r"a.txt: encoding the \d+ MB"),
    ):
        encode_files(source, template="words")
    with memory_limited(resident_memory() + 2.5 * peak):
        assert len(encode_files(source, template="words")) == 15_000


def test_one_long_cell_is_counted_at_what_it_costs() -> None:
    source = Source("a.txt", b"x" * 3_000_000 + b" B-X\n\n" + sentences(100, new=True))
    with memory_limited(resident_memory() + 1.2e8), pytest.raises(MemoryLimitError, match="encoding the 3 MB of text"):
        encode_files(source, template="words")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert len(encode_files(source, template="words")) == 6
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 < 3e6 * 100


def test_long_lines_are_found_wherever_they_stand() -> None:
    short, long = b"y" * 500 + b"\n", b"x" * (LINE + 7)
    for text in (short * 400 + long + b"\n" + short * 900, long, long + b"\n" + short, short * 1000):
        assert _long_lines(text) == text.count(long) * len(long)


def test_sizes_are_read_and_wrong_ones_refused() -> None:
    for wrong in ("much", "-1GB", "0", "nan", "1e999", "4 quintals", True):
        with (
            pytest.raises(InputError, match="is not a size of memory; write it like 500MB or 4GB"),
            memory_limited(wrong),
        ):
            pass
