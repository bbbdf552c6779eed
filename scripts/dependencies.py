"""Prints what the project and some of its extras need, one requirement a line: `dependencies.py plots serve`.

`make` installs these first and the project without dependencies after them, so that the native modules are built once.
The name `build` stands for what builds them.
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).resolve().parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
BUILD = [*PROJECT["build-system"]["requires"], "cmake>=3.26", "ninja>=1.11"]


def requirements(extras: list[str]) -> Iterator[str]:
    """The requirements of the project, then of the extras; tagfield[plots,serve] stands for those of both."""
    yield from PROJECT["project"]["dependencies"]
    wanted = list(extras)
    for extra in wanted:  # grows while it is read
        for line in BUILD if extra == "build" else PROJECT["project"]["optional-dependencies"][extra]:
            inner = re.fullmatch(r"tagfield\[(.*)\]", line)
            if inner is None:
                yield line
            else:
                wanted += [name for name in inner[1].split(",") if name not in wanted]


if __name__ == "__main__":
    print(*dict.fromkeys(requirements(sys.argv[1:])), sep="\n")
