"""The API in OpenAPI 3.1: what /openapi.json has, and /docs shows.

    LIMITS, FORMS ─▶ schemas of requests and answers ─▶ paths

The examples are requests that a test sends to a server.
"""

from typing import Any

from tagfield import __version__
from tagfield.apps.serve.limits import Limits
from tagfield.apps.serve.requests import FORMS
from tagfield.data.text.tokenizer.tokenizer import TOKENIZERS

Schema = dict[str, Any]

STRING: Schema = {"type": "string"}
MAYBE: Schema = {"type": ["string", "null"]}
NUMBER: Schema = {"type": "number"}
INDEX: Schema = {"type": "integer", "minimum": 0}

ERRORS = {
    "400": "The request is wrong: not HTTP/1.1 or JSON, an unknown field or label, known labels that allow no path.",
    "401": "The token is missing or wrong.",
    "404": "There is no such model, or no such path.",
    "405": "The path takes another method.",
    "408": "The headers or the body came too slowly.",
    "413": "The body is too large, or has too many tokens.",
    "421": "There is no token, and the request was not sent to localhost.",
    "431": "The headers, the trailers or the lines around chunks are too large.",
    "503": "The server is busy or stopping, or the request took too long; try again after a second.",
}

TAG_EXAMPLE = {"text": "Anna lives in New York."}
EXPLAIN_EXAMPLE = {"text": "Anna lives in New York.", "token": 0}


def openapi(limits: Limits) -> Schema:
    """The description of a service with these limits.

    >>> sorted(openapi(Limits())["paths"])[:2]
    ['/healthz', '/metrics']
    """
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "tagfield",
            "version": __version__,
            "description": "Labels words in text with conditional random fields. Offsets of texts count Unicode "
            "characters (code points); offsets of words count tokens.",
        },
        "security": [{}, {"token": []}],
        "paths": {
            "/v1/tag": {"post": _tag(limits)},
            "/v1/explain": {"post": _explain()},
            "/v1/models": {"get": _get("The models: name, labels, what they read.", MODELS)},
            "/healthz": {"get": _get("Whether the process answers.", _object({"status": STRING, "version": STRING}))},
            "/readyz": {"get": _get("Whether it takes requests; 503 while it stops.", _object({"status": STRING}))},
            "/metrics": {"get": _get("Counters in the text format of Prometheus.", STRING, "text/plain")},
        },
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }


def _tag(limits: Limits) -> Schema:
    return {
        "summary": "Label text, words or attributes.",
        "description": "Send exactly one of text, texts, words, sentences, attributes and sequences. Their plurals are "
        "batches, answered with results in the same order.",
        "requestBody": _body(
            {
                **_inputs(several=True),
                "probabilities": _said({"type": "boolean", "default": True}, "Give probabilities; false is faster."),
                "spans": _said({"type": "boolean", "default": True}, "Give the chunks that the labels form."),
                "n_best": _said(
                    {"type": "integer", "minimum": 0, "maximum": limits.n_best, "default": 0},
                    "Also give the most probable label sequences of each sentence.",
                ),
            },
            TAG_EXAMPLE,
        ),
        "responses": _responses(
            {
                "oneOf": [
                    _object({"model": STRING, "sentences": _list(TEXT_SENTENCE)}, "model", "sentences"),
                    _object({"model": STRING, **WORD_SENTENCE}, "model", "labels"),
                    _object({"model": STRING, "results": {"type": "array"}}, "model", "results"),
                ]
            }
        ),
    }


def _explain() -> Schema:
    return {
        "summary": "Explain the label of one token.",
        "description": "The terms add up to the difference between the best path and the best path with the label that "
        "you expected, or with any other label at this token.",
        "requestBody": _body(
            {
                **_inputs(several=False),
                "token": _said(INDEX, "Index of the token, counted over all sentences of a text."),
                "expected": _said(MAYBE, "The label that you expected. Default: the runner-up."),
            },
            EXPLAIN_EXAMPLE,
            ["token"],
        ),
        "responses": _responses(EXPLANATION),
    }


