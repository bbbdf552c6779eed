"""Metrics: what the service has done, in the text format of Prometheus.

Counters are numbers that only grow; the histogram counts requests by their seconds, cumulated as Prometheus wants them.
All of them belong to the event loop, so they need no lock.
"""

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping

from tagfield.system.memory import resident_memory

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds


class Metrics:
    """The counters of a service.

    >>> metrics = Metrics()
    >>> metrics.add("/v1/tag", 200, 0.003, sentences=1, tokens=5)
    >>> 'tagfield_requests_total{path="/v1/tag",status="200"} 1' in metrics.text()
    True
    """

    def __init__(self) -> None:
        self._started = time.time()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._buckets = [0] * (len(BUCKETS) + 1)
        self._seconds = 0.0
        self._sentences = self._tokens = 0

    def add(self, path: str, status: int, seconds: float, sentences: int = 0, tokens: int = 0) -> None:
        """Count a request; `path` is one of the service's own."""
        self._requests[path, status] += 1
        self._sentences += sentences
        self._tokens += tokens
        if path.startswith("/v1/"):
            self._buckets[bisect_left(BUCKETS, seconds)] += 1
            self._seconds += seconds

    def text(self, gauges: Mapping[str, float] | None = None, counters: Mapping[str, float] | None = None) -> str:
        """The exposition; gauges and counters are those of other parts, by name."""
        lines = [
            "# HELP tagfield_requests_total Requests by path and status.",
            "# TYPE tagfield_requests_total counter",
        ]
        lines += [
            f'tagfield_requests_total{{path="{path}",status="{status}"}} {count}'
            for (path, status), count in sorted(self._requests.items())
        ]
        name = "tagfield_request_seconds"
        lines += [
            f"# HELP {name} Seconds from a request's headers to its answer, under /v1.",
            f"# TYPE {name} histogram",
        ]
        total = 0
        for bound, count in zip((*BUCKETS, float("inf")), self._buckets, strict=True):
            total += count
            lines.append(f'{name}_bucket{{le="{"+Inf" if bound == float("inf") else bound}"}} {total}')
        lines += [f"{name}_sum {self._seconds:.6f}", f"{name}_count {total}"]
        own = {"sentences_total": self._sentences, "tokens_total": self._tokens, **(counters or {})}
        for kind, found in (("counter", own), ("gauge", {**(gauges or {}), **self._process()})):
            for each, value in found.items():
                lines += [f"# TYPE tagfield_{each} {kind}", f"tagfield_{each} {value:.16g}"]
        return "\n".join(lines) + "\n"

    def _process(self) -> dict[str, float]:
        return {"uptime_seconds": round(time.time() - self._started, 3), "memory_bytes": resident_memory()}
