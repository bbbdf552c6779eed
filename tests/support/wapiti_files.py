"""Files of Wapiti, written plainly from their description, and the scores of raw items."""

from dataclasses import dataclass

import numpy as np


@dataclass
class WapitiModel:
    """The content of a model of Wapiti in raw mode."""

    labels: list[str]
    observations: list[str]
    weights: dict[int, float]

    def text(self) -> bytes:
        """The file."""
        lines = [f"#mdl#2#{sum(w != 0 for w in self.weights.values())}\n#rdr#0/0/0\n"]
        for names in (self.labels, self.observations):
            lines += [f"#qrk#{len(names)}\n", *(f"{len(name.encode())}:{name},\n" for name in names)]
        lines += [f"{k}={c_hex(self.weights[k])}\n" for k in sorted(self.weights) if self.weights[k] != 0]
        return "".join(lines).encode()

    def starts(self) -> dict[str, int]:
        found, at = {}, 0
        for name in self.observations:
            found[name] = at
            at += size_of(name, len(self.labels))
        return found

    def scores(self, sentence: list[list[str]]) -> tuple[np.ndarray, np.ndarray]:
        """Scores of labels [T, L] and of pairs [T, L, L]; row 0 of the pairs is 0."""
        count, starts = len(self.labels), self.starts()
        node, pair = np.zeros((len(sentence), count)), np.zeros((len(sentence), count, count))
        for t, item in enumerate(sentence):
            for name in item:
                if name not in starts:
                    continue
                at = starts[name]
                if name[0] in "u*":
                    node[t] += [self.weights.get(at + y, 0.0) for y in range(count)]
                    at += count
                if name[0] in "b*" and t:
                    block = [self.weights.get(at + k, 0.0) for k in range(count * count)]
                    pair[t] += np.reshape(block, (count, count))
        return node, pair


def size_of(name: str, labels: int) -> int:
    """How many weights an observation has."""
    return {"u": labels, "b": labels * labels, "*": labels + labels * labels}[name[0]]


def c_hex(number: float) -> str:
    """A number as C's %a prints it."""
    sign, mantissa, exponent = "-" if number < 0 else "", *abs(number).hex().split("p")
    while "." in mantissa and mantissa[-1] in "0.":
        dot = mantissa[-1] == "."
        mantissa = mantissa[:-1]
        if dot:
            break
    return f"{sign}{mantissa}p{exponent}"
