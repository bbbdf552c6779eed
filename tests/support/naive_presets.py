"""The presets `ner`, `pos` and `segmentation`, said plainly: the attributes of each token, written by hand."""

import re

from tests.support import naive_template as twin

SCRIPTS = {"han": "看一东京", "katakana": "タワー", "thai": "ไทย", "latin": "ab", "digit": "1", "punctuation": "。"}
LETTERS = "".join(SCRIPTS.values())


def ner(words: list[str]) -> list[list[str]]:
    return around(words, [word_features(word) for word in words], pairs=False)


def pos(words: list[str]) -> list[list[str]]:
    return around(words, [word_features(word) for word in words], pairs=True)


def word_features(word: str) -> dict[str, str]:
    low = word.lower()
    found = {"w": word, "w.lower": low, "w.lower.suffix3": low[-3:]}
    for name in ("kind", "shape", "length"):
        (found[f"w.{name}"],) = twin.function(name, word)
    return found


def around(words: list[str], known: list[dict[str, str]], pairs: bool) -> list[list[str]]:
    tokens = []
    for t, word in enumerate(words):
        near = {row: known[t + row] for row in range(-2, 3) if 0 <= t + row < len(words)}
        low = word.lower()
        made = [f"w[0]={word}", f"w.shape[0]={known[t]['w.shape']}", f"w.length[0]={known[t]['w.length']}"]
        made += [f"{name}[{row}]={near[row][name]}" for name in ("w.lower", "w.kind") for row in near]
        made += [f"w.lower.prefix{n}[0]={low[:n]}" for n in range(1, 6)]
        made += [f"w.lower.suffix{n}[0]={low[-n:]}" for n in range(1, 6)]
        made += [f"w.lower.suffix3[{row}]={near[row]['w.lower.suffix3']}" for row in (-1, 1) if row in near]
        pieces = re.split("[-‐‑–—/]", low)
        made += {f"w.lower.parts[0]={piece}" for piece in pieces if piece and len(pieces) > 1}
        for name in ("w.kind", "w.lower")[: 1 + pairs]:
            for a, b in ((-1, 0), (0, 1)):
                if a in near and b in near:
                    made.append(f"{name}[{a}]|{name}[{b}]={near[a][name]}|{near[b][name]}")
        tokens.append(made + edge(t, words))
    return tokens


def segmentation(letters: list[str]) -> list[list[str]]:
    tokens = []
    scripts = [next(name for name, members in SCRIPTS.items() if letter in members) for letter in letters]
    runs = [(row, n) for n, rows in ((1, range(-2, 3)), (2, range(-2, 2)), (3, range(-3, 2))) for row in rows]
    classes = [(-1, 1), (0, 1), (1, 1), (-1, 3)]
    for t, letter in enumerate(letters):
        made = [f"w.same({-k})[0]=yes" for k in (1, 2) if t >= k and letters[t - k] == letter]
        for name, cells, chosen in (("w", letters, runs), ("w.script", scripts, classes)):
            for row, n in chosen:
                if t + row >= 0 and t + row + n <= len(letters):
                    key = "|".join(f"{name}[{row + k}]" for k in range(n))
                    made.append(f"{key}={'|'.join(cells[t + row : t + row + n])}")
        tokens.append(made + edge(t, letters))
    return tokens


def edge(t: int, tokens: list[str]) -> list[str]:
    return ["__BOS__"] * (t == 0) + ["__EOS__"] * (t == len(tokens) - 1)
