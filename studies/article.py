"""Fill in docs/paper.md: handwritten text with computed parts between marks.

<!-- computed: NAME -->  …  <!-- end -->      everything between is replaced; the rest stays as it was written

Findings ─▶ parts() ─▶ fill(page, parts) ─▶ write_article
"""

import re
from pathlib import Path

from studies import minibatches
from studies.accuracy_claims import OTHERS, OTHERS_TUNED
from studies.claims import Claim, claims
from studies.feature_kinds import kind_table
from studies.protocols import protocol_table, tuning_table
from studies.run_studies import Findings
from studies.tables import markdown, score_table, study_table
from tagfield.errors import InputError
from tagfield.system.atomic import write_atomically

MARK = re.compile(r"(<!-- computed: ([\w-]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def write_article(found: Findings, page: Path, out: Path | None = None, small: bool = False) -> None:
    """Fill in the page with the results; write to `out` if given."""
    text = fill(page.read_text(encoding="utf-8"), parts(found, small), str(page))
    target = out or page
    target.parent.mkdir(parents=True, exist_ok=True)
    with write_atomically(target) as file:
        file.write(text.encode())


def fill(text: str, parts: dict[str, str], name: str = "the page") -> str:
    """The text with its computed parts replaced.

    >>> fill("a\\n<!-- computed: x -->\\nold\\n<!-- end -->\\nb", {"x": "new"})
    'a\\n<!-- computed: x -->\\nnew\\n<!-- end -->\\nb'
    >>> fill("<!-- computed: y -->\\n<!-- end -->", {"x": "new"})
    Traceback (most recent call last):
    tagfield.errors.InputError: the page asks for 'y', which nothing computes; known are x
    """
    for _, asked, _, _ in MARK.findall(text):
        if asked not in parts:
            raise InputError(f"{name} asks for {asked!r}, which nothing computes; known are {', '.join(sorted(parts))}")
    return MARK.sub(lambda match: f"{match[1]}{parts[match[2]].strip()}\n{match[4]}", text)


def parts(found: Findings, small: bool = False) -> dict[str, str]:
    """Every computed part by its name."""
    every = claims(found)
    made = {f"claim-{each.name}": claim_text(each) for each in every}
    made |= {
        "verdicts": verdict_table(every),
        "studies": study_table(found, small),
        "made-with": made_with(found),
        "protocols": protocol_table(found),
        "tuning": tuning_table(found),
        "kinds": kind_table(found),
        "minibatches": batch_table(found),
        "scores-tuned": score_table(found, ("tuned-observed", "tuned-all")),
        "scores-kin": score_table(found, ("kin",)),
        "scores-others": score_table(found, OTHERS),
        "scores-others-tuned": score_table(found, OTHERS_TUNED),
    }
    return made


def claim_text(claim: Claim) -> str:
    """A claim under its heading: the paper's words, verdict, figures, and what is behind them."""
    judged = claim.judged
    table = f"\n{judged.table}" if judged.table else ""
    return (
        f"> {claim.words}\n\n**{judged.verdict.capitalize()}.** {judged.sentence}\n{table}\n"
        f"Command: `{claim.command}`. Test: {claim.test}. Verdict checked by `{claim.checked}`.\n"
    )


def verdict_table(every: list[Claim]) -> str:
    """All claims in one table, with links to their sections."""
    lines = [[f"[{c.title}](#{anchor(c.title)})", f"**{c.judged.verdict}**", c.judged.sentence] for c in every]
    return markdown(["claim", "verdict", "in figures"], lines)


def anchor(title: str) -> str:
    """The link of a heading, as GitHub and the site make it.

    >>> anchor("Higher accuracy, at equal strength"), anchor("U2\\\\*.G1 beside U1\\\\*.G1")
    ('higher-accuracy-at-equal-strength', 'u2g1-beside-u1g1')
    """
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def batch_table(found: Findings) -> str:
    """The mini-batches; a sentence where the study has not run."""
    results = found.extra.get("minibatches")
    return minibatches.table(results) if results else "The study has not run."


def made_with(found: Findings) -> str:
    """Version, machine, and the time that it all took."""
    session = next((results.sessions[-1] for results in found.results.values() if results.sessions), None)
    if session is None:
        return "No study has run."
    versions, minutes = session["versions"], sum(found.times.values()) / 60
    return (
        f"Computed with tagfield {versions['tagfield']} ({versions['kernels']} kernels) on {versions['cpu']}, in "
        f"{minutes:.0f} minutes."
    )
