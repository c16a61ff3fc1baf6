"""Mode `schema`: an answer is JSON and meets a schema, or it does not; nothing is ever fetched."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from suitecase_evaluators.answers.score import Score, Verdict
from suitecase_evaluators.schema import timed
from suitecase_evaluators.schema.checking import parse_schema, schema_problems
from suitecase_evaluators.schema.formats import FORMATS
from suitecase_evaluators.text.json_values import NotJsonError
from support.running.evaluators import answer, entry, graded

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer", "minimum": 0}},
    "required": ["name"],
    "additionalProperties": False,
}


async def validated(schema: Any, text: str, **fields: Any) -> Score:
    return await graded(entry("json_schema", schema=schema, **fields), answer(text))


@pytest.fixture
def loopback() -> Iterator[tuple[str, list[str]]]:
    """A server that would hand out a schema, and the paths it was asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"type": "string"}')

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
            return

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/person.json", asked
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("schema", [PERSON, json.dumps(PERSON)], ids=["mapping", "text"])
async def test_a_valid_answer_scores_1(schema: Any) -> None:
    score = await validated(schema, '{"name": "Ada", "age": 36}')
    assert (score.score, score.verdict, score.misses) == (1.0, Verdict.PASS, ())
    assert score.details["errors"] == []


async def test_every_violation_is_told_with_its_place() -> None:
    score = await validated(
        {"type": "object", "properties": {"people": {"items": PERSON}}},
        '{"people": [{"name": "Ada"}, {"name": 3, "age": -1}]}',
    )
    assert (score.score, score.verdict) == (0.0, Verdict.FAIL)
    assert sorted(miss.split(":")[0] for miss in score.misses) == [
        "$.people[1].age",
        "$.people[1].name",
    ]
    by_path = {it["path"]: it for it in score.details["errors"]}
    assert by_path["$.people[1].age"]["keyword"] == "minimum"
    assert by_path["$.people[1].age"]["schema_path"] == [
        "properties",
        "people",
        "items",
        "properties",
        "age",
        "minimum",
    ]


async def test_many_and_long_violations_are_capped() -> None:
    text = json.dumps(["x" * 5000] * 500)
    score = await validated({"items": {"type": "integer"}}, text)
    assert len(score.misses) == 11
    assert "90 or more" in score.misses[-1]
    assert len(score.details["errors"]) == 100
    assert max(len(it["message"]) for it in score.details["errors"]) < 400
    assert score.misses[0].endswith("is not of type 'integer'")


@pytest.mark.parametrize("schema", ["", " \n", None, {}])
async def test_an_empty_schema_is_not_evaluated(schema: Any) -> None:
    score = await validated(schema, "anything")
    assert (score.verdict, score.score, score.error) == (Verdict.NOT_EVALUATED, None, None)


@pytest.mark.parametrize("text", ["Ada", "", '{"name": "Ada"', "NaN", '{"name": "Ada"} ok'])
async def test_an_answer_that_is_not_json_scores_0(text: str) -> None:
    score = await validated(PERSON, text)
    assert (score.score, score.verdict) == (0.0, Verdict.FAIL)
    assert score.misses[0].startswith("the answer is not JSON: line 1")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"name": "Ada"}', "whole text"),
        ('Here:\n```json\n{"name": "Ada"}\n```\nDone.', "code fence"),
        ('He said {braces} {"name": "Ada"} twice.', "within the text"),
    ],
)
async def test_tolerant_parsing_finds_json_and_says_where(text: str, place: str) -> None:
    score = await validated(PERSON, text, parse="tolerant")
    assert score.score == 1.0
    assert score.details["json_found"] == place
    assert ("JSON taken from" in score.reasoning) is (place != "whole text")
    if place != "whole text":
        assert (await validated(PERSON, text)).score == 0.0


async def test_tolerant_parsing_of_a_hostile_text_ends() -> None:
    began = time.process_time()
    score = await validated(PERSON, '{"a":' * 50_000, parse="tolerant")
    assert score.score == 0.0
    assert time.process_time() - began < 20


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ('{"type": ', "is not JSON: line 1, column 10"),
        ('"object"', "a mapping, `true` or `false`"),
        ({"type": "objekt"}, "$.type"),
        ({"properties": {"a": {"minimum": "0"}}}, "$.properties.a.minimum"),
        ({"properties": {"a": {"pattern": "("}}}, "$.properties.a.pattern"),
        ({"$schema": "https://example.org/own"}, "not a known draft"),
        ({"properties": {"a": {"$ref": "#/$defs/gone"}}}, "#/$defs/gone"),
    ],
)
async def test_a_schema_that_cannot_validate_is_an_error_and_not_a_score(
    schema: Any, said: str
) -> None:
    score = await validated(schema, "{}")
    assert (score.verdict, score.score) == (Verdict.ERROR, None)
    assert said in (score.error or "")


