"""CRF: linear-chain CRFs for scikit-learn, under sklearn-crfsuite's names.

    fit, partial_fit ─▶ fitting.py ─▶ FittedModel          predict… ─▶ Predictor (the model, constraints, n_jobs)

estimator.py has the arguments, the fitted attributes and the files, reading.py the forms of X and y.
"""

import inspect
import warnings
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, TypeAlias, overload

from numpy.typing import ArrayLike

from tagfield.compat.sklearn.estimator import ARGUMENTS, Estimator
from tagfield.compat.sklearn.fitting import Given, fit, hooks, learn
from tagfield.compat.sklearn.own_trainer import fit_with_trainer
from tagfield.compat.sklearn.parameters import documented_arguments
from tagfield.compat.sklearn.predicting import Compared, Known
from tagfield.compat.sklearn.sequences import SequenceList
from tagfield.compat.sklearn.weight_tables import largest
from tagfield.data.corpus import Corpus
from tagfield.data.dataset import Doubles
from tagfield.data.text.sources import PathLike
from tagfield.data.text.tokenizer.tokenizer import Tokenizer
from tagfield.errors import InputError
from tagfield.inference.spans import Span
from tagfield.model.explain import SizeReport
from tagfield.model.explanation import Explanation
from tagfield.model.sentences import Sentences
from tagfield.model.tagged import TaggedText
from tagfield.system.checks import not_none, number, whole

Sequences: TypeAlias = Iterable[Any]  # of X or y
Texts: TypeAlias = list[str] | tuple[str, ...]


