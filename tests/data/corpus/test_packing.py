"""A packed corpus holds what `encode_files` encodes, whatever the threads, pieces and shards, and after a kill."""

import json
import shutil
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tagfield import Corpus, InputError, encode_files
from tagfield.data.corpus import pack, packing
from tagfield.data.dataset import Dataset
from tagfield.data.encoded import same_vocabulary
from tagfield.errors import MemoryLimitError
from tagfield.system.memory import memory_limited, resident_memory

pytestmark = pytest.mark.usefixtures("small_pieces")

WORDS = ("the", "a", "dog", "cat", "sees", "barks", "Anna", "Ben", "42", "tree")


def text(sentences: int, seed: int = 0) -> str:
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(sentences):
        words = rng.integers(0, len(WORDS), rng.integers(1, 8))
        made.append("".join(f"{WORDS[w]}{rng.integers(0, 30)} T{w % 3} {'BIO'[w % 3]}\n" for w in words))
    return "\n".join(made)


def same_arrays(one: Dataset, other: Dataset) -> None:
    mine, theirs = one.to_arrays(), other.to_arrays()
    assert mine.keys() == theirs.keys()
    for name, array in mine.items():
        np.testing.assert_array_equal(array, theirs[name], err_msg=name)


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.name != "manifest.json"}


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("shard_size", [1, 20_000, 1e9])
def test_a_corpus_holds_what_encode_files_encodes(file: Path, tmp_path: Path, threads: int, shard_size: float) -> None:
    expected = encode_files(file, template="chunking")
    corpus = pack(file, tmp_path / "c", template="chunking", threads=threads, shard_size=shard_size)
    assert (len(corpus.shards) > 3) == (shard_size < 1e9)
    assert same_vocabulary(corpus.attributes, expected.attributes)
    assert same_vocabulary(corpus.labels, expected.labels)
    same_arrays(corpus.encoded().dataset, expected.dataset)
    assert corpus.label_counts == tuple(np.bincount(expected.dataset.labels).tolist())
    assert (len(corpus), corpus.tokens, corpus.describe()) == (300, len(expected.gold), expected.describe())
    assert sorted(path.name.split("-")[0] for path in (tmp_path / "c").iterdir())[:2] == [
        "manifest.json",
        "names.safetensors",
    ]


@pytest.mark.parametrize("shard_size", [30_000, 60_000])
def test_shards_are_as_large_as_asked(file: Path, tmp_path: Path, shard_size: int) -> None:
    *full, _ = pack(file, tmp_path / "c", template="chunking", shard_size=shard_size).shards
    header = 2_000  # of a shard's file
    assert all(shard_size / 2 < shard.record.bytes < shard_size + header for shard in full)


def test_the_bytes_do_not_depend_on_the_threads(file: Path, tmp_path: Path) -> None:
    for threads in (1, 4):
        pack(file, tmp_path / str(threads), template="chunking", threads=threads, shard_size=20_000)
    assert files_of(tmp_path / "1") == files_of(tmp_path / "4")


def test_sentences_taken_are_those_of_the_whole_in_memory(file: Path, tmp_path: Path) -> None:
    corpus = pack(file, tmp_path / "c", template="chunking", shard_size=10_000)
    whole, rng = corpus.encoded().dataset, np.random.default_rng(1)
    for size in (0, 1, 7, 300):
        order = rng.permutation(300)[:size]
        ends = sorted({*rng.integers(0, size + 1, 3).tolist(), size})
        same_arrays(corpus.take(order, ends), whole.take(order))
    same_arrays(corpus.take(np.array([5, 5, 3])), whole.take(np.array([5, 5, 3])))
    for wrong in (-1, 300, 2**62):
        with pytest.raises(InputError, match=f"no sequence has the number {wrong}"):
            corpus.take(np.array([wrong]))


def test_hashed_attributes_need_no_names(file: Path, tmp_path: Path) -> None:
    corpus = pack(file, tmp_path / "c", template="chunking", hash_bits=10, shard_size=10_000)
    assert (len(corpus.attributes), corpus.attributes.hash_bits) == (1024, 10)
    names = encode_files(file, template="chunking").attributes
    assert corpus.attributes.find(names[0]) == corpus.attributes.add(names[0]) < 1024
    assert int(corpus.encoded().dataset.attribute.max()) < 1024


class Stopped(Exception):
    """Stands for a kill: nothing is tidied up behind it."""


@pytest.mark.parametrize("options", [{}, {"min_count": 2}, {"hash_bits": 12}])
def test_a_run_that_was_stopped_goes_on(file: Path, tmp_path: Path, options: dict[str, Any]) -> None:
    given = {"template": "chunking", "shard_size": 10_000, **options}
    pack(file, tmp_path / "whole", **given)
    done = 0

    def stop(progress: packing.Progress) -> None:
        if progress.pieces == done + 4:
            raise Stopped

    for _ in range(100):
        try:
            pack(file, tmp_path / "c", on_progress=stop, **given)
            break
        except Stopped:
            state = json.loads((tmp_path / "c" / "packing.json").read_text())
            done = state["shards"][-1]["pieces"] if state["shards"] else 0
            assert not (tmp_path / "c" / "manifest.json").exists()
            with pytest.raises(InputError, match=r"manifest.json: there is no such file"):
                Corpus.open(tmp_path / "c")
    assert done > 5
    assert files_of(tmp_path / "c") == files_of(tmp_path / "whole")
    assert pack(file, tmp_path / "c", **given).tokens  # nothing is left to do


