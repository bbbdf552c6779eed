"""Schemathesis against the service's own description, as a process beside the doors.

    tagfield serve ─▶ /openapi.json ─▶ schemathesis: requests that fit it, and some that do not ─▶ answers by the schema

No answer may be a 5xx other than the declared 503, have a status or a type that is not declared, or contradict its
schema; a request that contradicts its schema must be refused. Schemathesis is a plugin of pytest, which takes a second
of every run, so it has a virtualenv of its own (`make schemathesis`).

The phase `coverage` is left out. For /v1/tag it asks Hypothesis for one object with every field, as a template, while
`oneOf` allows one of the six inputs: it draws and rejects for more than 200 seconds and sends no request. Nor is it a
finding if a request that fits the schema is refused: that token 3 is there, or that labels are known, no schema says.
"""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.service import Service, names_model

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build/schemathesis/bin/schemathesis"
MISSING = "no schemathesis, so the target schemathesis is skipped; `make schemathesis` installs it"
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "unsupported_method",
)
LIMITS = ("--timeout", "30", "--max-tokens", "20000", "--max-body", "1")


def command(address: str, seconds: float, seed: int) -> list[str]:
    """Examples of the description, then drawn requests until the time is over.

    >>> command("http://127.0.0.1:80", 20, 1)[2:5]
    ['http://127.0.0.1:80/openapi.json', '--phases', 'examples,fuzzing']
    """
    run = [str(PROGRAM), "run", f"{address}/openapi.json", "--phases", "examples,fuzzing", "--checks", ",".join(CHECKS)]
    run += ["--max-time", str(max(1, round(seconds))), "--max-examples", "40", "--request-timeout", "60"]
    run += ["--seed", str(seed), "--suppress-health-check", "all", "--generation-database", "none"]
    return [*run, "--continue-on-failure", "--no-color"]


@dataclass
class Found:
    """What a run printed."""

    requests: int
    operations: int
    finding: str

    @classmethod
    def of(cls, printed: str, code: int | None) -> "Found":
        """Counts of the summary; everything that was printed if the exit code is not 0, or if nothing was tried."""
        counts = re.search(r"([\d,]+) generated", printed)
        tested = re.search(r"Tested: (\d+)", printed)
        requests = int(counts[1].replace(",", "")) if counts else 0
        finding = "" if code == 0 and requests else f"exit code {code}\n{printed}"
        return cls(requests, int(tested[1]) if tested else 0, finding)


class Run:
    """A service, and Schemathesis that asks it."""

    def __init__(self, seconds: float, seed: int) -> None:
        self._folder = TemporaryDirectory(prefix="tagfield-fuzz-")
        path = Path(self._folder.name, "names.tagfield")
        names_model().save(path)
        self._service = Service(path, *LIMITS)
        run = command(f"http://127.0.0.1:{self._service.port}", seconds, seed)
        output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        self._process = subprocess.Popen(run, cwd=self._folder.name, text=True, **output)

    def end(self, timeout: float) -> Found:
        """Wait for it; a run that takes too long is ended, and is a finding."""
        try:
            printed, code = self._process.communicate(timeout=timeout)[0], self._process.returncode
        except subprocess.TimeoutExpired:
            self._process.kill()
            printed, code = self._process.communicate()[0], None
        stopped = self._service.stop()
        self._folder.cleanup()
        found = Found.of(printed, code)
        if stopped:
            found.finding += f"\nthe service ended with {stopped}"
        return found
