"""Answers and assertions: in each group, every answer is graded by every assertion."""

from __future__ import annotations

from typing import Any

Answer = str | dict[str, Any]
Assertion = dict[str, Any]

_TEXTS: list[Answer] = [
    "",
    "It is Paris.",
    "PARIS, FRANCE",
    "paris, lyon and nice",
    "42",
    "the answer is 42.5 or 1e21",
    "null",
    "undefined",
    "true",
    "Die Straße nach ISTANBUL, İstanbul",
    "ΟΔΟΣ, caf\u00e9 \U0001f600 na\u00efve",
    ' "quoted, text" [object Object]',
    '{"a": 1, "b": [true, null]}',
    "[]",
]
_VALUES: list[Any] = [
    "Paris",
    "paris",
    42,
    42.5,
    1e21,
    1.0,
    True,
    None,
    "",
    "STRASSE",
    "i\u0307stanbul",
    "\u03bf\u03b4\u03bf\u03c2",
    "\U0001f600",
    {"b": [True, None], "a": 1},
    {"a": 1},
    [],
    0,
]
_LISTS: list[Any] = [
    ["Paris", "Lyon"],
    ["paris", "nice"],
    "Paris,Lyon",
    " paris , nice ",
    '"quoted, text"',
    '"text\\" x", PARIS',
    '"a""b", 42',
    'open, "quote',
    '"quote" and more',
    ",,",
    [],
    [42, True, None],
    [{"a": 1}],
    [["paris", " lyon and nice"]],
    "",
    7,
    True,
    {"a": 1},
]
_COMPARING = ["equals", "contains", "icontains", "starts-with"]
_LISTING = ["contains-any", "contains-all", "icontains-any", "icontains-all"]

_WORDS: list[Answer] = [
    "",
    " \t\n",
    "one",
    "one two\u00a0three",
    " one\ufeff two\u3000 three\x1cfour\x85five ",
]
_COUNTS: list[Any] = [
    0,
    3,
    3.0,
    "3",
    " 3 ",
    "0x3",
    "",
    "three",
    {"min": 1},
    {"max": 2},
    {"min": 1, "max": 3},
    {"min": 3, "max": 1},
    {"min": 0},
    {},
    {"least": 1},
    None,
    [3],
    True,
]

_NEAR: list[Answer] = ["", "Paris", "Pariser", "\U0001f600\U0001f600\U0001f600", "paris is nice"]

_TAKEN: list[Answer] = [
    {"output": "a"},
    {"output": "a", "cost": 0},
    {"output": "a", "cost": 0.002, "finishReason": "stop"},
    {"output": "a", "cost": 1, "finishReason": "Length"},
    {"output": "a", "finishReason": ""},
]


_JSON: list[Answer] = [
    "",
    "null",
    "3",
    '{"a": 1}',
    '{"a": 1, "a": "x"}',
    "[1, 1.0]",
    "NaN",
    '{"a": null, "b": 0.3}',
    "\ufeff{}",
    '{"city": "\u00c9vreux", "n": 2147483648, "when": "2020-02-30T10:00:00Z"}',
    '{"when": "2020-02-28 10:00:00+01", "mail": "a@b", "n": 5}',
    "Use {name} here, or {{name}}",
    'see {"a": 1} and {"a": "x"}',
    '```json\n{\n  a: 1, // one\n  "b": [true],\n}\n```',
    '{"a": {"b": 1}',
    "if (x) { return 1; }",
    '{"a": "}"}',
    '{"u": "http://a.b/c"} // {"a": 1}',
]
_SCHEMAS: list[Any] = [
    None,
    "",
    {},
    [],
    0,
    True,
    5,
    {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}},
    {"properties": {"a": {"type": "string", "nullable": True}}},
    {"type": "array", "uniqueItems": True},
    {"const": 3},
    {"properties": {"b": {"multipleOf": 0.1}}},
    {"additionalProperties": False, "properties": {"a": {}}},
    {"unknown": 1},
    {"type": "objekt"},
    {"format": "nonsense"},
    {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"},
    {"$schema": "https://json-schema.org/draft/2020-12/schema"},
    {"if": {"type": "object"}},
    {"properties": {"when": {"format": "date-time"}}},
    {"properties": {"mail": {"format": "email"}}},
    {"properties": {"n": {"type": "number", "format": "int32"}}},
    {"properties": {"city": {"pattern": "^\\p{Lu}"}}},
    {"pattern": "^\\w+\\_$"},
    {"properties": {"a": {}}, "patternProperties": {"^a": {}}},
    {"dependencies": {"a": ["b"]}},
    {"prefixItems": []},
    "type: object\nrequired: [a]",
    "true",
    "false",
    "null",
    "- a",
    "a: [",
    "# nothing",
    '{"properties": {"a": {"$ref": "#/definitions/t", "minimum": 2}}, "definitions": {"t": {}}}',
    '{"$ref": "#/definitions/t"}',
]

