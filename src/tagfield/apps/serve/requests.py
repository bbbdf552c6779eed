"""Requests: the JSON of a client → what it asks for, checked.

    body ─▶ UTF-8 ─▶ JSON ─▶ names of fields ─▶ Asked (the sentences or texts, and what to say about them)

Exactly one field has the input. Its name says what the input is, and whether it is one or several:

    text        "Anna lives in Oslo."             texts       ["Anna …", "Ben …"]
    words       ["Anna", "lives"]                 sentences   [["Anna", "lives"], ["Ben"]]
    attributes  [["w=Anna"], {"w": "lives"}]      sequences   [[["w=Anna"], …], …]

A word may be a list of columns, for a template that reads several. `attributes` are for models without a template.
"""

import json
from dataclasses import dataclass
from json.decoder import JSONDecodeError
from typing import Any, NamedTuple

from tagfield.apps.serve.limits import Limits
from tagfield.apps.serve.refusals import bad, too_many_tokens
from tagfield.data.text.tokenizer.tokenizer import TOKENIZERS
from tagfield.errors import did_you_mean, shown


class Form(NamedTuple):
    """How an input is written."""

    reads: str  # "text", "words" or "attributes"
    several: bool


FORMS = {
    "text": Form("text", False),
    "texts": Form("text", True),
    "words": Form("words", False),
    "sentences": Form("words", True),
    "attributes": Form("attributes", False),
    "sequences": Form("attributes", True),
}
SHARED = frozenset(("model", "tokenizer", "constraints", "known", *FORMS))
TAG_FIELDS = SHARED | {"probabilities", "spans", "n_best"}
EXPLAIN_FIELDS = SHARED - {form for form in FORMS if FORMS[form].several} | {"token", "expected"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a client wants to know; requests that want the same are decoded together."""

    reads: str  # as in Form
    tokenizer: str | None
    constraints: str | bool | None  # the name of a scheme; False: none; None: those of the model
    probabilities: bool
    spans: bool
    n_best: int


@dataclass(slots=True)
class Asked:
    """A request of /v1/tag."""

    model: str | None
    form: str  # the name of the field with the input
    inputs: list[Any]  # texts, sentences or sequences
    known: list[Any] | None  # an entry for each input
    wanted: Wanted


@dataclass(slots=True)
class Question:
    """A request of /v1/explain: the same, for one input, and the token in question."""

    asked: Asked
    token: int  # counted over all sentences of a text
    expected: str | None


def read_json(body: bytes) -> dict[str, Any]:
    """The JSON object in a body.

    >>> read_json(b'{"text": "Anna"}')
    {'text': 'Anna'}
    """
    try:
        found = _DECODER.decode(body.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise bad(f"the body is not UTF-8: byte {error.start} is wrong") from None
    except JSONDecodeError as error:
        raise bad(f"the body is not JSON: {error.msg[:1].lower()}{error.msg[1:]} at character {error.pos}") from None
    except RecursionError:
        raise bad("the body is not a request: its lists are nested too deeply") from None
    except ValueError as error:  # a number of thousands of digits, NaN or Infinity
        raise bad(f"the body has a number that cannot be used: {str(error).partition(';')[0]}") from None
    if not isinstance(found, dict):
        raise bad(f"the body must be a JSON object, got {_named(found)}; see /docs")
    return found


def read_tag(body: bytes, limits: Limits) -> Asked:
    """What a body asks /v1/tag.

    >>> read_tag(b'{"words": ["Anna", "left"]}', Limits()).inputs
    [['Anna', 'left']]
    """
    return _asked(read_json(body), TAG_FIELDS, limits)


def read_explain(body: bytes, limits: Limits) -> Question:
    """What a body asks /v1/explain.

    >>> read_explain(b'{"words": ["Anna", "left"], "token": 1}', Limits()).token
    1
    """
    record = read_json(body)
    asked = _asked(record, EXPLAIN_FIELDS, limits)
    token = record.get("token")
    if type(token) is not int or token < 0:
        raise bad(f"token must be the index of a token, 0 for the first, got {shown(token, 40)}")
    return Question(asked, token, _string(record, "expected"))


def _asked(record: dict[str, Any], fields: frozenset[str], limits: Limits) -> Asked:
    for name in record:
        if name not in fields:
            raise bad(f"no field named {shown(name, 40)}; {did_you_mean(name[:80], sorted(fields))}")
    given = [name for name in FORMS if name in record]
    if len(given) != 1:
        offered = [name for name in FORMS if name in fields]
        said = f"found {' and '.join(given)}" if given else "found none"
        raise bad(f"a request has one of {', '.join(offered)}; {said}")
    [form] = given
    reads, several = FORMS[form]
    inputs = record[form] if several else [record[form]]
    if not isinstance(inputs, list):
        raise bad(f"{form} must be a list, got {_named(inputs)}")
    if reads == "text":
        _check_texts(inputs, form)
    else:
        _check_sentences(inputs, form, limits)
    known = record.get("known")
    if known is not None:
        known = known if several else [known]
        if not isinstance(known, list) or len(known) != len(inputs):
            raise bad(f"known must be a list with {len(inputs)} entries, one for each of {form}")
    return Asked(_string(record, "model"), form, inputs, known, _wanted(record, reads, limits))


def _wanted(record: dict[str, Any], reads: str, limits: Limits) -> Wanted:
    tokenizer = _string(record, "tokenizer")
    if tokenizer is not None and tokenizer not in TOKENIZERS:
        raise bad(f"no tokenizer named {shown(tokenizer, 40)}; {did_you_mean(tokenizer[:80], TOKENIZERS)}")
    if tokenizer is not None and reads != "text":
        raise bad("tokenizer applies only to text and texts; leave it out")
    constraints = record.get("constraints")
    if not (constraints is None or constraints is False or isinstance(constraints, str)):
        raise bad(f"constraints must be 'BIO', 'IOB1', 'IOBES', 'BILOU', or false for none, got {_named(constraints)}")
    n_best = record.get("n_best", 0)
    if type(n_best) is not int or not 0 <= n_best <= limits.n_best:
        raise bad(f"n_best must be a number from 0 to {limits.n_best}, got {shown(n_best, 40)}")
    return Wanted(reads, tokenizer, constraints, _flag(record, "probabilities"), _flag(record, "spans"), n_best)


def _check_texts(texts: list[Any], form: str) -> None:
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            raise bad(f"{_place(form, index)} must be a string, got {_named(text)}")


def _check_sentences(sentences: list[Any], form: str, limits: Limits) -> None:
    count = 0
    for index, sentence in enumerate(sentences):
        if not isinstance(sentence, list):
            raise bad(f"{_place(form, index)} must be a list of tokens, got {_named(sentence)}")
        count += len(sentence)
        if FORMS[form].reads == "words" and list in map(type, sentence):
            sentence[:] = [tuple(token) if isinstance(token, list) else token for token in sentence]
    if count > limits.tokens:
        raise too_many_tokens(count, limits)


def _place(form: str, index: int) -> str:
    return f"{form}[{index}]" if FORMS[form].several else form


def _string(record: dict[str, Any], name: str) -> str | None:
    found = record.get(name)
    if found is not None and not isinstance(found, str):
        raise bad(f"{name} must be a string, got {_named(found)}")
    return found


def _flag(record: dict[str, Any], name: str) -> bool:
    found = record.get(name, True)
    if not isinstance(found, bool):
        raise bad(f"{name} must be true or false, got {shown(found, 40)}")
    return found


def _named(value: object) -> str:
    """What a value is, in JSON's words.

    >>> _named([]), _named(None), _named(1.5)
    ('a list', 'null', 'a number')
    """
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    names: dict[type, str] = {str: "a string", list: "a list", tuple: "a list", dict: "an object"}
    return names.get(type(value), "a number")


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