async def test_the_draft_is_the_one_the_schema_names() -> None:
    tuple_2020 = {"prefixItems": [{"type": "integer"}]}
    assert (await validated(tuple_2020, '["a"]')).score == 0.0
    draft_7 = {**tuple_2020, "$schema": "http://json-schema.org/draft-07/schema#"}
    assert (await validated(draft_7, '["a"]')).score == 1.0
    items_7 = {"$schema": draft_7["$schema"], "items": [{"type": "integer"}]}
    assert (await validated(items_7, '["a"]')).score == 0.0


async def test_references_within_the_schema_and_to_its_draft_are_followed() -> None:
    schema = {"$ref": "#/$defs/person", "$defs": {"person": PERSON}}
    assert (await validated(schema, '{"name": 1}')).score == 0.0
    metaschema = {"$ref": "https://json-schema.org/draft/2020-12/schema"}
    assert (await validated(metaschema, '{"type": 1}')).score == 0.0
    assert (await validated(metaschema, '{"type": "object"}')).score == 1.0


@pytest.mark.parametrize("wrap", ["plain", "subschema", "hidden", "with_pattern"])
async def test_a_remote_reference_is_refused_and_never_fetched(
    wrap: str, loopback: tuple[str, list[str]]
) -> None:
    address, asked = loopback
    schema: dict[str, Any] = {"$ref": address}
    if wrap == "subschema":
        schema = {"properties": {"name": schema}}
    if wrap == "hidden":  # where only following the first reference finds the second
        schema = {"$ref": "#/x-parts/name", "x-parts": {"name": schema}}
    if wrap == "with_pattern":
        schema = {"properties": {"name": schema, "b": {"pattern": "x"}}}
    score = await validated(schema, '{"name": "Ada"}')
    assert (score.verdict, score.score) == (Verdict.ERROR, None)
    assert address in (score.error or "")
    assert "$defs" in (score.error or "")
    assert asked == []


async def test_patterns_are_validated_like_everything_else() -> None:
    schema = {"properties": {"code": {"pattern": "^[A-Z]{3}$"}}, "required": ["code"]}
    assert (await validated(schema, '{"code": "ABC"}')).score == 1.0
    score = await validated(schema, '{"code": "abc"}')
    assert score.score == 0.0
    assert score.misses[0].startswith("$.code: ")


@pytest.mark.parametrize(
    ("schema", "value", "meets"),
    [
        ({"multipleOf": 0.01}, "19.99", True),
        ({"multipleOf": 0.1}, "0.3", True),
        ({"multipleOf": 0.01}, "19.995", False),
        ({"multipleOf": 0.1}, "1e300", True),
        ({"multipleOf": 3}, str(3 * 10**40), True),
        ({"multipleOf": 3}, str(3 * 10**40 + 1), False),
        ({"pattern": r"^\p{L}+$"}, '"héé"', True),
        ({"pattern": r"^\p{L}+$"}, '"h1"', False),
        ({"pattern": r"^\d+$"}, '"12"', True),
        ({"pattern": r"^\d+$"}, '"\u0661\u0662"', False),
        ({"pattern": "^a$"}, r'"a\n"', False),
        ({"pattern": r"^\w+\@\w+$"}, '"a@b"', True),
        ({"pattern": "^.$"}, '"\U0001f600"', True),
        ({"pattern": "a"}, r'"\ud800a"', True),
        ({"patternProperties": {r"^\d+$": False}}, '{"\u0661": 1}', True),
        ({"patternProperties": {r"^\d+$": False}}, '{"1": 1}', False),
        (
            {"patternProperties": {r"^\d+$": {}}, "additionalProperties": False},
            '{"\u0661": 1}',
            False,
        ),
        (
            {"allOf": [{"patternProperties": {r"^\p{L}$": {}}}], "unevaluatedProperties": False},
            '{"\u00e9": 1}',
            True,
        ),
        (
            {"allOf": [{"patternProperties": {"^a$": {}}}], "unevaluatedProperties": False},
            r'{"a\n": 1}',
            False,
        ),
        ({"format": "date"}, '"2026-02-29"', False),
        ({"format": "date-time"}, '"2026-01-31T12:00:00Z"', True),
        ({"format": "email"}, '"someone"', False),
        ({"format": "uri"}, '"no uri"', False),
        ({"format": "date"}, "7", True),
        ({"format": "date", "$schema": "http://json-schema.org/draft-07/schema#"}, '"x"', False),
        (
            {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "items": {"$ref": "#/definitions/price"},
                "definitions": {"price": {"multipleOf": 0.01}},
            },
            "[19.99]",
            True,
        ),
    ],
)
async def test_a_schema_means_what_the_specification_says(
    schema: dict[str, Any], value: str, meets: bool
) -> None:
    score = await validated(schema, value)
    assert score.error is None
    assert score.score == float(meets), score.reasoning


