"""A session: who labels what. All methods may be called from any thread; they hold one lock.

    next    ─▶ a sentence is leased to a client, with the labels that the model suggests
    answer  ─▶ checked ─▶ appended to the file (fsync) ─▶ the teacher trains again
    undo    ─▶ the client's last sentence leaves the file, and is leased to the client again, as it was left
    skip    ─▶ the sentence comes again when no other is left

A lease keeps two people from the same sentence. It ends after three minutes without a request from the page. The first
answer for a sentence counts; a second one is refused, unless it is the same one again, because its acknowledgement
was lost.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

from tagfield.apps.annotate.choosing import Cover
from tagfield.apps.annotate.labelled_file import LabelledFile
from tagfield.apps.annotate.labelled_lines import Labelled
from tagfield.apps.annotate.labelling import Labelling
from tagfield.apps.annotate.learning import Cells, Learning
from tagfield.apps.annotate.pool import Pool, key_of
from tagfield.apps.annotate.progress import Progress
from tagfield.apps.annotate.teacher import Labels, Lesson, Taught, Teacher
from tagfield.apps.serve.log import log
from tagfield.apps.serve.refusals import CONFLICT, NOT_FOUND, Refusal
from tagfield.data.labels.schemes import OUTSIDE, Chunk
from tagfield.data.text.records import Sentence
from tagfield.data.text.templates.fitting import cells_for
from tagfield.data.text.templates.template import Template
from tagfield.errors import InputError, TagfieldError
from tagfield.model.model import Model

LEASE = 180.0  # seconds
WAIT = 0.4  # seconds that a client waits for the newest model
Shown = dict[str, Any]  # a sentence as the page gets it
Suggestion = tuple[list[str], list[float]]  # labels and their probabilities
COVERED = 3  # sentences by coverage, before a model's doubts mean something


@dataclass(frozen=True)
class Lease:
    """A sentence that a client works on."""

    client: str
    until: float
    shown: list[str] | None  # labels that a model suggested


@dataclass(frozen=True)
class Done:
    """A sentence that was labelled in this session."""

    client: str
    index: int
    labels: tuple[str, ...]


class Session:
    """Sentences, labels and a model that learns."""

    def __init__(
        self,
        pool: Pool,
        file: LabelledFile,
        labelling: Labelling,
        learning: Learning,
        *,
        model_path: str | None = None,
        dev: list[Sentence] | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.pool, self.labelling, self.model_path = pool, labelling, model_path
        self._file, self._learning, self._clock = file, learning, clock
        self._lock = threading.RLock()
        self._place = {key: index for index, key in enumerate(pool.keys)}
        self._cells = [cells_for(learning.template, sentence) for sentence in pool.sentences]
        self._cover = Cover([sentence.words for sentence in pool.sentences])
        self._done: set[int] = set()
        self._history: list[Done] = []
        self._leases: dict[int, Lease] = {}
        self._skipped: dict[int, None] = {}
        self._taught: Taught | None = None
        spans = labelling.scheme is not None
        held_out: tuple[list[Cells], list[Labels]] | None = None
        if dev is not None:
            held_out = ([cells_for(learning.template, each) for each in dev], [_gold(each) for each in dev])
        self.progress = Progress("unchanged" if dev is None else "F1" if spans else "accuracy")
        self._counted = -1  # version of the file
        self._recount()
        self._teacher = Teacher(
            learning, self._cells, self._next_lesson, self._publish, model_path, held_out, spans=spans
        )
        self._teacher.tell()

    def close(self) -> None:
        """Learn what is left, save the model, let go of the file; say whether another program has changed it."""
        self._teacher.close()
        try:
            with self._lock:
                self._file.refresh(self._check)
        except TagfieldError as error:
            log("warning", "the file is not as this page left it", why=error)
        self._file.close()

    def settle(self, seconds: float = WAIT) -> bool:
        """Wait at most `seconds` until the model has learned everything; whether it has."""
        return self._teacher.settle(seconds)

    @property
    def model(self) -> Model | None:
        """The newest model."""
        return None if self._taught is None else self._taught.model

    @property
    def template(self) -> Template:
        """The template of the model."""
        return self._learning.template

    # What clients ask

    def next(self, client: str) -> Shown | None:
        """The sentence that a client should label now; None if there is none left for it."""
        with self._lock:
            index = self._held_by(client)
            if index is None:
                index = self._choose()
            if index is None:
                return None
            return self._lend(client, index, self._suggestion(index))

    def answer(self, client: str, key: str, marks: list[Chunk]) -> None:
        """Save what a client left of a sentence; Refusal or InputError if that is not possible."""
        with self._lock:
            index = self._find(key)
            sentence = self.pool.sentences[index]
            labels = self.labelling.labels(marks, len(sentence.tokens))
            self._look()
            if index in self._done:
                here = [done for done in self._history if done.index == index]
                if any(done.client == client and done.labels == tuple(labels) for done in here):
                    return  # its acknowledgement was lost
                if not here and Labelled(sentence.tokens, tuple(labels)) in self._file.sentences:
                    return  # the same, and the process was started again since
                raise Refusal(CONFLICT, "this sentence was labelled in another window; the first answer is kept")
            self._file.append(sentence.tokens, labels)
            lease = self._leases.pop(index, None)
            self._done.add(index)
            self._skipped.pop(index, None)
            self._history.append(Done(client, index, tuple(labels)))
            self._cover.see(sentence.words)
            if lease is not None and lease.shown is not None:
                left = self.labelling.marks(labels)
                self.progress.corrected(key, lease.shown, labels, self.labelling.marks(lease.shown), left)
        self._teacher.tell()

    def skip(self, client: str, key: str) -> None:
        """Put a sentence off until no other is left."""
        with self._lock:
            index = self._find(key)
            if self._held_by(client) == index:
                del self._leases[index]
            self._skipped.pop(index, None)
            self._skipped[index] = None

    def undo(self, client: str) -> Shown:
        """Take back the client's last sentence; without one, the last sentence of the file from before this session."""
        with self._lock:
            self._look()
            mine = next((done for done in reversed(self._history) if done.client == client), None)
            index = self._last_before() if mine is None else mine.index
            rows = self.pool.sentences[index].tokens
            found = next(each for each in reversed(self._file.sentences) if each.rows == rows)
            self._file.take_back(found)
            if mine is not None:
                self._history.remove(mine)
            self.progress.forget(self.pool.keys[index])
            self._recount()
            held = self._held_by(client)
            if held is not None:
                del self._leases[held]
            shown = self._lend(client, index, None, list(found.labels))
        self._teacher.tell()
        return shown

    def add_label(self, name: str) -> None:
        """A new label; InputError if it cannot be one."""
        with self._lock:
            self.labelling = self.labelling.with_name(name)

    def state(self, client: str | None = None) -> dict[str, Any]:
        """What the page shows around the sentence. It also keeps the client's lease alive."""
        with self._lock:
            held = None if client is None else self._held_by(client)
            if held is not None:
                self._leases[held] = replace(self._leases[held], until=self._clock() + LEASE)
            mine = any(done.client == client for done in self._history)
            return {
                "labels": list(self.labelling.names),
                "spans": self.labelling.scheme is not None,
                "labelled": len(self._file),
                "left": len(self.pool) - len(self._done),
                "learned": None if self._taught is None else self._taught.sentences,
                "undo": mine or len(self._file) > len(self._history),
                "progress": self.progress.describe(),
                "trouble": self._teacher.trouble,
            }

    # The rest

    def _find(self, key: str) -> int:
        index = self._place.get(key)
        if index is None:
            raise Refusal(NOT_FOUND, "this sentence is not in the files that are labelled here; reload the page")
        return index

    def _held_by(self, client: str) -> int | None:
        now = self._clock()
        return next((i for i, lease in self._leases.items() if lease.client == client and lease.until > now), None)

    def _choose(self) -> int | None:
        now = self._clock()
        self._leases = {i: lease for i, lease in self._leases.items() if lease.until > now}
        taken = self._done | self._leases.keys()
        ranked = self._taught is not None and (self._learning.start is not None or len(self._done) >= COVERED)
        if self._taught is not None and ranked:
            found = next((i for i in self._taught.ranking if i not in taken and i not in self._skipped), None)
            if found is not None:
                return found
        free = [i for i in range(len(self.pool)) if i not in taken and i not in self._skipped][:5000]
        if free:
            return free[int(self._cover.gains(free).argmax())]
        return next((i for i in self._skipped if i not in taken), None)

    def _lend(self, client: str, index: int, shown: Suggestion | None, left: list[str] | None = None) -> Shown:
        """Lease a sentence; what the page needs of it. left: labels that a person has given it before."""
        labels = left if left is not None else None if shown is None else shown[0]
        self._leases[index] = Lease(client, self._clock() + LEASE, None if shown is None else shown[0])
        sentence = self.pool.sentences[index]
        names = set(self.labelling.names)
        marks = [] if labels is None else [mark for mark in self.labelling.marks(labels) if mark.label in names]
        return {
            "key": self.pool.keys[index],
            "words": list(sentence.words),
            "marks": [{"start": mark.start, "end": mark.end, "label": mark.label} for mark in marks],
            "sure": None if shown is None else [round(p, 4) for p in shown[1]],
            "suggested": shown is not None,
        }

    def _suggestion(self, index: int) -> Suggestion | None:
        """The best labels of a sentence and their probabilities."""
        model = self.model
        if model is None:
            return None
        best = model.decoder(model.read_words([self._cells[index]])).best_with_probabilities()
        return [model.label_names[y] for y in best.labels.tolist()], best.token.tolist()

    def _last_before(self) -> int:
        """The last sentence of the file that was there before this session."""
        ours = {done.index for done in self._history}
        for each in reversed(self._file.sentences):
            index = self._place.get(key_of(each.rows))
            if index is not None and index not in ours:
                return index
        raise Refusal(CONFLICT, "there is nothing to undo")

    def _look(self) -> None:
        """Whether another program has changed the file; OutputError if it cannot be read, or lacks what we labelled."""
        try:
            self._file.refresh(self._check)
        finally:
            if self._file.version != self._counted:
                self._recount()
                self._teacher.tell()

    def _check(self, sentences: Sequence[Labelled]) -> None:
        """InputError if the labels of some sentences are not of this kind."""
        labelling = self.labelling
        for each in sentences:
            for mark in labelling.marks(_known(each, labelling)):
                labelling = labelling.with_name(mark.label)

    def _recount(self) -> None:
        """What is labelled, from the file, which another program may have changed."""
        self._counted = self._file.version
        found = [self._place.get(key_of(each.rows)) for each in self._file.sentences]
        self._done = {index for index in found if index is not None}
        self._history = [done for done in self._history if done.index in self._done]
        for each in self._file.sentences:
            self._cover.see([row[0] for row in each.rows])
            for mark in self.labelling.marks(_known(each, self.labelling)):
                self.labelling = self.labelling.with_name(mark.label)

    def _next_lesson(self) -> Lesson:
        """Called by the teacher's thread."""
        with self._lock:
            labelled = [each for each in self._file.sentences if each.rows]
            candidates = [i for i in range(len(self.pool)) if i not in self._done]
        roles = self.pool.roles
        cells = [cells_for(self._learning.template, Sentence(each.rows, None, roles)) for each in labelled]
        return Lesson(list(cells), [each.labels for each in labelled], candidates)

    def _publish(self, taught: Taught | None) -> None:
        with self._lock:
            self._taught = taught
            if taught is not None and taught.score is not None:
                self.progress.scored(taught.sentences, taught.score)


def _known(sentence: Labelled, labelling: Labelling) -> Sequence[str]:
    """The labels of a sentence of the file; InputError if they are not of this kind."""
    if labelling.scheme is None:
        return [y for y in sentence.labels if y != OUTSIDE or OUTSIDE in labelling.names]
    try:
        labelling.marks(sentence.labels)
    except InputError as error:
        raise InputError(f"{error}; is it a file of tags? use --scheme none") from None
    return sentence.labels


def _gold(sentence: Sentence) -> Labels:
    if sentence.labels is None or None in sentence.labels:
        raise InputError(f"{sentence.where}: the sentence has no labels, but --dev needs labelled data")
    return [label for label in sentence.labels if label is not None]
