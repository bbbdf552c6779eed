"""What is fuzzed: for each name a function that takes any bytes.

    bytes ─▶ door ─▶ returns, or raises a TagfieldError; anything else is a finding

A door may return a string that tells how it went: the worker keeps inputs with an outcome that is new.

The first seven have a twin in native/fuzz that reads the same bytes without Python. scripts/fuzz.py runs them all, and
tests/fuzz/test_replay.py reads the seeds and all that was ever found. Other programs' models: foreign.py; the
service's requests: requests.py; the service on its socket: service.py.
"""

import contextlib
import json
import os
import re
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tagfield import Model, Settings
from tagfield.cli.shared.config_file import read_config
from tagfield.compat.pycrfsuite.late import open_late
from tagfield.data.corpus import Corpus, pack
from tagfield.data.encode import WordEncoder, encode_files, encode_words
from tagfield.data.text.formats.brat import BratSource
from tagfield.data.text.formats.table import READ, WRITTEN
from tagfield.data.text.reading import ReadOptions, read
from tagfield.data.text.sources import Source
from tagfield.data.text.templates.parsing import parse_template
from tagfield.data.text.templates.template import Template
from tagfield.data.text.writing import write
from tagfield.errors import InputError, ModelFileError, OutputError
from tagfield.native import kernels
from tagfield.native._text import ArrowWords, Vocabulary
from tagfield.system.storage_header import HEADER_CRC_DIGITS
from tagfield.train import train
from tagfield.train.problem.sentences import OnDisk
from tagfield.train.recipes.catalogue import all_options
from tests.fuzz import foreign, service
from tests.fuzz.requests import request

Door = Callable[[bytes], str | None]

SEEDS = Path(__file__).parent / "seeds"
CRASHES = Path(__file__).parent / "crashes"
_TEMPORARY = tempfile.TemporaryDirectory(prefix="tagfield-fuzz-")
CORPUS_FILES = ("manifest.json", "names.safetensors", "shard-00000.safetensors")
_HEX = rb'("crc32":")[0-9a-f]{8}"'


def columns(data: bytes) -> None:
    """Column files."""
    encoded = encode_files(Source("a.txt", data), format="columns", labels=Vocabulary(["X"]), attributes=Vocabulary())
    assert len(encoded.gold) == encoded.dataset.tokens[-1]


def items(data: bytes) -> None:
    """CRFsuite's item lines, which come back as they are read."""
    encoded = encode_files(Source("a.items", data), format="items", labels=Vocabulary())
    assert sum(len(sequence.tokens) for sequence in encoded.sequences()) == len(encoded.gold)


def vocabularies(data: bytes) -> None:
    """Forged arrays: the number of offsets, the offsets, the text."""
    count = data[0] if data else 0
    raw = data[1 : 1 + 8 * count].ljust(8 * count, b"\0")
    text = np.frombuffer(data[1 + 8 * count :], np.uint8)
    made = Vocabulary.from_arrays(text, np.frombuffer(raw, np.int64))
    assert [made.find(string) for string in made.strings()] == list(range(len(made)))


def arrow(data: bytes) -> None:
    """Forged Arrow buffers: widths of the offsets, their numbers, the offsets, the text."""
    flags, n_rows, n_words = data[:3].ljust(3, b"\0")
    widths = [np.dtype(np.int64 if flags & bit else np.int32) for bit in (1, 2)]
    at, offsets = 3, []
    for count, width in zip((n_rows, n_words), widths, strict=True):
        raw = data[at : at + count * width.itemsize].ljust(count * width.itemsize, b"\0")
        at += count * width.itemsize
        offsets.append(np.frombuffer(raw, width))
    given = ArrowWords([("w", *offsets, np.frombuffer(data[at:], np.uint8))])
    encoded = WordEncoder("words", Vocabulary(), Vocabulary()).encode(given)
    assert len(encoded) == n_rows - 1
    assert len(encoded.gold) == offsets[0][-1] - offsets[0][0]


def templates(data: bytes) -> None:
    """Flags, patterns, a blank line, columns."""
    head, _, text = data[1:].partition(b"\n\n")
    template = parse_template(head.decode(errors="replace"), "fuzzed")
    with contextlib.suppress(InputError):
        encode_files(Source("a.txt", text), template=template, format="columns", labels=Vocabulary())
    assert Template.from_json(template.to_json()) == template