def _inputs(*, several: bool) -> Schema:
    """The fields that both endpoints take."""
    column = {"oneOf": [STRING, _list(STRING)]}
    token = {"oneOf": [_list(STRING), {"type": "object"}]}
    fields = {
        "model": _said(MAYBE, "Name of the model. Default: the first."),
        "text": _said(STRING, "Running text, which is split into sentences and words."),
        "texts": _said(_list(STRING), "Several texts."),
        "words": _said(_list(column), "The words of one sentence; a word with several columns is a list."),
        "sentences": _said(_list(_list(column)), "Several sentences of words."),
        "attributes": _said(_list(token), "One sequence of attributes, for a model without a template."),
        "sequences": _said(_list(_list(token)), "Several sequences of attributes."),
        "tokenizer": _said({"enum": [*TOKENIZERS, None]}, "How text is split. Default: what fits the model."),
        "constraints": _said(
            {"enum": ["BIO", "IOB1", "IOBES", "BILOU", False, None]},
            "Allow only labels that follow this scheme; false lifts the model's own constraints.",
        ),
        "known": _said(
            {},
            "Labels that you know. For words: a list with null, a label or a list of labels for each token, or an "
            "object of positions and labels. For text: a list of spans {start, end, label}, in characters; the label "
            "may be a type, such as PER. For batches: a list of these, or null, one for each.",
        ),
    }
    return fields if several else {name: each for name, each in fields.items() if name not in SEVERAL}


SEVERAL = ("texts", "sentences", "sequences")


def _body(fields: Schema, example: Schema, required: list[str] | None = None) -> Schema:
    schema = {"type": "object", "properties": fields, "additionalProperties": False}
    schema["oneOf"] = [{"required": [name]} for name in FORMS if name in fields]  # exactly one input
    if required:
        schema["required"] = required
    return {"required": True, "content": {"application/json": {"schema": schema, "example": example}}}


def _get(summary: str, schema: Schema, kind: str = "application/json") -> Schema:
    return {"summary": summary, "responses": _responses(schema, kind)}


def _responses(schema: Schema, kind: str = "application/json") -> Schema:
    error = {"application/json": {"schema": _object({"error": STRING}, "error")}}
    return {
        "200": {"description": "OK", "content": {kind: {"schema": schema}}},
        **{status: {"description": text, "content": error} for status, text in ERRORS.items()},
    }


def _object(properties: Schema, *required: str) -> Schema:
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": list(required)} if required else schema


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _said(schema: Schema, text: str) -> Schema:
    return {**schema, "description": text}


PLACE = {"start": INDEX, "end": INDEX}
PATHS = _list(_object({"labels": _list(STRING), "probability": NUMBER}))
TEXT_SENTENCE = _object(
    {
        **PLACE,
        "probability": NUMBER,
        "tokens": _list(_object({"text": STRING, **PLACE, "label": STRING, "probability": NUMBER})),
        "spans": _list(_object({**PLACE, "label": STRING, "text": STRING, "probability": NUMBER})),
        "n_best": PATHS,
    }
)
WORD_SENTENCE = {
    "labels": _list(STRING),
    "probabilities": _list(NUMBER),
    "probability": NUMBER,
    "spans": _list(_object({**PLACE, "label": STRING, "probability": NUMBER})),
    "n_best": PATHS,
}
AMOUNT = _object({"name": STRING, "amount": NUMBER})
EXPLANATION = _object(
    {
        "model": STRING,
        "token": INDEX,
        "text": {"type": ["string", "null"]},
        "label": STRING,
        "probability": NUMBER,
        "compared_with": {"type": ["string", "null"]},
        "difference": NUMBER,
        "terms": _list(AMOUNT),
        "other_terms": NUMBER,
        "labels": _list(_object({"label": STRING, "probability": NUMBER, "score": NUMBER})),
        "parts": _object(
            {
                "labels": _list(STRING),
                "rows": _list(_object({"name": STRING, "amounts": _list(NUMBER)})),
                "scores": _list(NUMBER),
            }
        ),
    }
)
MODELS = _object(
    {
        "models": _list(
            _object(
                {
                    "name": STRING,
                    "labels": _list(STRING),
                    "spans": _list(STRING),
                    "reads": {"enum": ["words", "attributes"]},
                    "text": {"type": "boolean"},
                    "tokenizer": {"type": ["string", "null"]},
                    "weights": INDEX,
                    "loaded": STRING,
                    "problem": {"type": ["string", "null"]},
                }
            )
        )
    }
)