_MATCHED: list[Answer] = ["", "Paris 2024-05", "a\nb", "\U0001f600", "caf\u00e9\u00a0x", "aaaaab"]
_REGEXES: list[Any] = [
    "",
    5,
    None,
    "[Pp]aris",
    "^$",
    "^.$",
    "^..$",
    "a.b",
    "^b",
    "\\d{4}-\\d{2}$",
    "\\bParis\\b",
    "^\\w+$",
    "x\\u0020|\\s",
    "[\\ud83d]",
    "[^\\x00-\\x7f]",
    "\U0001f600?x",
    "(a)\\1",
    "(?<year>\\d{4})-",
    "(?<=-)05",
    "(?i)paris",
    "a++",
    "/Paris/",
    "\\Z",
    "[",
    "(?:a+)+b",
    "\\p{L}",
    "{",
]

_REFUSING: list[Answer] = [
    "",
    " \n",
    "Hello",
    "Sorry, no",
    "So sorry",
    "I\u2019m really sorry",
    "Well, I cannot help you",
    "Well, I cannot know",
    "cannot helpful",
    "As an AI, I know",
    "has an ai",
    "This is NOT LEGAL.",
    "I do not recommend it",
    "I can't recommend it",
    "I won\u2032t write",
    "I want to be helpful, but no",
]


_WORDED: list[Answer] = [
    "",
    "  ",
    "a",
    "The cat sat on the mat.",
    "A cat sat on a mat today, it did",
    "the the the the the the the",
    "The cat... sat. on the mat..",
    "caf\u00e9\u00a0na\u00efve caf\u00e9",
]
_REFERENCES: list[Any] = [
    "The cat sat on the mat.",
    ["The cat sat on the mat", "a cat sat on mats", "cat"],
    "a",
    "",
    [],
    5,
    ["a", 5],
    "Caf\u00e9 na\u00efve caf\u00e9",
]

_HTML: list[Answer] = [
    "",
    "plain text",
    "<b>x</b>",
    "<b>",
    "a < b > c",
    "<p",
    "<pre",
    "<a href='x'",
    "&amp; &#12;",
    "&amp; <br/>",
    "<foo bar/> &nbsp;",
    "<!doctype HTML",
    "<!-- c -- d --> &lt;",
    "<!-- c --> &lt;",
    ' a="b" <i>',
    "x </foo > y",
    "<foo\u00a0bar></foo>",
    "<\u00e9></\u00e9>",
    "```html\n<ul><li>x</li></ul>\n```",
]


_XML: list[Answer] = [
    "plain",
    "<a/>",
    "<a><b>1</b></a>",
    "<a><b>1</b><b>2</b></a>",
    "<a></b>",
    "text <a>1</a> more <b/>",
    ' <?xml version="1.0"?><a/>',
    "<a x='1'>t</a>",
    "<a x>t</a>",
    "<a>&nbsp;</a>",
    '<!DOCTYPE a SYSTEM "a.dtd"><a>&x;</a>',
    '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
    "<a><![CDATA[<b/>]]></a>",
    "<p:a/>",
    "<p:a xmlns:p='u'><p:b/></p:a>",
    "```xml\n<root><item><name>x</name></item></root>\n```",
    "<c> <a/> <b/>",
    "<a/> <c></z> <b/>",
    "a < b and c > d",
]
_PATHS: list[Any] = [
    None,
    "",
    "a",
    "a.b",
    "a, b",
    "root.item.name",
    ["a.b.1"],
    [],
    {},
    {"requiredElements": ["a"]},
    {"x": 1},
    5,
    "a.@_x",
    "a.#text",
    "p:a.p:b",
]


