"""The keywords of JSON Schema: what each means, what it takes, and in which drafts it holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

#: What stands under a keyword, as far as schemas go: one, a list of them, several by name, either
#: of the first two, or nothing but values.
Holds = Literal["schema", "schemas", "schemas by name", "schema or schemas", "values"]

#: The names of the types of JSON, each with what it is.
TYPES: Mapping[str, str] = {
    "object": "a JSON object: keys with values",
    "array": "a list",
    "string": "a text",
    "number": "a number, whole or not",
    "integer": "a whole number; `1.0` is one",
    "boolean": "`true` or `false`",
    "null": "no value: `null`",
}
_NUMBERS = ("number", "integer")


@dataclass(frozen=True, slots=True)
class Keyword:
    """A keyword of JSON Schema.

    Attributes:
        name: as it is written.
        takes: what stands under it, for people.
        meaning: what it asks of a value, or says.
        holds: which schemas stand under it.
        types: the types of JSON it has something to say of; empty for all.
        beside: keywords one of which has to stand beside it for it to say anything.
        since: the first draft that has it.
        until: the last draft that has it.
        instead: what later drafts have in its place.
        checks: whether an answer can fail by it.
    """

    name: str
    takes: str
    meaning: str
    holds: Holds = "values"
    types: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    since: int = 4
    until: int = 2020
    instead: str = ""
    checks: bool = True

    def holds_in(self, draft: float) -> bool:
        return self.since <= draft <= self.until


_OBJECT, _ARRAY, _STRING = ("object",), ("array",), ("string",)

#: All keywords, those first that are written most.
KEYWORDS: Mapping[str, Keyword] = {
    it.name: it
    for it in (
        Keyword(
            "type",
            "the name of a type, or a list of them",
            "The type of the value: one of "
            + ", ".join(f"`{name}`" for name in TYPES)
            + ", or any of a list.",
        ),
        Keyword(
            "properties",
            "schemas by name",
            "The schemas of properties, by name. It does not make a property required (`required` "
            "does) and does not forbid others (`additionalProperties` does).",
            "schemas by name",
            _OBJECT,
        ),
        Keyword(
            "required",
            "a list of names",
            "The required properties. It belongs beside `properties`, not inside the schema of a "
            "property.",
            types=_OBJECT,
        ),
        Keyword(
            "additionalProperties",
            "a schema, or `true` or `false`",
            "The schema of all properties that neither `properties` nor `patternProperties` "
            "beside it covers; `false` forbids them.",
            "schema",
            _OBJECT,
        ),
        Keyword(
            "items",
            "a schema",
            "The schema of each item of a list; beside `prefixItems`, of each item after those. "
            "Up to draft 2019-09 it may be a list of schemas for the first items, one each.",
            "schema or schemas",
            _ARRAY,
        ),
        Keyword(
            "enum",
            "a list of values",
            "The value is one of these. `1` and `1.0` are the same, `1` and `true` are not.",
        ),
        Keyword("const", "a value", "The value is exactly this one.", since=6),
        Keyword(
            "format",
            "the name of a format",
            "The format of a text: a `date`, an `email`, a `uri`. The drafts do not require that "
            "it is checked; Suitecase checks every format they define, and reports unknown ones.",
            types=_STRING,
        ),
        Keyword(
            "pattern",
            "a regular expression",
            "Some part of the text matches; `^` and `$` anchor the match to start and end. It is "
            r"an ECMA-262 regular expression: `\d` is `0` to `9`, `\p{L}` is any letter.",
            types=_STRING,
        ),
        Keyword(
            "minLength",
            "a whole number",
            "The minimum length of a text, in characters.",
            types=_STRING,
        ),
        Keyword(
            "maxLength",
            "a whole number",
            "The maximum length of a text, in characters.",
            types=_STRING,
        ),
        Keyword("minimum", "a number", "The minimum of the number.", types=_NUMBERS),
        Keyword("maximum", "a number", "The maximum of the number.", types=_NUMBERS),
        Keyword(
            "exclusiveMinimum",
            "a number",
            "The number is larger than this. In draft 4 it is `true` or `false`, and turns "
            "`minimum` into such a bound.",
            types=_NUMBERS,
        ),
        Keyword(
            "exclusiveMaximum",
            "a number",
            "The number is smaller than this. In draft 4 it is `true` or `false`, and turns "
            "`maximum` into such a bound.",
            types=_NUMBERS,
        ),
        Keyword(
            "multipleOf",
            "a number above 0",
            "The number is a multiple of this, as both are written in decimals: `19.99` is one "
            "of `0.01`.",
            types=_NUMBERS,
        ),
        Keyword(
            "minItems", "a whole number", "The minimum number of items in a list.", types=_ARRAY
        ),
        Keyword(
            "maxItems", "a whole number", "The maximum number of items in a list.", types=_ARRAY
        ),
        Keyword(
            "uniqueItems", "`true` or `false`", "No two items of a list are equal.", types=_ARRAY
        ),
        Keyword(
            "prefixItems",
            "a list of schemas",
            "The schemas of the first items of a list, one each.",
            "schemas",
            _ARRAY,
            since=2020,
        ),
        Keyword(
            "contains",
            "a schema",
            "At least one item of the list matches this schema.",
            "schema",
            _ARRAY,
            since=6,
        ),
        Keyword(
            "minContains",
            "a whole number",
            "The minimum number of items that match `contains`; 1 by default.",
            types=_ARRAY,
            beside=("contains",),
            since=2019,
        ),
        Keyword(
            "maxContains",
            "a whole number",
            "The maximum number of items that match `contains`.",
            types=_ARRAY,
            beside=("contains",),
            since=2019,
        ),
        Keyword(
            "patternProperties",
            "schemas by regular expression",
            "The schemas of properties whose names match.",
            "schemas by name",
            _OBJECT,
        ),
        Keyword(
            "propertyNames",
            "a schema",
            "The schema of the names of properties.",
            "schema",
            _OBJECT,
            since=6,
        ),
        Keyword(
            "minProperties", "a whole number", "The minimum number of properties.", types=_OBJECT
        ),
        Keyword(
            "maxProperties", "a whole number", "The maximum number of properties.", types=_OBJECT
        ),
        Keyword(
            "dependentRequired",
            "lists of names, by name",
            "Properties that are required if another one is present.",
            types=_OBJECT,
            since=2019,
        ),
        Keyword(
            "dependentSchemas",
            "schemas by name",
            "Schemas of the object that apply if a property is present.",
            "schemas by name",
            _OBJECT,
            since=2019,
        ),
        Keyword("allOf", "a list of schemas", "The value matches all of these schemas.", "schemas"),
        Keyword(
            "anyOf",
            "a list of schemas",
            "The value matches at least one of these schemas.",
            "schemas",
        ),
        Keyword(
            "oneOf",
            "a list of schemas",
            "The value matches exactly one of these schemas.",
            "schemas",
        ),
        Keyword("not", "a schema", "The value does not match this schema.", "schema"),
        Keyword(
            "if",
            "a schema",
            "Selects `then` or `else`; has no effect by itself.",
            "schema",
            beside=("then", "else"),
            since=7,
        ),
        Keyword(
            "then",
            "a schema",
            "The schema of a value that matches `if`.",
            "schema",
            beside=("if",),
            since=7,
        ),
        Keyword(
            "else",
            "a schema",
            "The schema of a value that does not match `if`.",
            "schema",
            beside=("if",),
            since=7,
        ),
        Keyword(
            "$ref",
            "a reference",
            "The value matches the referenced schema, such as `#/$defs/name` within this one. "
            "Nothing is ever fetched. Up to draft 7 all keywords beside it are ignored.",
        ),
        Keyword(
            "$defs",
            "schemas by name",
            "Schemas to refer to by `$ref: '#/$defs/name'`. They have no effect by themselves.",
            "schemas by name",
            checks=False,
        ),
        Keyword(
            "unevaluatedProperties",
            "a schema, or `true` or `false`",
            "The schema of all properties that nothing else in this schema covers, including "
            "`allOf` and `$ref`.",
            "schema",
            _OBJECT,
            since=2019,
        ),
        Keyword(
            "unevaluatedItems",
            "a schema, or `true` or `false`",
            "The schema of all items that nothing else in this schema covers.",
            "schema",
            _ARRAY,
            since=2019,
        ),
        Keyword("title", "a text", "A name, for people and models.", checks=False),
        Keyword(
            "description",
            "a text",
            "What the value means. Models that are given the schema read it.",
            checks=False,
        ),
        Keyword("default", "a value", "The default value. Nothing is filled in.", checks=False),
        Keyword("examples", "a list of values", "Examples of values.", since=6, checks=False),
        Keyword(
            "deprecated", "`true` or `false`", "The value is deprecated.", since=2019, checks=False
        ),
        Keyword("readOnly", "`true` or `false`", "Only ever read.", since=7, checks=False),
        Keyword("writeOnly", "`true` or `false`", "Only ever written.", since=7, checks=False),
        Keyword("$comment", "a text", "A comment for readers of the schema.", checks=False),
        Keyword(
            "$schema",
            "the address of a draft",
            "The draft of the schema, by default 2020-12. It belongs at the top.",
            checks=False,
        ),
        Keyword("$id", "an address", "The base of references.", since=6, checks=False),
        Keyword("$anchor", "a name", "A name to refer to: `#name`.", since=2019, checks=False),
        Keyword(
            "$dynamicRef",
            "a reference",
            "A reference that follows the outermost `$dynamicAnchor` of its name.",
            since=2020,
        ),
        Keyword("$dynamicAnchor", "a name", "A name for `$dynamicRef`.", since=2020, checks=False),
        Keyword(
            "$recursiveRef",
            "`#`",
            "A reference that follows the outermost `$recursiveAnchor`.",
            since=2019,
            until=2019,
            instead="$dynamicRef",
        ),
        Keyword(
            "$recursiveAnchor",
            "`true` or `false`",
            "Where `$recursiveRef` may lead.",
            since=2019,
            until=2019,
            instead="$dynamicAnchor",
            checks=False,
        ),
        Keyword("$vocabulary", "a mapping", "Of metaschemas only.", since=2019, checks=False),
        Keyword(
            "definitions",
            "schemas by name",
            "Schemas to refer to by `$ref: '#/definitions/name'`; `$defs` since draft 2019-09.",
            "schemas by name",
            checks=False,
        ),
        Keyword("id", "an address", "The `$id` of draft 4.", until=4, checks=False),
        Keyword(
            "dependencies",
            "schemas or lists of names, by name",
            "Constraints that apply if a property is present.",
            "schemas by name",
            _OBJECT,
            until=7,
            instead="dependentRequired` or `dependentSchemas",
        ),
        Keyword(
            "additionalItems",
            "a schema, or `true` or `false`",
            "The schema of the items after those of a list under `items`.",
            "schema",
            _ARRAY,
            beside=("items",),
            until=2019,
            instead="items` beside `prefixItems",
        ),
        Keyword(
            "contentEncoding",
            "the name of an encoding",
            "The encoding of bytes in a text. It is not checked.",
            types=_STRING,
            since=7,
            checks=False,
        ),
        Keyword(
            "contentMediaType",
            "a media type",
            "The media type of a text. It is not checked.",
            types=_STRING,
            since=7,
            checks=False,
        ),
        Keyword(
            "contentSchema",
            "a schema",
            "The schema of the content of a text. It is not checked.",
            "schema",
            _STRING,
            since=2019,
            checks=False,
        ),
    )
}


@cache
def known_in(draft: float) -> tuple[str, ...]:
    """Return the names of the keywords of a draft."""
    return tuple(name for name, it in KEYWORDS.items() if it.holds_in(draft))
