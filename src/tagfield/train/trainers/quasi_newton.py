"""L-BFGS, and OWL-QN where the objective has c1·‖x‖₁, which has no derivative where a weight is 0.

    ◇f(x)  pseudo-gradient: ∇f + c1·sign(x); at x_i = 0 the one-sided slope that descends, or 0        (∇f without c1)
    d = −H·◇f,  d_i = 0 where it does not descend along ◇f              H from the last pairs of ∇f, without the ‖·‖₁
    ξ = sign(x), or −sign(◇f) at 0                                      the orthant
    x ← π(x + α·d; ξ),  x_i = 0 where it would leave the orthant        π and ξ only with c1

α starts at 1. With c1 it halves while f falls too little for the slope. Without, a line search finds a point that is
also flat enough (line_search.py), so that each pair has a positive curvature also where f is not convex.

The vectors are as large as the model, so an iteration makes few passes over them (native/kernel/gradient/vectors.hpp)
and no new arrays: what the oldest pair leaves behind is the room for the next point. H·◇f needs only the products of
the vectors with each other, which curvature.py keeps.

Dong C. Liu and Jorge Nocedal, "On the limited memory BFGS method for large scale optimization", 1989; Galen Andrew and
Jianfeng Gao, "Scalable training of L1-regularized log-linear models", ICML 2007. The rules for stopping and for the
first step are CRFsuite's: ‖◇f‖ < epsilon·max(1, ‖x‖), and what `report` says.

SciPy's L-BFGS-B handles bounds, which weights do not have, and took four times as long for its own work.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from tagfield.data.dataset import Doubles, Longs
from tagfield.errors import TrainingError
from tagfield.native import kernels
from tagfield.train.problem.problem import Problem
from tagfield.train.recipes.crfsuite_recipes import QuasiNewton
from tagfield.train.trainers.curvature import Curvature
from tagfield.train.trainers.line_search import SEARCHES, SHRINK, SUFFICIENT, Point
from tagfield.train.trainers.objective import Objective, Part, dot
from tagfield.train.trainers.ties import settle_ties
from tagfield.train.trainers.trainer import Figures, Finished, State, Trainer
from tagfield.weights.layout import Weights

Smooth = Callable[[Doubles, Doubles], float]  # f at a point, without the L1 term; ∇f is written to the second array


class Minimiser:
    """Minimises objective(x) + c1·‖x‖₁, one iteration at a time.

    >>> def square(x: Doubles, gradient: Doubles) -> float:
    ...     gradient[:] = 2 * (x - [3.0, 0.2])
    ...     return float((x - [3.0, 0.2]) @ (x - [3.0, 0.2]))
    >>> found = Minimiser(square, np.zeros(2), QuasiNewton(), c1=1.0)
    >>> try:
    ...     while True:
    ...         _ = found.step()
    ... except Finished as end:
    ...     print(found.x.round(4).tolist(), end)
    [2.5, 0.0] the gradient norm is below 1e-05 of the weights' norm
    """

    def __init__(
        self, objective: Smooth, start: Doubles, recipe: QuasiNewton, c1: float = 0.0, threads: int = 1
    ) -> None:
        self._objective, self._recipe, self._c1, self._threads = objective, recipe, c1, threads
        self._made = 0
        self.x, self.gradient = self._array(len(start)), self._array(len(start))
        self.x[:] = start
        self.value = objective(self.x, self.gradient)
        self.value += c1 * float(np.abs(self.x).sum()) if c1 else 0.0
        self.tried, self.length = 0, 0.0  # of the last line search: its points, and its step
        self.curvature = Curvature(recipe.num_memories, c1, threads)
        self.curvature.measure(self.x, self.gradient)
        self._room: list[Doubles] = []  # arrays for the next point and its gradient, and for the direction

    def decide_ties(self, settle: Callable[[Doubles], object]) -> None:
        """Corrects the gradient where rounding decides on which side of c1 it is."""
        settle(self.gradient)
        self.curvature.measure(self.x, self.gradient)

    def step(self) -> float:
        """One iteration; returns the new value, and raises Finished where there is nothing left to gain."""
        epsilon, at, x = self._recipe.epsilon, self.curvature, self.x
        if at.slope_norm <= epsilon * max(1.0, at.norm):
            raise Finished(f"the gradient norm is below {epsilon:g} of the weights' norm")
        while len(self._room) < 3:
            self._room.append(self._array(len(x)))
        candidate, gradient, direction = self._room
        found = self._search(candidate, gradient, direction)
        if found is None and at.pairs:  # the remembered pairs mislead: once more along the slope itself
            at.clear(x, self.gradient)
            found = self._search(candidate, gradient, direction)
        if found is None:
            if not math.isfinite(self.value):
                raise TrainingError(
                    "lbfgs: the objective left the range of numbers; nothing was saved. Give a larger c2, or scale "
                    "large values down"
                )
            raise Finished("no step along the gradient lowers the objective")
        self.value, self.length = found
        left = at.add(x, candidate, self.gradient, gradient)  # x and ∇ become s and y
        self.x, self.gradient = candidate, gradient
        self._room = [*left, direction]
        return self.value

    def _array(self, n: int) -> Doubles:
        """An array that begins at another place of its page than the last ones.

        A dozen arrays are read side by side; were entry i of each at the same place of a page, they would drive each
        other out of the first-level cache, which has room for eight of those: that took half as long again.
        """
        lines = 64 * self._made * 5 % 4096
        self._made += 1
        whole = np.empty(n + 2 * 512)
        first = (-whole.__array_interface__["data"][0] % 4096 + lines) // 8
        return whole[first : first + n]

    def release(self) -> None:
        """Lets go of all arrays that only another step would need."""
        self.curvature.pairs.clear()
        self._room.clear()

    def _search(self, candidate: Doubles, gradient: Doubles, direction: Doubles) -> tuple[float, float] | None:
        """A point along −H·◇f that is low enough: its value and step. It fills the three arrays."""
        x, at, threads = self.x, self.curvature, self._threads
        self.tried = 0
        slope, square = at.direction(x, self.gradient, direction)
        step = 1.0 if at.pairs else 1.0 / math.sqrt(square)
        if self._c1:
            return self._orthant_search(candidate, gradient, direction, step)

        last = start = Point(0.0, self.value, slope)

        def curve(step: float) -> Point:
            nonlocal last
            kernels.along(x, self.gradient, direction, step, 0.0, candidate, threads)
            last = Point(step, self._objective(candidate, gradient), dot(gradient, direction, threads))
            self.tried += 1
            return last

        found = SEARCHES[self._recipe.linesearch](curve, start, step, self._recipe.max_linesearch)
        if found is not None and found.step != last.step:  # seldom: out of tries, it returns an earlier point
            curve(found.step)
            self.tried -= 1
        return None if found is None else (found.value, found.step)

    def _orthant_search(
        self, candidate: Doubles, gradient: Doubles, direction: Doubles, step: float
    ) -> tuple[float, float] | None:
        """The same with c1: the step halves until the point in the orthant is low enough."""
        c1, threads = self._c1, self._threads
        for _ in range(self._recipe.max_linesearch):
            self.tried += 1
            size, fall = kernels.along(self.x, self.gradient, direction, step, c1, candidate, threads)
            reached = self._objective(candidate, gradient) + c1 * size
            if math.isfinite(reached) and reached <= self.value + SUFFICIENT * fall:
                return reached, step
            step *= SHRINK
        return None


class QuasiNewtonTrainer(Trainer):
    """L-BFGS on the weights of a feature set: one iteration a pass."""

    shuffles = False

    def __init__(self, recipe: QuasiNewton, problem: Problem, parts: Sequence[Part] = ()) -> None:
        self.recipe: QuasiNewton = recipe
        self.problem = problem
        self._objective = Objective(problem, parts)
        start, settings = self._objective.pack(problem.start), problem.settings
        self._found = Minimiser(self._objective.at, start, recipe, settings.c1, settings.thread_count)
        if settings.c1 and not start.any():
            self._found.decide_ties(lambda gradient: settle_ties(problem, gradient, settings.c1))

    def run(self, order: Longs) -> float:
        """One iteration over the whole corpus, in whatever order; returns the objective."""
        self.monitor = self._found.step()
        return self.monitor

    def norm(self) -> float:
        return self._found.curvature.norm

    def figures(self) -> Figures:
        found = self._found
        return Figures(found.curvature.slope_norm, found.curvature.active, found.tried, found.length)

    def release(self) -> None:
        self._found.release()

    def training_nll(self) -> float:
        found, settings = self._found, self.problem.settings
        l1 = settings.c1 * float(np.abs(found.x).sum()) if settings.c1 else 0.0
        return found.value - settings.c2 * found.curvature.norm**2 - l1

    def weights(self, out: Weights | None = None) -> Weights:
        return self._objective.weights(self._found.x)

    def state(self) -> State:
        found = self._found
        arrays = {"x": found.x, "gradient": found.gradient, "products": found.curvature.products()}
        for i, (s, y) in enumerate(found.curvature.pairs):
            arrays |= {f"s{i}": s, f"y{i}": y}
        return State(arrays, {"value": found.value, "pairs": len(found.curvature.pairs)})

    def resume(self, state: State) -> None:
        found, arrays, numbers = self._found, state.arrays, state.numbers
        found.x, found.gradient, found.value = arrays["x"], arrays["gradient"], numbers["value"]
        pairs = [(arrays[f"s{i}"], arrays[f"y{i}"]) for i in range(int(numbers["pairs"]))]
        found.curvature.resume(pairs, arrays["products"])