class CRF(Estimator):
    """A linear-chain CRF for scikit-learn, with sklearn-crfsuite's arguments and methods.

    X is a list (or any iterable) of sequences, and a sequence is a list of tokens. With a template, a token is a word,
    or a tuple of strings if the template reads several columns. Without one, a token is a dict of features, as in
    python-crfsuite, or a list of attribute strings. y has one label per token: any hashable value, or None for an
    unknown label.

    Each option applies to some algorithms; fit raises InputError if you set one that your algorithm does not have.

    algorithm: lbfgs, l2sgd, ap, pa or arow, as in CRFsuite; or a recipe of tagfield, such as u2.g1. Default: lbfgs, and
        adaptive for partial_fit, which cannot use lbfgs. CRF("default") trains as `tagfield train` does: in a few
        passes, with averaged AdaGrad on all features.
    min_freq: Drop features that occur less often. Default: 0.
    all_possible_states, all_possible_transitions: Create a weight for every possible pair of attribute and label, or of
        two labels, and not only for those in the data. Default: False.
    max_iterations: Maximum number of passes over the data. Default: 1000 for l2sgd and the recipes of tagfield, 100 for
        ap, pa and arow, no limit for lbfgs.
    template: How to make features of words: 'auto' for the preset that fits the labels, the name of a preset (ner, pos,
        segmentation, …), the path of a template file, or a Template. Default: None, for X that has features already.
    {options}
    verbose: Print a line after every pass. Default: False.
    model_filename: File that fit saves the model to, in tagfield's format, or in CRFsuite's if the name ends in
        .crfsuite. An unfitted CRF loads the model from it, and warm_start and partial_fit continue from it.
    keep_tempfiles: Accepted for compatibility with sklearn-crfsuite.
    trainer_cls: A subclass of `tagfield.pycrfsuite.Trainer` that fit trains with, in sklearn-crfsuite's steps.
    class_weight: What a token of each label weighs in the likelihood: a dict of label to weight, or 'balanced', for
        n_tokens / (n_classes · n_tokens of the class). More tokens of a heavy class are found, at the price of false
        ones. For lbfgs, l2sgd, adaptive and default. Default: every class has weight 1.
    warm_start: Continue from the weights, attributes and labels of the last fit. Default: False.
    early_stopping: Stop when the score `monitor` on held-out data has not improved for n_iter_no_change passes. Keeps
        the best weights. Held-out data is eval_set or X_dev; without them, validation_fraction of the sequences.
    constraints: 'BIO', 'IOB1', 'IOBES', 'BILOU', a matrix [L, L] or a function (before, after) that returns whether one
        label may follow another, with None for the start and the end: the labels that may follow each other in
        predictions. With constrain_training=True, training uses the constraints too. Default: those of the model file,
        if one was loaded; False for none.
    random_state: Random seed. The same seed gives the same model, bit by bit, on any number of threads; None stands for
        one fixed seed.
    n_jobs: Number of threads; -1 uses every core. Results are the same bits on any number. Default: every core, or
        OMP_NUM_THREADS if that is less.
    callbacks: Functions that are called with an Epoch after every pass; training stops when one returns True.

    >>> crf = CRF(template="auto").fit([["the", "dog"], ["a", "cat"]], [["D", "N"], ["D", "N"]])
    >>> crf.predict([["the", "cat"]])
    [['D', 'N']]
    >>> X = [[{"w": "the"}, {"w": "dog"}], [{"w": "a"}, {"w": "cat"}]]
    >>> crf = CRF(c2=0.1).fit(X, [["D", "N"], ["D", "N"]])
    >>> crf.predict([[{"w": "the"}, {"w": "cat"}]])
    [['D', 'N']]
    """

    # Training

    def fit(
        self,
        X: Sequences | Corpus | PathLike,
        y: Sequences | None = None,
        X_dev: Sequences | None = None,
        y_dev: Sequences | None = None,
        *,
        sample_weight: ArrayLike | None = None,
        eval_set: tuple[Sequences, Sequences] | None = None,
    ) -> "CRF":
        """Train on X and y. Each is read once, so generators work: sequences are encoded as they come.

        X: Sequences; or a corpus on disk (`Corpus`, or the folder of `tagfield pack`), which has labels: leave y out.
        X_dev, y_dev or eval_set=(X, y): Held-out data. It is scored after every pass; see history_ and early_stopping.
        sample_weight: One weight per sequence.

        >>> CRF().fit([[["a"], ["b"]]], [["X", "Y"]]).classes_
        ['X', 'Y']
        """
        given = Given(X, y, X_dev, y_dev, sample_weight, eval_set)
        if self.trainer_cls is not None:
            return self._fit_with_trainer(given)
        before = self._made() if self.warm_start and self._found() else None
        self._fitted, trained = fit(self._arguments(), before, given)
        self.generated_ = trained.features.size
        self.history_ = [epoch.to_dict() for epoch in trained.history]
        self.n_iter_, self.converged_ = len(trained.history), trained.converged
        self.stop_reason_, self.rate_ = trained.stop_reason, getattr(trained.settings.recipe, "rate", None)
        if trained.fell_back:  # the model is not what the user asked for, so warn
            warnings.warn(f"fit: {trained.stop_reason}", UserWarning, stacklevel=2)
        return self

    def _fit_with_trainer(self, given: Given) -> "CRF":
        model, trainer = fit_with_trainer(vars(self._arguments()), inspect.signature(Estimator), given)
        log = getattr(trainer, "logparser", None)
        self._restore(model).log = log
        self.history_ = [] if log is None else list(log.iterations)
        self.n_iter_, self.converged_, self.rate_ = len(self.history_), False, None
        self.stop_reason_ = f"{type(trainer).__name__}.train ended"
        self.__dict__.pop("generated_", None)
        return self

    def partial_fit(
        self, X: Sequences, y: Sequences, classes: Iterable[Any] | None = None, sample_weight: ArrayLike | None = None
    ) -> "CRF":
        """Learn from the next part of a stream, in the order given; new attributes are added as they come.

        The optimiser continues where it stopped, also after pickle, save and load. So the result does not depend on how
        the stream is cut into parts, and the cost of a call depends on its own sequences only.

        classes: Every label of the stream, for the first call. Default: the labels of the first part. You may repeat
            them in later calls.

        >>> crf = CRF()
        >>> crf.partial_fit([[["a"], ["b"]]], [["X", "Y"]]).partial_fit([[["c"]]], [["Y"]]).num_attributes_
        3
        """
        after, passes = hooks(self._arguments()), getattr(self, "n_iter_", 0) + 1
        history = getattr(self, "history_", [])
        seconds = float(history[-1]["seconds"]) if history else 0.0
        given = Given(X, y, sample_weight=sample_weight)
        self._fitted = learn(self._arguments(), self._found(), given, classes, passes, seconds)
        epoch = self._fitted.epochs[-1]
        self.history_, self.n_iter_, self.rate_ = [*history, epoch.to_dict()], passes, epoch.rate
        self.converged_, self.stop_reason_ = False, "partial_fit makes one pass"
        self.__dict__.pop("generated_", None)
        after(epoch)
        return self

    # Predictions

    def predict(self, X: Sequences, known: Known = None) -> list[list[Any]]:
        """The best labels of each sequence.

        known: Labels that you already know, one entry per sequence: None, a dict of position to label, or a list with
            one entry per token: None, a label, or a set of labels. `constraints` apply as well.

        >>> crf = CRF().fit([[["a"], ["b"]]], [["X", "Y"]])
        >>> crf.predict([[["a"], ["b"]]]), crf.predict([[["a"], ["b"]]], known=[{0: "Y"}])
        ([['X', 'Y']], [['Y', 'Y']])
        """
        rows = self._one_by_one("predict_single", X, known)
        return SequenceList(self._predictor().labels(X, known) if rows is None else rows)

    def predict_single(self, xseq: Sequences, known: Any = None) -> list[Any]:
        """The best labels of one sequence. If you override it, `predict` and `score` use it."""
        [labels] = self._predictor().labels([xseq], None if known is None else [known])
        return labels

    def predict_marginals(self, X: Sequences, known: Known = None) -> list[list[dict[Any, float]]]:
        """{label: probability} for each token of each sequence.

        `predict_marginals_arrays` returns the same numbers in arrays, three times as fast.

        >>> crf = CRF(c2=0.01).fit([[["a"], ["b"]]], [["X", "Y"]])
        >>> [[first, second]] = crf.predict_marginals([[["a"], ["b"]]])
        >>> max(first, key=first.get), round(second["Y"], 1)
        ('X', 1.0)
        """
        rows = self._one_by_one("predict_marginals_single", X, known)
        return SequenceList(self._predictor().probabilities(X, known) if rows is None else rows)

    def predict_marginals_single(self, xseq: Sequences, known: Any = None) -> list[dict[Any, float]]:
        """{label: probability} for each token of one sequence. If you override it, `predict_marginals` uses it."""
        [rows] = self._predictor().probabilities([xseq], None if known is None else [known])
        return rows

    def predict_marginals_arrays(self, X: Sequences) -> list[Any]:
        """The same probabilities as one float32 array [tokens, labels] per sequence; columns follow classes_."""
        decoder = self._predictor().decoder(X)
        node = decoder.marginals()
        return [node[start:end] for start, end in pairwise(decoder.tokens.tolist())]

    def predict_nbest(self, X: Sequences, n: int, known: Known = None) -> list[list[tuple[list[Any], float]]]:
        """The n most probable label sequences of each sequence, best first, with their probabilities.

        With constraints or known labels, the probabilities of all allowed label sequences add up to 1.

        >>> crf = CRF().fit([[["a"], ["b"]]], [["X", "Y"]])
        >>> [labels for labels, _ in crf.predict_nbest([[["a"], ["b"]]], 2)[0]]
        [['X', 'Y'], ['Y', 'Y']]
        """
        predictor = self._predictor()
        n = whole("n", n)
        if not 0 < n < 2**31:
            raise InputError(f"n must be at least 1 and below 2**31, got {n}")
        classes = predictor.fitted.classes
        found = predictor.decoder(X, known).n_best(n)
        return [[([classes[i] for i in path], p) for path, p in paths] for paths in found]

    def predict_log_probability(self, X: Sequences, y: Sequences) -> Doubles:
        """log p(y | x) of each sequence; −inf if y breaks the constraints or contains a label unknown to the model.

        With constraints, the probabilities of all allowed label sequences add up to 1, as in predict_nbest.
        """
        predictor = self._predictor()
        return predictor.log_probability(X, not_none("y", y, "pass the label sequences whose probability you want"))

    def predict_spans(self, X: Sequences, known: Known = None) -> list[list[Span]]:
        """The chunks in the best labels of each sequence, with their probabilities.

        conlleval's rules find the chunks (B-NP, I-NP, …). The probability of a chunk is that of all label sequences
        with exactly this chunk.

        >>> crf = CRF(c2=0.01).fit([[["a"], ["b"], ["c"]]], [["B-X", "I-X", "O"]])
        >>> [(span.type, span.start, span.end) for span in crf.predict_spans([[["a"], ["b"], ["c"]]])[0]]
        [('X', 0, 2)]
        """
        predictor = self._predictor()
        return predictor.decoder(X, known).spans(predictor.model.label_names)

    @overload
    def tag_text(
        self, text: str, tokenizer: Tokenizer | None = None, *, n_best: int = 0, probabilities: bool = True
    ) -> TaggedText: ...

    @overload
    def tag_text(
        self, text: Texts, tokenizer: Tokenizer | None = None, *, n_best: int = 0, probabilities: bool = True
    ) -> list[TaggedText]: ...

    def tag_text(
        self, text: str | Texts, tokenizer: Tokenizer | None = None, *, n_best: int = 0, probabilities: bool = True
    ) -> TaggedText | list[TaggedText]:
        """Split text into sentences and words, and label them; for a CRF with a template. See `Model.tag_text`.

        >>> crf = CRF(template="ner").fit([["Anna", "left"], ["It", "left"]], [["B-PER", "O"], ["O", "O"]])
        >>> print(crf.tag_text("It left. Anna left."))
        It left. [Anna PER] left.
        """
        predictor = self._predictor()
        model, labels = predictor.model, list(predictor.fitted.classes)
        sentences = Sentences.of(text, tokenizer or model.default_tokenizer)
        decoder = predictor.decoder(model.read_text(sentences.words()))
        tagged = sentences.tagged(decoder, model.label_names, labels, n_best=n_best, probabilities=probabilities)
        return tagged[0] if isinstance(text, str) else tagged

    def score(self, X: Sequences, y: Sequences, sample_weight: ArrayLike | None = None) -> float:
        """Token accuracy: the fraction of correct labels. sample_weight has one weight per sequence.

        Tokens with the label None do not count.

        >>> X, y = [[["a"], ["b"]]], [["X", "Y"]]
        >>> CRF().fit(X, y).score(X, y)
        1.0
        """
        predictor = self._predictor()
        not_none("y", y, "score needs the gold labels")
        overridden = self._overrides("predict") or self._overrides("predict_single")
        found = Compared.of(self.predict(X), y, predictor.fitted.names) if overridden else predictor.compare(X, y)
        return found.accuracy(sample_weight)

    # What it learned

    def top_features(self, n: int = 20, label: Any = None) -> list[tuple[str, Any, float]]:
        """The n state features with the largest absolute weights, as (attribute, label, weight).

        >>> crf = CRF().fit([[["a"], ["b"]]] * 3, [["X", "Y"]] * 3)
        >>> [(attribute, label) for attribute, label, _ in crf.top_features(1, label="Y")]
        [('b', 'Y')]
        """
        return largest(self._made().state_features, n, label)

    def top_transitions(self, n: int = 20) -> list[tuple[Any, Any, float]]:
        """The n transitions with the largest absolute weights, as (from, to, weight)."""
        return largest(self._made().transition_features, n)

    def explain(self, xseq: Any, t: int, *, expected: Any = None, words: Sequence[str] | None = None) -> Explanation:
        """Show why the token at position t gets its label rather than the second-best one, or the expected one.

        words: the words of the sequence, to show with the explanation; with a template they are known

        >>> crf = CRF(c2=0.1).fit([[["a"], ["b"]]] * 3, [["X", "Y"]] * 3)
        >>> why = crf.explain([["a"], ["b"]], 1)
        >>> why.label, why.runner_up, abs(sum(amount for _, amount in why.separates) - why.difference) < 1e-9
        ('Y', 'X', True)
        """
        return self._predictor().explain(xseq, t, expected, words)

    def size_report(self) -> SizeReport:
        """The size of the model, by its parts."""
        return SizeReport.of(self._predictor().model)

    def prune(self, threshold: float = 0.0) -> "CRF":
        """Remove weights of absolute value ≤ `threshold`, and attributes that have no weight left; returns self.

        With threshold 0 predictions do not change: only weights of 0 are removed, such as c1 produces.
        """
        self.model_ = self._predictor().model.pruned(number("threshold", threshold))
        return self

    # Overridden methods, as in sklearn-crfsuite: predict follows predict_single

    def _overrides(self, method: str) -> bool:
        """Whether a subclass or this object has its own method of this name."""
        return getattr(getattr(self, method), "__func__", None) is not getattr(CRF, method)

    def _one_by_one(self, method: str, X: Sequences, known: Known) -> list[Any] | None:
        """What the method returns for each sequence, if it is overridden; otherwise None."""
        if not self._overrides(method):
            return None
        single, X = getattr(self, method), not_none("X", X, "pass a list of sequences")
        return [single(x) for x in X] if known is None else [single(x, k) for x, k in zip(X, known, strict=True)]


CRF.__doc__ = documented_arguments(CRF.__doc__ or "", list(ARGUMENTS))
