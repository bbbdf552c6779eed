"""Model files that are replaced under a running service: each answer is that of one of the two models, as a whole.

two models ─▶ what each answers to every request, in this process
tagfield serve FILE ─▶ threads that ask ─▶ answers, while FILE is replaced by one model and the other in turn
"""

import json
import random
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from tagfield import Model
from tagfield.apps.serve.answering import Answerer, Job
from tagfield.apps.serve.limits import Limits
from tagfield.apps.serve.registry import ModelFile, Registry
from tests.hunt.answers import check
from tests.hunt.races import sentences_of, trained
from tests.support.service import PATIENCE, Service, served

CLIENTS, SWAPS, REQUESTS = 3, 4, 12
LATER = 1e18  # a deadline that does not come


def round_of(seed: int) -> int:
    """One service and its swaps; how many answers there were."""
    rng = np.random.default_rng(seed)
    models = [trained(rng), trained(rng, c2=0.5)]
    bodies = [body_of(rng) for _ in range(REQUESTS)]
    with TemporaryDirectory() as folder:
        wanted = [alone(model, bodies, Path(folder, "alone")) for model in models]
        check(wanted[0] != wanted[1], "the two models give the same answers")
        path = Path(folder, "m.tagfield")
        models[0].save(path)
        with served(path) as service:
            return swap(service, path, models, bodies, wanted, random.Random(seed))


def body_of(rng: np.random.Generator) -> bytes:
    """A request of one sentence, of several, or of text."""
    sentences = sentences_of(rng, int(rng.integers(1, 6)))
    forms: list[dict[str, Any]] = [
        {"words": sentences[0], "n_best": 2},
        {"sentences": sentences, "probabilities": True},
        {"text": " ".join(sentences[0]), "tokenizer": "whitespace"},
        {"texts": [" ".join(words) for words in sentences], "tokenizer": "whitespace", "n_best": 2},
    ]
    return json.dumps(forms[rng.integers(len(forms))]).encode()


def alone(model: Model, bodies: list[bytes], path: Path) -> list[Any]:
    """What a model answers in this process."""
    model.save(path)
    jobs = [Job(body, LATER) for body in bodies]
    Answerer(Registry([ModelFile("m", str(path))]), Limits(), 1).answer(jobs)
    refused = [job.answer for job in jobs if not isinstance(job.answer, bytes)]
    check(not refused, "refused", refused)
    return [json.loads(job.answer) for job in jobs if isinstance(job.answer, bytes)]


def swap(
    service: Service, path: Path, models: list[Model], bodies: list[bytes], wanted: list[list[Any]], rng: random.Random
) -> int:
    ended, wrong, answered = threading.Event(), list[Any](), [0] * CLIENTS

    def ask(client: int, chosen: random.Random) -> None:
        while not ended.is_set():
            k = chosen.randrange(len(bodies))
            try:
                status, found = service.post("/v1/tag", bodies[k])
            except OSError as error:
                status, found = 0, repr(error)
            answered[client] += 1
            if status != 200 or found not in (wanted[0][k], wanted[1][k]):
                wrong.append((bodies[k], status, found, wanted[0][k], wanted[1][k]))
                return

    clients = [threading.Thread(target=ask, args=(c, random.Random(rng.random()))) for c in range(CLIENTS)]
    for client in clients:
        client.start()
    try:
        for k in range(1, SWAPS + 1):
            models[k % 2].save(path)
            replaced(service)
            now = [service.post("/v1/tag", body)[1] for body in bodies]
            check(now == wanted[k % 2], "an answer after the swap is not that of the new model")
    finally:
        ended.set()
        for client in clients:
            client.join(PATIENCE)
    check(not wrong, "an answer belongs to neither model", *wrong[:1])
    return sum(answered) + SWAPS * len(bodies)


def replaced(service: Service) -> None:
    """Wait until the log says so."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        line = service.log()
        if line["message"] == "the model was replaced":
            return
        check(line["level"] == "info", "the service complains", line)
    raise AssertionError("the service has not replaced its model")
