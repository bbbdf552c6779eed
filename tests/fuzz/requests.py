"""Bodies of requests to the service, as a door: an answer is JSON, and a refusal never the fault of the server."""

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tagfield import Model, encode_sequences
from tagfield.apps.serve.answering import Answerer, Job
from tagfield.apps.serve.limits import Limits
from tagfield.apps.serve.refusals import FAILED, Refusal
from tagfield.apps.serve.registry import ModelFile, Registry
from tagfield.errors import InputError


@cache
def _answerer() -> Answerer:
    """Two models: names, which reads words, and plain, which reads attributes."""
    with TemporaryDirectory() as folder:
        names, plain = Path(folder, "names"), Path(folder, "plain")
        words, labels = [["Anna", "sings"], ["In", "New", "York"]], [["B-PER", "O"], ["O", "B-LOC", "I-LOC"]]
        Model.train_words(words, labels, settings="lbfgs").save(names)
        Model.train(encode_sequences([[["a"], ["b"]]], [["X", "Y"]]), "lbfgs").save(plain)
        return Answerer(Registry([ModelFile("names", str(names)), ModelFile("plain", str(plain))]), Limits(tokens=2000))


def request(data: bytes) -> str:
    """A body, for /v1/tag and for /v1/explain."""
    jobs = [Job(data, 1e18), Job(data, 1e18, explain=True)]
    _answerer().answer(jobs)
    refused = [job.answer for job in jobs if isinstance(job.answer, Refusal)]
    assert all(refusal.status != FAILED for refusal in refused), refused
    told = []
    for job in jobs:
        if isinstance(job.answer, bytes):
            told.append(" ".join(sorted(json.loads(job.answer))))
    if len(refused) == len(jobs):
        raise InputError(str(refused[0]))
    return " ".join([*told, *map(str, refused)])
