"""The teacher: a thread that trains a model whenever something was labelled, ranks the pool, and saves the model.

    told ─▶ the newest sentences ─▶ learn ─▶ rank a sample of the pool ─▶ score held-out data ─▶ Taught ─▶ publish
                                                                                               └─▶ every 10: save

Sentences that arrive while it trains are all learned in the next round. A round that fails leaves the old model in
place and says why.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tagfield.apps.annotate.choosing import least_sure_first, unsure
from tagfield.apps.annotate.learning import Cells, Learning
from tagfield.apps.annotate.progress import held_out_score
from tagfield.apps.serve.log import log, place_of
from tagfield.errors import TagfieldError
from tagfield.model.model import Model

SAMPLE = 200  # sentences of the pool that are ranked in a round
SAVE_EVERY = 10  # sentences

Labels = Sequence[str]


@dataclass(frozen=True)
class Lesson:
    """What to learn from, and what may be shown next."""

    sentences: list[Cells]
    labels: list[Labels]
    candidates: list[int]  # indices of the pool


@dataclass(frozen=True)
class Taught:
    """A model, and the candidates in the order to show them in."""

    model: Model
    ranking: list[int]
    sentences: int  # labelled sentences that it has learned from
    score: float | None  # on held-out data


class Teacher:
    """The thread. `lesson` is called in it, for the newest state; `publish` gets what came of it.

    cells: the sentences of the pool, as the template reads them
    dev: held-out sentences and their labels
    path: the file for the model
    """

    def __init__(
        self,
        learning: Learning,
        cells: Sequence[Cells],
        lesson: Callable[[], Lesson],
        publish: Callable[[Taught | None], None],
        path: str | None = None,
        dev: tuple[list[Cells], list[Labels]] | None = None,
        spans: bool = True,
        seed: int = 0,
    ) -> None:
        self._learning, self._cells, self._lesson, self._publish = learning, cells, lesson, publish
        self._path, self._dev, self._spans = path, dev, spans
        self._rng = np.random.default_rng(seed)
        self._changed = threading.Condition()
        self._told = self._done = 0  # rounds that were asked for, and that are finished
        self._ending = False
        self._saved = -SAVE_EVERY  # sentences of the model that was saved last
        self._latest: Taught | None = None
        self.trouble: str | None = None
        self._thread = threading.Thread(target=self._run, name="tagfield-annotate", daemon=True)
        self._thread.start()

    def tell(self) -> None:
        """Something was labelled or taken back."""
        with self._changed:
            self._told += 1
            self._changed.notify_all()

    def settle(self, seconds: float) -> bool:
        """Wait at most `seconds` until the model has learned everything; whether it has."""
        with self._changed:
            return self._changed.wait_for(lambda: self._done >= self._told or self._ending, seconds)

    def close(self) -> None:
        """Learn what is left, save the model, and end the thread."""
        with self._changed:
            self._ending = True
            self._changed.notify_all()
        self._thread.join()
        if self._latest is not None and self._latest.sentences != self._saved:
            self._save(self._latest)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._told > self._done or self._ending)
                if self._told == self._done:
                    return
                round_ = self._told
            try:
                self._teach(self._lesson())
                self.trouble = None
            except TagfieldError as error:
                self.trouble = f"the model was not trained: {error}"
            except Exception as error:  # the thread must live on
                self.trouble = "the model was not trained; the log says why"
                log("error", "training failed", **place_of(error))
            with self._changed:
                self._done = round_
                self._changed.notify_all()

    def _teach(self, lesson: Lesson) -> None:
        if not lesson.sentences and self._learning.start is None:
            self._latest = None
            self._publish(None)  # the only sentence was taken back
            return
        if lesson.sentences:
            model = self._learning.learn(lesson.sentences, lesson.labels)
        else:
            assert self._learning.start is not None
            model = self._learning.start
        ranking = self._rank(model, lesson.candidates)
        score = None
        if self._dev is not None:
            score = held_out_score(self._dev[1], model.tag_words(self._dev[0]), spans=self._spans)
        taught = self._latest = Taught(model, ranking, len(lesson.sentences), score)
        self._publish(taught)
        if abs(taught.sentences - self._saved) >= SAVE_EVERY:
            self._save(taught)

    def _rank(self, model: Model, candidates: list[int]) -> list[int]:
        if len(candidates) > SAMPLE:
            candidates = [candidates[k] for k in self._rng.choice(len(candidates), SAMPLE, replace=False)]
        if not candidates:
            return []
        doubt = unsure(model, [self._cells[i] for i in candidates])
        return [candidates[k] for k in least_sure_first(doubt, self._rng)]

    def _save(self, taught: Taught) -> None:
        if self._path is None or not taught.sentences:
            return
        try:
            taught.model.save(self._path)
            self._saved = taught.sentences
        except TagfieldError as error:
            self.trouble = f"the model was not saved: {error}"
            log("error", "the model was not saved", why=error)