def test_other_options_or_files_do_not_go_on(file: Path, tmp_path: Path) -> None:
    def stop(progress: packing.Progress) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        pack(file, tmp_path / "c", template="chunking", on_progress=stop)
    with pytest.raises(InputError, match="a run with other files or options was stopped here"):
        pack(file, tmp_path / "c", template="chunking", min_count=2)
    pack(file, tmp_path / "c", template="chunking")
    with pytest.raises(InputError, match="the folder holds a corpus of other files or options"):
        pack(file, tmp_path / "c", template="words", reading=None)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes").write_text("mine")
    with pytest.raises(InputError, match="the folder holds other files, such as 'notes'"):
        pack(file, tmp_path / "other", template="chunking")


def test_two_runs_do_not_share_a_folder(file: Path, tmp_path: Path) -> None:
    inside, leave = threading.Event(), threading.Event()

    def wait(progress: packing.Progress) -> None:
        inside.set()
        leave.wait(30)

    one = threading.Thread(target=lambda: pack(file, tmp_path / "c", template="chunking", on_progress=wait))
    one.start()
    inside.wait(30)
    with pytest.raises(InputError, match="another run packs into this folder"):
        pack(file, tmp_path / "c", template="chunking")
    leave.set()
    one.join()
    assert len(Corpus.open(tmp_path / "c")) == 300


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", '{"tokens": ["Anna", "sings"], "labels": ["B-PER", "O"]}\n' * 90),
        ("a.items", "A\tw=x\tlength:2.5\nB\tw=y\n\n" * 120),
        ("a.csv", "Sentence #,Word,Tag\n" + "".join(f"Sentence: {k},w{k},X\n" for k in range(50))),
    ],
)
def test_items_tables_and_json_lines_pack_as_encode_files_encodes_them(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    expected = encode_files(tmp_path / name)
    corpus = pack(tmp_path / name, tmp_path / "c", shard_size=1)
    same_arrays(corpus.encoded().dataset, expected.dataset)
    assert corpus.labels.strings() == expected.labels.strings()
    assert (corpus.template is None) == name.endswith("items")


def test_a_wrong_line_is_refused_with_its_number_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(text(300) + "\nthe T0\n")
    line = (tmp_path / "a.txt").read_text().count("\n")
    with pytest.raises(InputError, match=rf"a.txt, line {line}: found 2 columns"):
        pack(tmp_path / "a.txt", tmp_path / "c")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"min_count": 0}, "min_count must be at least 1"),
        ({"hash_bits": 31}, "hash_bits must be between 8 and 30"),
        ({"hash_bits": 12, "min_count": 2}, "min_count needs the names of attributes"),
        ({"shard_size": "big"}, "is not a size of memory"),
        ({"shard_size": 0.5}, "shard_size must be at least"),
        ({"template": "chunk"}, "no template named 'chunk'"),
    ],
)
def test_options_out_of_range_are_refused_before_a_folder_is_made(
    file: Path, tmp_path: Path, options: dict[str, Any], told: str
) -> None:
    with pytest.raises(InputError, match=told):
        pack(file, tmp_path / "c", **options)
    assert not (tmp_path / "c").exists()


def test_names_that_outgrow_the_memory(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "FEW", 100)
    monkeypatch.setattr("tagfield.system.memory.room_left", lambda: 1e3)
    with pytest.raises(InputError, match=r"keep no names \(--hash-bits 22\)"):
        pack(file, tmp_path / "c", template="chunking")
    shutil.rmtree(tmp_path / "c")
    assert len(pack(file, tmp_path / "c", template="chunking", hash_bits=12))


def test_a_piece_of_comments_alone_is_no_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("-DOCSTART- -X- O\n\n" + text(100) + "\n-DOCSTART- -X- O\n\n")
    corpus = pack(tmp_path / "a.txt", tmp_path / "c", template="chunking")
    assert len(corpus) == 100


def test_words_and_items_are_not_packed_together(tmp_path: Path) -> None:
    (tmp_path / "w.txt").write_text("a X\nb Y\n\n" * 30)
    (tmp_path / "a.items").write_text("X\tw=a\nY\tw=b\n\n" * 30)
    for files in (["w.txt", "a.items"], ["a.items", "w.txt"]):
        with pytest.raises(InputError, match=rf"{files[1]}: this is .*, but the first file is .*; pack files with"):
            pack([tmp_path / name for name in files], tmp_path / "c")
        shutil.rmtree(tmp_path / "c")


def test_names_are_counted_by_their_length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few attributes with long names take as much memory as many with short ones."""
    monkeypatch.setattr(packing, "FEW", 1000)
    (tmp_path / "a.items").write_text("".join(f"X\tw={k:0>50000}\n\n" for k in range(100)))
    with memory_limited(resident_memory() + 6e6), pytest.raises(MemoryLimitError, match="attributes so far"):
        pack(tmp_path / "a.items", tmp_path / "c")
