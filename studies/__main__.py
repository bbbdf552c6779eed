"""`python -m studies DATA -o FOLDER --publish PAGE`: run the studies and fill in the article.

--only prints the claims that depend on those studies and does not change the page. --small fills in a copy of the page
in FOLDER.
"""

import argparse
import sys
import time
from pathlib import Path

from studies.article import claim_text, write_article
from studies.claims import claims
from studies.corpora import built_in, public
from studies.figures import write_figures
from studies.run_studies import Say, Workspace, load_findings, run_steps
from tagfield.compare.progress import ComparisonStatus
from tagfield.compare.results_page import write_results
from tagfield.errors import TagfieldError

INTERRUPTED = 130


class _Tenths:
    """Report the progress of a comparison, once for each tenth."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._last = 0

    def __call__(self, status: ComparisonStatus) -> None:
        tenth = int(10 * status.share())
        if tenth < self._last:  # another comparison
            self._last = 0
        if tenth > self._last and status.running:
            left = status.seconds_left()
            more = "" if left is None else f", about {left / 60:.1f} minutes left"
            self._say(f"  {status.done} of {status.total} runs{more}")
            self._last = tenth


def main(arguments: list[str] | None = None) -> int:
    """The command; returns its exit code."""
    parser = argparse.ArgumentParser(
        prog="article", description="Run the studies of docs/paper.md and fill in the page."
    )
    parser.add_argument("data", nargs="?", help="folder with conll2000, wnut17, ewt_xpos and ingredients")
    parser.add_argument("-o", "--output", type=Path, help="folder for the results; default: build/paper")
    parser.add_argument("--only", default="", metavar="A,B", help="run only these studies")
    parser.add_argument("--publish", type=Path, metavar="PAGE.md", help="fill in this page, and draw its figures")
    parser.add_argument("--small", action="store_true", help="try everything on built-in corpora, in a few seconds")
    parser.add_argument("--workers", type=int, help="number of parallel processes; default: one per core")
    given = parser.parse_args(arguments)
    given.output = given.output or Path("build/paper-small" if given.small else "build/paper")
    start = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - start:6.0f} s  {text}", file=sys.stderr, flush=True)

    try:
        if given.data is None and not given.small:
            parser.error("give the folder of the corpora, or use --small")
        corpora = built_in() if given.small else public(given.data)
        only = [name for name in given.only.split(",") if name]
        data = None if given.small else Path(given.data)
        run_steps(Workspace(corpora, data, given.output, given.small, given.workers, _Tenths(say), say), only)
        found = load_findings(given.output, given.small)
        if only:
            for claim in claims(found):
                if set(claim.studies) & set(only):
                    print(f"## {claim.title}\n\n{claim_text(claim)}")
        elif given.publish is not None:
            say("the article")
            page = given.output / given.publish.name if given.small else given.publish
            write_figures(found, page.parent / "figures")
            write_article(found, given.publish, page, given.small)
            if not given.small:
                write_results(found.results["table"], page.parent / "results.md")
            say(f"written: {page}")
    except KeyboardInterrupt:
        say("interrupted; run the same command again to continue")
        return INTERRUPTED
    except TagfieldError as error:
        print(f"article: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