async def test_a_pattern_of_a_name_is_told_as_it_is_written() -> None:
    schema = {"patternProperties": {"^a": {"type": "string"}}, "unevaluatedProperties": False}
    score = await validated(schema, '{"ab": 1}')
    assert score.details["errors"][0]["schema_path"] == ["patternProperties", "^a", "type"]


async def test_patterns_that_end_soon_start_no_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("a program was started")

    monkeypatch.setattr(timed, "run_program", never)
    assert (await validated({"pattern": r"^[A-Z]{3}-\d+$"}, '"ABC-12"')).score == 1.0


async def test_an_answer_that_gives_a_key_twice_is_refused() -> None:
    for parse in ("strict", "tolerant"):
        for text in ('{"name": "Ada", "name": "Bo"}', '{"a": {"b": 1, "c": 2, "b": 1}}'):
            score = await validated({"type": "object"}, text, parse=parse)
            assert score.score == 0.0
            assert "occurs twice in one object" in score.misses[0]
    within = await validated({}, 'See {"a": 1, "a": 2}, or {"a": 1}.', parse="tolerant")
    assert within.verdict is Verdict.NOT_EVALUATED
    within = await validated({"type": "object"}, 'See {"a": 1, "a": 2}.', parse="tolerant")
    assert "line 1, column 14" in within.misses[0]


async def test_a_pattern_that_never_ends_is_stopped_and_says_nothing_of_the_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(timed, "VALIDATION_SECONDS", 2.0)
    schema = {"properties": {"a": {"pattern": "^(a+)+$"}}}
    score = await validated(schema, json.dumps({"a": "a" * 40 + "!"}))
    assert (score.verdict, score.score) == (Verdict.ERROR, None)
    assert "did not finish within 2 s" in (score.error or "")