def responses(data: bytes) -> None:
    """Response tables with any numbers."""
    data = data.ljust(82, b"\0")
    bits, flags = 1 + data[0] % 3, data[1]
    odd, low_linear = bool(flags & 1), bool(flags & 2)
    low, high = np.frombuffer(data[2:18], np.float64)
    u = np.frombuffer(data[18:82], np.float32)
    given = np.frombuffer(data[82 : 82 + (len(data) - 82) // 4 * 4], np.float32)
    cells = np.resize(given if len(given) else np.zeros(1, np.float32), (2 - odd, 1 + (48 << bits), 2))
    tails = np.resize(cells.astype(np.float64), (2 - odd, 4))
    table = kernels.Pass()
    table.set_response(cells, tails, bits, odd, low_linear, float(low), float(high), bool(flags & 4) and low_linear)
    assert np.shape(table.respond(u)) == np.shape(u)


def crfsuite_file(data: bytes) -> None:
    """Models of CRFsuite, read where they are asked; the size in the header is made right."""
    if len(data) >= 8:
        data = data[:4] + len(data).to_bytes(4, "little") + data[8:]
    opened = open_late(data)
    if opened is None:
        raise ModelFileError("all of it has to be read")
    sequence = opened.read([["w=a", "bias"], {"\u00e9": 2.0}, ["w=h"]])
    assert {*sequence.best(opened.labels)} <= {*opened.labels}
    assert np.isfinite(sequence.marginals()).all()


def model(data: bytes) -> None:
    """Model files; the checksums are made right, so that what lies behind them is read."""
    path = os.path.join(_TEMPORARY.name, "model")
    Path(path).write_bytes(_with_checksums(data))
    found = Model.load(path)
    repr(found)
    if found.template is None:
        found.tag([[["w:Anna"], {"w": "sings"}]])
    else:
        found.tag_text("Anna sings in Rome.")
    found.top_features(3)


def _with_checksums(data: bytes) -> bytes:
    size = int.from_bytes(data[:8], "little")
    if size > len(data):
        return data
    body = zlib.crc32(data[8 + size :])
    header = re.sub(_HEX, rb'\g<1>%08x"' % body, data[8 : 8 + size], count=1)
    blank = HEADER_CRC_DIGITS.sub(b'"header_crc32":"00000000"', header, count=1)
    header = HEADER_CRC_DIGITS.sub(b'"header_crc32":"%08x"' % zlib.crc32(blank), header, count=1)
    return data[:8] + header + data[8 + size :]


def corpus(data: bytes) -> None:
    """One file of a packed corpus, by the first byte; checksums are made right, also those in the manifest."""
    name = CORPUS_FILES[data[0] % len(CORPUS_FILES)] if data else CORPUS_FILES[0]
    folder, seed = Path(_TEMPORARY.name, "corpus"), _packed()
    folder.mkdir(exist_ok=True)
    for file in seed.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    changed = data[1:] if name == "manifest.json" else _with_checksums(data[1:])
    (folder / name).write_bytes(changed)
    if name.startswith("shard"):
        manifest = json.loads((folder / "manifest.json").read_text())
        found = re.search(_HEX, changed)
        if found:
            manifest["shards"][0]["crc32"] = found[0][-9:-1].decode()
        (folder / "manifest.json").write_text(json.dumps(manifest))
    opened = Corpus.open(folder)
    repr(opened)
    disk = OnDisk(opened, 1000.0)
    for part in disk.parts(np.arange(len(opened))[::-1]):
        assert part.corpus.sentences
    train(opened, Settings("sgd", epochs=1), window=1)


def _packed() -> Path:
    """A small corpus."""
    folder = Path(_TEMPORARY.name, "packed")
    if not folder.exists():
        text = Path(_TEMPORARY.name, "packed.txt")
        text.write_text("Anna NNP B-PER\nsings VBZ O\n\nIn IN O\nRome NNP B-LOC\n\nGo VB O\n")
        pack(text, folder, template="words", reading=ReadOptions(columns="w _ y"))
    return folder


def _corpora() -> list[bytes]:
    return [bytes([k]) + (_packed() / name).read_bytes() for k, name in enumerate(CORPUS_FILES)]


def template_json(data: bytes) -> None:
    """Templates as model files hold them."""
    template = Template.from_json(data.decode(errors="surrogateescape"))
    assert Template.from_json(template.to_json()) == template
    encode_words([["Anna", "sings"]], template=template.with_columns("w y"))


def config(data: bytes) -> None:
    """The config file of a command."""
    path = os.path.join(_TEMPORARY.name, "config.toml")
    Path(path).write_bytes(data)
    read_config(path, "train", {name.replace("_", "-"): name for name in (*all_options(), "algorithm")})


def settings(data: bytes) -> None:
    """Options of any type."""
    try:
        given = json.loads(data)
    except (ValueError, RecursionError):
        return
    if isinstance(given, dict) and "called" not in given and "cls" not in given:
        made = Settings.of(**given)
        assert json.dumps(made.to_dict())
        repr(made)


def _format(kind: str) -> Door:
    targets = [name for name in WRITTEN if name != "spacy"]

    def door(data: bytes) -> str:
        if kind == "brat":
            text, _, annotations = data.partition(b"\n---\n")
            source: Source = BratSource("a.txt", text, Source("a.ann", annotations))
            corpus = read(source, ReadOptions(format="brat"))
        else:
            if kind == "spacy" and not data.startswith(b"x"):
                data = zlib.compress(data)  # mutations of what is packed would hardly ever pass its checksum
            corpus = read(
                Source("a.txt" if kind == "any" else f"a.{kind}", data), format=None if kind == "any" else kind
            )
        list(corpus.sentences())
        corpus.describe()
        form, target = corpus.form, targets[zlib.crc32(data) % len(targets)]
        told = [form.kind, f"{form.strict} {form.header} {form.documents} {form.comments}", target]
        for step in (
            lambda: list(corpus.documents()),  # not every label is a part of a chunk
            lambda: write(corpus, os.path.join(_TEMPORARY.name, f"out.{target}"), target),  # nor can it hold every text
        ):
            try:
                step()
            except (InputError, OutputError) as error:
                told.append(str(error))
        return " ".join(told)

    door.__doc__ = f"Files of the format {kind}, written again in another one."
    return door


NATIVE: dict[str, Door] = {
    "columns": columns,
    "items": items,
    "templates": templates,
    "vocabularies": vocabularies,
    "arrow": arrow,
    "responses": responses,
    "crfsuite_file": crfsuite_file,
}
PYTHON: dict[str, Door] = {
    "model": model,
    "corpus": corpus,
    "template_json": template_json,
    "config": config,
    "settings": settings,
    "request": request,
    **service.DOORS,
    **foreign.DOORS,
    **{f"read_{kind}": _format(kind) for kind in (*READ, "any") if kind != "items"},
}


def seeds_of(name: str) -> list[bytes]:
    """The first inputs: the files in seeds/NAME, what was found before, and what has to be made."""
    files = [path for folder in (SEEDS, CRASHES) for path in sorted((folder / name).glob("*"))]
    return [path.read_bytes() for path in files] + list(_MADE.get(name, list)())


def _models() -> list[bytes]:
    path = Path(_TEMPORARY.name, "seed")
    words, labels = [["Anna", "sings"], ["In", "Rome"]], [["B-PER", "O"], ["O", "B-LOC"]]
    made = []
    for trained in (
        Model.train_words(words, labels, settings=Settings("adaptive", epochs=2)),
        Model.train_words(words, labels, template="words", settings=Settings("lbfgs", epochs=2)),
    ):
        trained.save(path)
        made.append(path.read_bytes())
    return made


def _docbins() -> list[bytes]:
    try:
        import spacy  # noqa: F401
    except ImportError:
        return []
    path = Path(_TEMPORARY.name, "seed.spacy")
    write(read([{"text": "Anna sings.", "spans": [[0, 4, "PER"]]}]), path)
    return [path.read_bytes(), zlib.decompress(path.read_bytes())]


_MADE: dict[str, Callable[[], list[bytes]]] = {
    "model": _models,
    "corpus": _corpora,
    "read_spacy": _docbins,
    **service.MADE,
    **foreign.MADE,
}
