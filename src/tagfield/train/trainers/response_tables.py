"""Hands the responses of a recipe to a native pass: one for all features, or one for each group of them."""

from tagfield.bregman.responses import Response
from tagfield.errors import InputError
from tagfield.native import kernels
from tagfield.train.problem.problem import Problem
from tagfield.train.recipes.stochastic import Stochastic

COUNTS = 16  # empirical counts that have a table; more are rare, and go through the exact direction


def set_responses(target: kernels.Pass, recipe: Stochastic, problem: Problem, epoch: int) -> None:
    """The responses of a recipe in an epoch, counted from 1, with the number of the response of each row of weights."""
    if recipe.generators is None:
        set_response(target, recipe.response_at(epoch))
        return
    if problem.in_stream:
        raise InputError("generators does not apply to a stream, whose features are not known before they come")
    asked = recipe.generators, recipe.respond != "all"
    if asked not in problem.response_rows:
        problem.response_rows[asked] = recipe.generators.rows(problem, recipe.respond != "all")
    target.clear_response()
    for response in recipe.responses_at(epoch):
        _add(target, response)
        target.add_kind()
    target.set_kinds(*problem.response_rows[asked])


def set_response(target: kernels.Pass, response: Response) -> None:
    """One response for all features."""
    target.clear_response()
    _add(target, response)


def _add(target: kernels.Pass, response: Response) -> None:
    """One table, or one for each empirical count; plain gradients need none."""
    if response.depends_on_u_alone:
        t = response.table()
        if not (t.linear and t.slope == 1.0):
            edges = (t.low_linear, t.low_edge, t.high_edge)
            target.set_response(t.cells, t.tails, t.bits, t.odd, *edges, t.logs)
        return
    for t in response.count_tables(COUNTS):
        target.add_count_table(t.cells, t.tails, t.bits, t.low_linear, t.low_edge, t.high_edge)
    target.set_exact(response.direction)
