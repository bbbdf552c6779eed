"""The options of commands that run on a cluster, and what they mean. Ray is imported only where one is used."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Annotated, Any, TypeVar

import typer

from tagfield.errors import InputError
from tagfield.system.memory import parse_size
from tagfield.train import Settings, Trained, train
from tagfield.train.loop.driver import WINDOW
from tagfield.train.progress.figures import count

PANEL = "A cluster"
WORKERS = 2
Item = TypeVar("Item")
Result = TypeVar("Result")

ClusterAddress = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="local|HOST:PORT",
        help="Run on a Ray cluster: processes on this machine, or the head node of yours. See docs/cluster.md.",
        rich_help_panel=PANEL,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers", metavar="N", min=1, help="Worker processes on the cluster. \\[default: 2]", rich_help_panel=PANEL
    ),
]
Shares = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Number of parts that the sentences are split into; the model depends on it, not on --workers. "
        "\\[default: one for each worker; lbfgs: 16]",
        rich_help_panel=PANEL,
    ),
]
Mixes = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Number of times per epoch that the shares mix their weights (stochastic recipes). \\[default: 32]",
        rich_help_panel=PANEL,
    ),
]
Checkpoints = Annotated[
    str | None,
    typer.Option(
        "--checkpoint",
        metavar="DIR",
        help="Folder for checkpoints; the same command continues from the last one.",
        rich_help_panel=PANEL,
    ),
]


def starting(address: str | None, workers: int | None) -> str:
    """What to say before a cluster is started; empty if there is none.

    >>> starting("local", None)
    'starting 2 workers on this machine, which takes some seconds'
    """
    if address is None:
        return ""
    crew = count(workers or WORKERS, "worker")
    if address == "local":
        return f"starting {crew} on this machine, which takes some seconds"
    return f"starting {crew} at {address}, which takes some seconds"


def refuse_without_cluster(given: Mapping[str, object]) -> None:
    """InputError if an option of clusters is given, but no cluster."""
    for name, value in given.items():
        if value is not None:
            raise InputError(f"{name} applies only to a cluster; add --cluster local, or leave it out")


def trainer_of(
    address: str | None,
    workers: int | None,
    shares: int | None,
    mixes: int | None,
    checkpoint: str | None,
    settings: Settings,
    window: str | None = None,
) -> Callable[..., Trained]:
    """What trains: this process, or the workers of a cluster.

    >>> trainer_of(None, None, None, None, None, Settings(), "1GB").keywords  # type: ignore[attr-defined]
    {'window': '1GB'}
    """
    if window is not None:
        parse_size(window)
    if address is None:
        given = {"--workers": workers, "--shares": shares, "--mixes": mixes, "--checkpoint": checkpoint}
        refuse_without_cluster(given)
        return partial(train, window=window or WINDOW)
    if window is not None:
        raise InputError("--window has no effect on a cluster, whose workers hold their shares; leave it out")
    from tagfield.scale.cluster import training
    from tagfield.scale.cluster.session import check_ready

    training.check_recipe(settings.recipe)
    check_ready(address)
    more: dict[str, Any] = {} if mixes is None else {"mixes": mixes}
    return partial(
        training.train, address=address, workers=workers or WORKERS, shares=shares, checkpoint=checkpoint, **more
    )


@contextmanager
def mapped(
    address: str | None,
    workers: int | None,
    threads: int,
    make: Callable[[], Callable[[Item], Result]],
    items: Iterable[Item],
    note: Callable[[str], None] = lambda text: None,
) -> Iterator[Iterator[Result]]:
    """The results of `make()` on the items, in order: computed here, or on a cluster.

    note: gets a line before a cluster is started, which takes seconds
    """
    if address is None:
        refuse_without_cluster({"--workers": workers})
        yield map(make(), items)
        return
    workers = workers or WORKERS
    from tagfield.scale.cluster.pool import ordered_map
    from tagfield.scale.cluster.session import check_ready, open_session

    check_ready(address)
    note(starting(address, workers))
    with open_session(address, cpus=workers * threads) as ray:
        yield ordered_map(ray, make, items, workers, threads)
