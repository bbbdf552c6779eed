"""Answering: a batch of bodies → their answers, in the event loop or in a thread.

    bodies ─▶ Asked ─▶ tokenize ─▶ groups of one model and one wish ─▶ decode together ─▶ JSON for each

A wrong request must not spoil its neighbours: if a group is refused, each of its requests is decoded alone, so the
sentence about it counts from the beginning of that request.
"""

from itertools import islice
from time import monotonic
from typing import Any

from tagfield.apps.serve import explaining
from tagfield.apps.serve.decoding import Call, Row, decode
from tagfield.apps.serve.limits import Limits
from tagfield.apps.serve.log import log, place_of
from tagfield.apps.serve.pins import of_text, of_words
from tagfield.apps.serve.refusals import FAILED, Refusal, bad, too_late, too_many_tokens
from tagfield.apps.serve.registry import Registry, Served
from tagfield.apps.serve.requests import FORMS, Asked, Wanted, read_explain, read_tag
from tagfield.apps.serve.writing import text_sentence, word_fields
from tagfield.data.text.tokenizer.tokenizer import tokenize
from tagfield.data.text.tokenizer.tokens import Offsets
from tagfield.errors import InputError


class Job:
    """A body and its answer: bytes, or a refusal."""

    __slots__ = ("answer", "body", "deadline", "explain", "future", "sentences", "tokens")

    def __init__(self, body: bytes, deadline: float, *, explain: bool = False, future: Any = None) -> None:
        self.body, self.deadline, self.explain, self.future = body, deadline, explain, future
        self.answer: bytes | Refusal | None = None
        self.sentences = self.tokens = 0


class _Read:
    """A request, with its sentences."""

    __slots__ = ("asked", "job", "known", "offsets", "sentences", "served")

    def __init__(self, job: Job, asked: Asked, served: Served, limits: Limits) -> None:
        self.job, self.asked, self.served = job, asked, served
        self.offsets: list[list[list[Offsets]]] = []  # by text, sentence and token
        self.sentences: list[Any] = asked.inputs  # lists of words, or of tokens of attributes
        self.known: list[Any] | None = None  # an entry for each sentence
        several = FORMS[asked.form].several
        if asked.wanted.reads == "text":
            self._cut(limits)
        if asked.known is not None:
            self.known = []
            for index, entry in enumerate(asked.known):
                where = f"known[{index}]" if several else "known"
                if asked.wanted.reads == "text":
                    self.known += of_text(entry, self.offsets[index], served.pins, where)
                else:
                    self.known.append(of_words(entry, where))
        job.sentences = len(self.sentences)
        job.tokens = sum(map(len, self.sentences))
        if job.tokens > limits.tokens:
            raise too_many_tokens(job.tokens, limits)
        if asked.wanted.n_best * job.tokens > limits.path_tokens:
            raise bad(f"n_best = {asked.wanted.n_best} is too many for {job.tokens:,} tokens; ask for fewer paths")

    def _cut(self, limits: Limits) -> None:
        """Texts into sentences of words."""
        if self.served.model.template is None:
            raise bad(f"model {self.served.name} has no template, so it reads attributes or sequences, not text")
        tokenizer = self.asked.wanted.tokenizer or self.served.model.default_tokenizer
        self.sentences = []
        count = 0
        for text in self.asked.inputs:
            offsets = tokenize(text, tokenizer)
            self.offsets.append(offsets)
            self.sentences += [[text[a:b] for a, b in sentence] for sentence in offsets]
            count += sum(map(len, offsets))
            if count > limits.tokens:
                raise too_many_tokens(count, limits)
            if monotonic() > self.job.deadline:
                raise too_late(limits)

    def write(self, rows: list[Row]) -> bytes:
        """The answer of a request, from the rows of its sentences."""
        labels, several, head = self.served.quoted, FORMS[self.asked.form].several, self.served.quoted_name
        if self.asked.wanted.reads != "text":
            found = [word_fields(row, labels) for row in rows]
            if several:
                return f'{{"model":{head},"results":[{",".join([f"{{{each}}}" for each in found])}]}}'.encode()
            return f'{{"model":{head},{found[0]}}}'.encode()
        each = iter(rows)
        texts = []
        for text, offsets in zip(self.asked.inputs, self.offsets, strict=True):
            found = [text_sentence(next(each), text, sentence, labels) for sentence in offsets]
            texts.append(f'"sentences":[{",".join(found)}]')
        if several:
            return f'{{"model":{head},"results":[{",".join([f"{{{each}}}" for each in texts])}]}}'.encode()
        return f'{{"model":{head},{texts[0]}}}'.encode()


class Answerer:
    """Answers batches of jobs; all threads use the same one.

    threads: of one call of the kernels, for large requests
    """

    def __init__(self, registry: Registry, limits: Limits, threads: int = 1) -> None:
        self._registry, self._limits, self._threads = registry, limits, threads

    def answer(self, jobs: list[Job]) -> None:
        """Fill in the answers of some jobs."""
        groups: dict[tuple[int, Wanted], list[_Read]] = {}
        for job in jobs:
            try:
                if monotonic() > job.deadline:
                    raise too_late(self._limits)
                if job.explain:
                    job.answer = self._explain(job)
                else:
                    asked = read_tag(job.body, self._limits)
                    read = _Read(job, asked, self._registry.find(asked.model), self._limits)
                    groups.setdefault((id(read.served), asked.wanted), []).append(read)
            except Exception as error:
                job.answer = _refusal(error)
        for group in groups.values():
            self._tag(group)

    def _tag(self, group: list[_Read]) -> None:
        sentences: list[Any] = []
        known: list[Any] | None = None
        for read in group:
            if read.known is not None and known is None:
                known = [None] * len(sentences)
            sentences += read.sentences
            if known is not None:
                known += read.known or [None] * len(read.sentences)
        first, deadline = group[0], max(read.job.deadline for read in group)
        call = Call(first.served, first.asked.wanted, self._limits, deadline, self._threads)
        try:
            rows = decode(call, sentences, known)
            for read in group:
                read.job.answer = read.write(list(islice(rows, len(read.sentences))))
        except Exception as error:
            if len(group) == 1 or not isinstance(error, InputError | Refusal):
                for read in group:
                    read.job.answer = _refusal(error)
                return
            for read in group:
                self._tag([read])

    def _explain(self, job: Job) -> bytes:
        question = read_explain(job.body, self._limits)
        asked, t = question.asked, question.token
        served = self._registry.find(asked.model)
        read = _Read(job, asked, served, self._limits)
        if t >= job.tokens:
            raise bad(f"token {t} does not exist; the input has {job.tokens:,} tokens, counted from 0")
        s = 0
        while t >= len(read.sentences[s]):
            t -= len(read.sentences[s])
            s += 1
        known = None if read.known is None else read.known[s]
        found = explaining.explanation(served, read.sentences[s], t, known, asked.wanted, question.expected)
        return explaining.write(found, served, question.token, _text_of(read.sentences[s][t]))


def _text_of(token: Any) -> str | None:
    """The word of a token, which may have several columns; None for attributes.

    >>> _text_of("Anna"), _text_of(("Anna", "NNP")), _text_of(["w=Anna"])
    ('Anna', 'Anna', None)
    """
    found = token[0] if isinstance(token, tuple) and token else token
    return found if isinstance(found, str) else None


def _refusal(error: Exception) -> Refusal:
    """What a client is told about an error; the unexpected ones are only logged."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, InputError):
        return bad(str(error))
    log("error", "a request failed", **place_of(error))
    return Refusal(FAILED, "the server failed to answer this request; its log says where")