async def test_a_module_in_the_suites_folder_is_not_run_by_validation(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('taken over')")
    schema = {"patternProperties": {"^a": {"type": "integer"}}}
    score = await graded(entry("json_schema", schema=schema), answer('{"ab": 1}', folder=tmp_path))
    assert (score.score, score.error) == (1.0, None)


@pytest.mark.parametrize("pattern", [{}, {"pattern": "x"}])
async def test_a_reference_to_itself_is_an_error(pattern: dict[str, str]) -> None:
    score = await validated({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#", **pattern}}}, "{}")
    assert score.verdict is Verdict.ERROR
    assert "refers to itself" in (score.error or "")


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ({"allOf": [{}, {"$ref": "other.json"}]}, ("allOf", 1, "$ref")),
        ({"items": {"type": 3}}, ("items", "type")),
        ({"$schema": 7}, ("$schema",)),
        ([], ()),
        ({"default": {1, 2}}, ()),
        ({"maximum": float("nan")}, ()),
    ],
)
def test_a_schemas_problem_has_its_place(schema: Any, path: tuple[str | int, ...]) -> None:
    (problem,) = schema_problems(schema)
    assert problem.path == path
    assert problem.message


@pytest.mark.parametrize(
    ("types", "said"),
    [
        ("strin", "'strin' is not one of 'object', 'array', 'string'"),
        (["string", "strin"], "'strin' is not one of 'object', 'array', 'string'"),
        (["string", "string"], "['string', 'string'] has non-unique elements"),
        ([], "[] should be non-empty"),
        (None, "expected one of 'object', 'array', 'string'"),
    ],
)
def test_what_is_wrong_with_a_type_is_said(types: Any, said: str) -> None:
    (problem,) = schema_problems({"type": types})
    assert said in problem.message


@pytest.mark.parametrize("schema", [PERSON, True, {}, {"$dynamicRef": "#a", "$dynamicAnchor": "a"}])
def test_a_sound_schema_has_no_problem(schema: Any) -> None:
    assert schema_problems(schema) == ()


def test_a_schema_that_is_not_json_is_told_with_its_place() -> None:
    with pytest.raises(NotJsonError) as raised:
        parse_schema('{\n  "type": object\n}')
    assert (raised.value.line, raised.value.column) == (2, 11)


def test_all_problems_of_a_schema_are_told_at_once() -> None:
    schema = {
        "type": "objct",
        "properties": {"a": {"minimum": "0"}, "b": {"pattern": "("}},
        "patternProperties": {"[": {}},
        "$ref": "#/x/y",
        "x": {"y": {"type": "strng"}},
    }
    assert {it.path for it in schema_problems(schema)} == {
        ("type",),
        ("properties", "a", "minimum"),
        ("properties", "b", "pattern"),
        ("patternProperties", "["),
        ("x", "y", "type"),
    }


GONE = {"$ref": "#/gone"}
DRAFT_7 = "http://json-schema.org/draft-07/schema#"


@pytest.mark.parametrize(
    ("schema", "paths"),
    [
        ({"type": "objct", "items": GONE}, [("type",), ("items", "$ref")]),
        ({"pattern": "(", "allOf": [{}, GONE]}, [("pattern",), ("allOf", 1, "$ref")]),
        ({"type": "objct", "$ref": "#"}, [("type",), ("$ref",)]),
        # References are found where their keyword has a value of another shape, too.
        ({"properties": [GONE]}, [("properties",), ("properties", 0, "$ref")]),
        ({"allOf": GONE}, [("allOf",), ("allOf", "$ref")]),
        ({"not": [GONE]}, [("not",), ("not", 0, "$ref")]),
        ({"$defs": {"a": [GONE]}}, [("$defs", "a")]),
        # What a malformed part names and holds can be referred to all the same.
        ({"$defs": [{"$anchor": "a"}], "$ref": "#a"}, [("$defs",)]),
        ({"$defs": [{"$id": "a.json"}], "$ref": "a.json"}, [("$defs",)]),
        ({"$anchor": 1, "$id": 2, "$ref": "#a"}, [("$anchor",), ("$id",), ("$ref",)]),
        ({"$id": 1, "$ref": "#/$defs/a", "$defs": {"a": {"$id": {}}}},
         [("$id",), ("$defs", "a", "$id")]),
        ({"$id": "http://[", "items": {"$id": "b", "$ref": "#"}, "$ref": "b"},
         [("$id",), ("items", "$ref")]),
        ({"id": 1, "$id": "a.json", "items": {"$ref": "a.json"}, "type": 1}, [("type",)]),
        # Where a reference leads into what is wrong itself, that is the one thing to be told.
        ({"$defs": None, "$ref": "#/$defs/a"}, [("$defs",)]),
        ({"$defs": {"a": "text"}, "$ref": "#/$defs/a"}, [("$defs", "a")]),
        ({"$defs": {"a": "text"}, "$ref": "#/$defs/a/items"}, [("$defs", "a")]),
        ({"$defs": {"a": "text"}, "$ref": "#/$defs/b"}, [("$defs", "a"), ("$ref",)]),
        # Of a draft that nobody knows, what is the same in all of them.
        ({"$schema": "draft-08", "not": GONE}, [("$schema",), ("not", "$ref")]),
        ({"$schema": "draft-08", "pattern": "("}, [("$schema",), ("pattern",)]),
        ({"$schema": "draft-08", "$ref": "#a", "$defs": {"a": {"$id": "#a"}}}, [("$schema",)]),
        ({"$schema": "draft-08", "$ref": "#/definitions/a", "definitions": {"a": {}}},
         [("$schema",)]),
        ({"items": {"$schema": DRAFT_7, "not": GONE}},
         [("items", "$schema"), ("items", "not", "$ref")]),
        ({"items": {"$schema": "draft-08", "not": GONE}},
         [("items", "$schema"), ("items", "not", "$ref")]),
    ],
)  # fmt: skip
def test_references_are_judged_beside_other_problems(
    schema: Any, paths: list[tuple[str | int, ...]]
) -> None:
    assert sorted(map(str, {it.path for it in schema_problems(schema)})) == sorted(map(str, paths))


@pytest.mark.parametrize(
    "pointer",
    ["#/title/b", "#/title/0", "#/minimum/b", "#/default/b", "#/allOf/b", "#/allOf/-1", "#/enum/9"],
)
def test_a_pointer_into_a_value_or_past_a_list_leads_nowhere(pointer: str) -> None:
    schema = {"title": "text", "minimum": 1, "default": True, "allOf": [{}], "enum": [1]}
    assert [it.path for it in schema_problems({**schema, "not": {"$ref": pointer}})] == [
        ("not", "$ref")
    ]


def test_references_are_followed_to_where_no_keyword_holds_a_schema() -> None:
    schema = {
        "properties": {"a": {"$ref": "#/x-parts/a"}, "b": {"$ref": "#/x-parts/b"}},
        "x-parts": {"a": {"items": {"$ref": "#/gone"}}, "b": {"not": {"$ref": "#/x-parts/b"}}},
    }
    assert {it.path for it in schema_problems(schema)} == {
        ("x-parts", "a", "items", "$ref"),
        ("x-parts", "b", "not", "$ref"),
    }


async def test_every_problem_of_a_schema_is_in_the_error() -> None:
    score = await validated({"type": "objct", "items": {"$ref": "#/gone"}}, "{}")
    assert "$.type: " in (score.error or "")
    assert "$.items.$ref: " in (score.error or "")
    many = {"properties": {f"p{number}": {"type": "txt"} for number in range(30)}}
    score = await validated(many, "{}")
    assert (score.error or "").count("is not one of") == 10
    assert "and 20 more problems" in (score.error or "")


def test_the_standard_formats_are_those_of_the_validator() -> None:
    from jsonschema import Draft202012Validator

    assert set(FORMATS) >= set(Draft202012Validator.FORMAT_CHECKER.checkers)


@pytest.mark.parametrize(
    ("name", "met", "unmet"),
    [
        ("date", ["2024-02-29", "0000-02-29"], ["2023-02-29", "2024-2-9", "२०२४-०२-०९", ""]),
        ("time", ["12:00:00Z", "23:59:60Z", "01:29:60+01:30"], ["12:00:00", "24:00:00Z"]),
        ("date-time", ["2026-01-31t12:00:00.5+02:00"], ["2026-01-31 12:00:00Z", "2026-01-31"]),
        ("duration", ["P3DT12H", "P2W", "PT1M"], ["P", "PT", "P1Y2W", "1D", "PT1H2S"]),
        ("email", ["a.b@example.org", '"a b"@x.org', "a@[127.0.0.1]"], ["a", "a..b@x", "a@-x"]),
        ("idn-email", ["실례@실례.테스트"], ["실례"]),
        ("hostname", ["example.org", "xn--4gbwdl.xn--wgbh1c"], ["-a.org", "a_b", "xn--X", ""]),
        ("idn-hostname", ["실례.테스트"], ["〮실례.테스트"]),
        ("ipv4", ["192.0.2.1"], ["192.0.2", "192.0.2.01", "1.2.3.4\n"]),
        ("ipv6", ["::1", "2001:db8::1"], ["fe80::1%eth0", "12345::"]),
        (
            "uri",
            ["https://a.org/b?c#d", "urn:isbn:0", "http://[::1]/"],
            ["/a", "a b:c", "http://[x]"],
        ),
        ("uri-reference", ["../a", "", "//a.org"], ["a\\b", "%zz"]),
        ("iri", ["https://ä.org/ü"], ["ä", "a:<b>"]),
        ("iri-reference", ["ü"], ["#<"]),
        ("uuid", ["2EB8AA08-aa98-11ea-b4aa-73b441d16380"], ["2eb8aa08aa9811eab4aa73b441d16380"]),
        ("uri-template", ["/users/{id}{?q*,n:3}"], ["/users/{id", "{}"]),
        ("json-pointer", ["", "/a~1b/0"], ["a", "/~2"]),
        ("relative-json-pointer", ["0#", "1/a"], ["/a", "01/a"]),
        ("regex", ["^a$"], ["(", r"\Z"]),
    ],
)
def test_a_format_is_met_by_what_its_rfc_says(name: str, met: list[str], unmet: list[str]) -> None:
    assert [it for it in met if not FORMATS[name].is_met(it)] == []
    assert [it for it in unmet if FORMATS[name].is_met(it)] == []
