"""A pool of actors that turn items into results, in order: what tagging on a cluster needs.

items ─▶ the actor with the least to do ─▶ results, in the order of the items; a few are on their way at any time

An item whose actor ends is given to the next one (actors.py), so no result is lost or comes twice.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

from tagfield.scale.cluster.actors import Actors, Call, Hosted

Item = TypeVar("Item")
Result = TypeVar("Result")

AHEAD = 2  # items that wait at each actor, so that it need not wait for the next


class Handler(Hosted, Generic[Item, Result]):
    """An actor that makes its function once, and then applies it."""

    def __init__(self, make: Callable[[], Callable[[Item], Result]]) -> None:
        self._handle = make()

    def handle(self, item: Item) -> Result:
        return self._handle(item)


def ordered_map(
    ray: Any, make: Callable[[], Callable[[Item], Result]], items: Iterable[Item], workers: int, threads: int = 1
) -> Iterator[Result]:
    """The results of `make()` on all items, in order.

    make: it is pickled, and called once in each worker: to load a model, say
    """
    with Actors(ray, Handler, lambda worker: (make,), workers, threads) as actors:
        waiting: deque[Call] = deque()
        for item in items:
            if len(waiting) >= AHEAD * workers:
                yield actors.result(waiting.popleft())
            load = [sum(call.worker == worker for call in waiting) for worker in range(workers)]
            waiting.append(actors.submit(load.index(min(load)), "handle", item))
        while waiting:
            yield actors.result(waiting.popleft())
