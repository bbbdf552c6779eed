"""Writing: rows of a decoder → the JSON of an answer.

    Row + offsets ─▶ {"start", "end", "probability", "tokens", "spans", "n_best"}      a sentence of a text
    Row           ─▶ {"labels", "probabilities", "probability", "spans", "n_best"}     a sentence of words

The text is put together from pieces, and each label is quoted once per model: dicts for json.dumps would take twice as
long as decoding. Probabilities have six digits. The fields are those of `TaggedText.to_dict`.
"""

from collections.abc import Sequence
from json.encoder import encode_basestring as quote

from tagfield.apps.serve.decoding import Row
from tagfield.data.text.tokenizer.tokens import Offsets


def text_sentence(row: Row, text: str, offsets: Sequence[Offsets], labels: Sequence[str]) -> str:
    """A sentence of a text; `labels` are quoted.

    >>> text_sentence(Row([0], None, None, [], None), "Hi", [(0, 2)], ['"X"'])
    '{"start":0,"end":2,"tokens":[{"text":"Hi","start":0,"end":2,"label":"X"}],"spans":[]}'
    """
    if row.sure is None:
        tokens = [
            f'{{"text":{quote(text[a:b])},"start":{a},"end":{b},"label":{labels[i]}}}'
            for (a, b), i in zip(offsets, row.labels, strict=True)
        ]
    else:
        tokens = [
            f'{{"text":{quote(text[a:b])},"start":{a},"end":{b},"label":{labels[i]},"probability":{p:.6g}}}'
            for (a, b), i, p in zip(offsets, row.labels, row.sure, strict=True)
        ]
    spans = []
    for kind, first, after, p in row.chunks:
        a, b = offsets[first][0], offsets[after - 1][1]
        sure = "" if p is None else f',"probability":{p:.6g}'
        spans.append(f'{{"start":{a},"end":{b},"label":{quote(kind)},"text":{quote(text[a:b])}{sure}}}')
    whole = "" if row.probability is None else f'"probability":{row.probability:.6g},'
    return (
        f'{{"start":{offsets[0][0]},"end":{offsets[-1][1]},{whole}"tokens":[{",".join(tokens)}],'
        f'"spans":[{",".join(spans)}]{_paths(row, labels)}}}'
    )


def word_fields(row: Row, labels: Sequence[str]) -> str:
    """The fields of a sentence of words, without braces; spans count tokens.

    >>> word_fields(Row([0, 0], [0.5, 1.0], 0.5, [("X", 0, 2, 0.25)], None), ['"X"'])
    '"labels":["X","X"],"probabilities":[0.5,1],"probability":0.5,"spans":[{"start":0,"end":2,"label":"X","probability":0.25}]'
    """
    found = f'"labels":[{",".join([labels[i] for i in row.labels])}]'
    if row.sure is not None and row.probability is not None:
        sure = ",".join([f"{p:.6g}" for p in row.sure])
        found += f',"probabilities":[{sure}],"probability":{row.probability:.6g}'
    spans = [
        f'{{"start":{first},"end":{after},"label":{quote(kind)}' + ("}" if p is None else f',"probability":{p:.6g}}}')
        for kind, first, after, p in row.chunks
    ]
    return f'{found},"spans":[{",".join(spans)}]{_paths(row, labels)}'


def _paths(row: Row, labels: Sequence[str]) -> str:
    if row.n_best is None:
        return ""
    paths = [f'{{"labels":[{",".join([labels[i] for i in path])}],"probability":{p:.6g}}}' for path, p in row.n_best]
    return f',"n_best":[{",".join(paths)}]'
