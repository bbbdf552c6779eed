"""What reading takes of memory: refused before it is taken, and never refused where it fits."""

import gzip
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tagfield.data.encode import encode_files
from tagfield.data.text.encoders.footprint import LINE, _long_lines, check_piece
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


SANITIZED = "san.so" in os.environ.get("LD_PRELOAD", "")


@pytest.mark.skipif(SANITIZED, reason="a sanitizer's allocator takes more memory")
@pytest.mark.parametrize("new", [False, pytest.param(True, marks=pytest.mark.slow)])
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


@pytest.mark.skipif(SANITIZED, reason="a sanitizer frees memory late, so what is resident shrinks while it is measured")
def test_one_long_cell_is_counted_at_what_it_costs() -> None:
    source = Source("a.txt", b"x" * 3_000_000 + b" B-X\n\n" + sentences(100, new=True))
    with memory_limited(resident_memory() + 1.2e8), pytest.raises(MemoryLimitError, match="encoding the 3 MB of text"):
        encode_files(source, template="words")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert len(encode_files(source, template="words")) == 6
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 < 3e6 * 100


LONG_WORDS = {  # files of one long word, whose prefixes, shapes and n-grams would each be as long
    "a.txt": "{0} A\nb B\n\n",
    "a.conllu": "1\t{0}\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n",
    "a.jsonl": '{{"tokens": ["{0}", "b"], "labels": ["A", "B"]}}\n',
    "spans.jsonl": '{{"text": "{0} b", "spans": [[0, {1}, "PER"]]}}\n',
    "a.json": '[{{"text": "{0} b", "entities": [[0, {1}, "PER"]]}}]',
    "studio.json": '[{{"id": 1, "data": {{"text": "{0} b"}}, "annotations": [{{"result": [{{"type": "labels", "value": '
    '{{"start": 0, "end": {1}, "labels": ["PER"]}}}}]}}]}}]',
    "prodigy.jsonl": '{{"text": "{0} b", "tokens": [{{"text": "{0}", "start": 0, "end": {1}}}], "spans": []}}\n',
    "brat.txt": "{0} b",
    "packed.jsonl.gz": '{{"tokens": ["{0}", "b"], "labels": ["A", "B"]}}\n',
}
PEAKS = """
import sys
from pathlib import Path
from tagfield import encode_files, pack
from tagfield.errors import MemoryLimitError
from tagfield.system.memory import limit_memory, resident_memory

Path("small.jsonl").write_text('{"tokens": ["a"], "labels": ["A"]}\\n')
encode_files("small.jsonl")
pack("small.jsonl", "corpus")
for name in sys.argv[1:]:
    for read in (encode_files, lambda path: pack(path, f"packed-{path}")):
        Path("/proc/self/clear_refs").write_text("5")
        before = resident_memory()
        limit_memory(before + 1.5e8)
        try:
            read(name)
        except MemoryLimitError as error:
            assert name in str(error), error
        else:
            raise AssertionError(name)
        peak = 1024 * int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
        assert peak - before < 1.5e8, (name, read, (peak - before) / 1e6)
"""


def test_a_long_word_is_refused_in_every_format(tmp_path: Path) -> None:
    """Also by `pack`, which `tagfield train` tries next; in a process of its own, whose peaks are measured."""
    size = 4_000_000
    for name, content in LONG_WORDS.items():
        raw = content.format("x" * size, size).encode()
        (tmp_path / name).write_bytes(gzip.compress(raw, 1) if name.endswith(".gz") else raw)
    (tmp_path / "brat.ann").write_text(f"T1\tPER 0 {size}\n")
    record = '{"tokens": ["a"], "labels": ["A"], "x": [' + ",".join(["{}"] * 20) + "]}"
    (tmp_path / "objects.json").write_text(f"[{','.join([record] * 90_000)}]")  # many small objects, on one line
    subprocess.run([sys.executable, "-c", PEAKS, *LONG_WORDS, "objects.json"], cwd=tmp_path, check=True, timeout=600)


def test_a_piece_is_checked_if_it_is_large_or_has_long_lines() -> None:
    short, long = Source("a.txt", b"a B\n\n" * 1000), Source("a.txt", b"x" * (LINE + 1) + b" B\n")
    assert [check_piece(short, 5000), check_piece(short, 1000), check_piece(long, 1 << 20)] == [False, True, True]
    with memory_limited(resident_memory() + 1e6), pytest.raises(MemoryLimitError, match=r"divide its long words"):
        check_piece(long, 1 << 20)
    with memory_limited(resident_memory() + 1e5), pytest.raises(MemoryLimitError, match=r"divide the file"):
        check_piece(short, 1000)


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
