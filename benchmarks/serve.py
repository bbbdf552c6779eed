"""The service under load, on this machine, with the client on the same cores.

    python benchmarks/serve.py [MODEL] [--seconds 5] [--soak 0]

    one sentence      requests of one short text, with tokens, spans and probabilities: as fast as they go
    half of it        the same at half of that rate: the times of single requests
    batches           requests of 100 sentences of words, labels and spans, without probabilities
    soak              one sentence at half the rate for so many seconds: the memory in each tenth of the time

wrk makes the load where it is installed (Debian's package wrk), else benchmarks/serve_client.py does; it always makes
the load at a fixed rate, which wrk cannot.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

from tagfield import Model
from tagfield.demo import addresses

CLIENT = Path(__file__).with_name("serve_client.py")
WRK = """
local bodies, n = {}, 0
for line in io.lines("%s") do bodies[#bodies + 1] = line end
local head = { ["Content-Type"] = "application/json", ["Host"] = "localhost" }
request = function() n = n + 1; return wrk.format("POST", "/v1/tag", head, bodies[n %% #bodies + 1]) end
"""


class Service:
    """A server in a process of its own."""

    def __init__(self, model: Path, *options: str) -> None:
        command = [sys.executable, "-m", "tagfield", "serve", f"model={model}", "--port", "0", *options]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        line = self.process.stderr.readline()
        try:
            self.port = int(json.loads(line)["address"].rpartition(":")[2])
        except ValueError:
            sys.exit(line + self.process.stderr.read())
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    @property
    def memory(self) -> float:
        """Resident memory in MB."""
        with urlopen(f"http://localhost:{self.port}/metrics") as answer:
            found = re.search(r"^tagfield_memory_bytes (\S+)$", answer.read().decode(), re.MULTILINE)
        return float(found[1]) / 1e6 if found else 0.0


@contextmanager
def running(model: Path, *options: str) -> Iterator[Service]:
    service = Service(model, *options)
    try:
        yield service
    finally:
        service.process.terminate()
        service.process.wait(30)


def load(port: int, bodies: Path, connections: int, seconds: float, rate: float = 0) -> dict:
    """What the client says of a load."""
    command = [sys.executable, str(CLIENT), str(port), str(connections), str(seconds), str(rate)]
    with bodies.open("rb") as lines:
        return json.loads(subprocess.run(command, stdin=lines, capture_output=True, check=True).stdout)


def fastest(port: int, bodies: Path, connections: int, seconds: float) -> dict:
    """The rate that the service can keep up."""
    wrk = shutil.which("wrk")
    if wrk is None:
        return load(port, bodies, connections, seconds)
    script = bodies.with_suffix(".lua")
    script.write_text(WRK % bodies)
    command = [wrk, "-t1", f"-c{connections}", f"-d{seconds:g}s", "--latency", "-s", str(script)]
    said = subprocess.run([*command, f"http://localhost:{port}/v1/tag"], capture_output=True, text=True, check=True)
    found = re.search(r"Requests/sec:\s+(\S+)", said.stdout)
    assert found is not None, said.stdout
    errors = re.findall(r"Non-2xx or 3xx responses: \d+|Socket errors: .*", said.stdout)
    p99 = re.search(r"99%\s+([\d.]+)(us|ms|s)", said.stdout)
    unit = {"us": 1e-3, "ms": 1.0, "s": 1e3}
    return {
        "rate": float(found[1]),
        "p99": round(float(p99[1]) * unit[p99[2]], 2) if p99 else None,
        "by": "wrk",
        "errors": errors,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", type=Path)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--soak", type=float, default=0)
    parser.add_argument("--connections", type=int, default=32)
    arguments, options = parser.parse_known_args()
    corpus = addresses(train=2000, test=400)
    with tempfile.TemporaryDirectory() as folder:
        model = arguments.model
        if model is None:
            model = Path(folder, "model")
            words = [[word for word, *_ in rows] for rows in corpus.train]
            Model.train_words(words, [[row[-1] for row in rows] for rows in corpus.train]).save(model)
        one, batch = Path(folder, "one"), Path(folder, "batch")
        texts = [" ".join(word for word, *_ in rows) for rows in corpus.test]
        one.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
        sentences = [[word for word, *_ in rows] for rows in corpus.test]
        parts = [sentences[k : k + 100] for k in range(0, 400, 100)]
        batch.write_text("".join(json.dumps({"sentences": p, "probabilities": False}) + "\n" for p in parts))
        with running(model, *options) as service:
            load(service.port, one, 8, 1)  # warm
            found = fastest(service.port, one, arguments.connections, arguments.seconds)
            print(f"one sentence   {found['rate']:10,.0f} requests/s    {found}")
            half = load(service.port, one, arguments.connections, arguments.seconds, found["rate"] / 2)
            print(f"half of it     {half['rate']:10,.0f} requests/s    {half}")
            many = fastest(service.port, batch, 4, arguments.seconds)
            print(f"batches        {many['rate'] * 100:10,.0f} sentences/s   {many}")
            if arguments.soak:
                sizes = []
                for _ in range(10):
                    load(service.port, one, arguments.connections, arguments.soak / 10, found["rate"] / 2)
                    sizes.append(round(service.memory, 1))
                print(f"soak           memory in MB after each tenth: {sizes}")
            time.sleep(0.1)


if __name__ == "__main__":
    main()