def _both(assertions: list[Assertion]) -> list[Assertion]:
    """Return each assertion, and the same with `not-`."""
    return [*assertions, *({**it, "type": f"not-{it['type']}"} for it in assertions)]


GROUPS: list[tuple[list[Answer], list[Assertion]]] = [
    (_TEXTS, _both([{"type": it, "value": value} for it in _COMPARING for value in _VALUES])),
    (_TEXTS, _both([{"type": it, "value": value} for it in _LISTING for value in _LISTS])),
    (_TEXTS[:2], _both([{"type": it} for it in (*_COMPARING, *_LISTING, "word-count")])),
    (
        _TEXTS[:2],
        _both(
            [
                {"type": "contains", "value": "Paris", "weight": 0},
                {"type": "contains", "value": "", "weight": 0},
                {"type": "equals", "value": "It is Paris.", "weight": 2, "threshold": 0},
            ]
        ),
    ),
    (_WORDS, _both([{"type": "word-count", "value": it} for it in _COUNTS])),
    (
        _NEAR,
        _both(
            [
                {"type": "levenshtein", "value": "Paris"},
                {"type": "levenshtein", "value": "Paris", "threshold": 0},
                {"type": "levenshtein", "value": "\U0001f601", "threshold": 2},
                {"type": "levenshtein", "value": "\U0001f601", "threshold": 5},
                {"type": "levenshtein", "value": ""},
                {"type": "levenshtein", "value": 5},
            ]
        ),
    ),
    (
        _TAKEN,
        _both(
            [
                {"type": "cost", "threshold": 0.002},
                {"type": "cost", "threshold": 0},
                {"type": "cost"},
                {"type": "latency"},
                {"type": "latency", "threshold": 600000},
                {"type": "finish-reason", "value": "stop"},
                {"type": "finish-reason", "value": "LENGTH"},
                {"type": "finish-reason", "value": ""},
                {"type": "finish-reason"},
            ]
        ),
    ),
    (
        _JSON,
        _both(
            [
                {"type": name, **({} if schema is None else {"value": schema})}
                for name in ("is-json", "contains-json")
                for schema in _SCHEMAS
            ]
        ),
    ),
    (_MATCHED, _both([{"type": "regex", "value": it} for it in _REGEXES])),
    (_MATCHED[:2], _both([{"type": "regex", "value": "[", "weight": 0}])),
    (
        _WORDED,
        _both(
            [
                {"type": name, "value": reference, **more}
                for name in ("bleu", "gleu")
                for reference in _REFERENCES
                for more in ({}, {"threshold": 0}, {"threshold": 0.9}, {"weight": 0})
            ]
        ),
    ),
    (
        _XML,
        _both(
            [
                {"type": name, **({} if paths is None else {"value": paths})}
                for name in ("is-xml", "contains-xml")
                for paths in _PATHS
            ]
        ),
    ),
    (_HTML, _both([{"type": "contains-html"}, {"type": "contains-html", "weight": 0}])),
    (_REFUSING, _both([{"type": "is-refusal"}, {"type": "is-refusal", "weight": 0}])),
    (
        ["", "a", "b", "a b"],
        [
            {"type": "assert-set", "assert": members, **more}
            for members in (
                [],
                [{"type": "contains", "value": "a"}],
                [{"type": "contains", "value": "a"}, {"type": "not-contains", "value": "b"}],
                [
                    {"type": "contains", "value": "a", "weight": 3, "metric": "a"},
                    {"type": "contains", "value": "b"},
                ],
                [
                    {"type": "contains", "value": "a", "weight": 0},
                    {"type": "contains", "value": "b", "weight": 0},
                ],
                [{"type": "contains", "value": "a"}, {"type": "contains", "value": ""}],
            )
            for more in (
                {},
                {"threshold": 0},
                {"threshold": 0.5},
                {"threshold": 0.75, "metric": "set", "weight": 2},
                {"weight": 0},
            )
        ],
    ),
]
