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
            "The schema of each property, where it is there. It neither asks for a property "
            "(`required` does) nor forbids another one (`additionalProperties` does).",
            "schemas by name",
            _OBJECT,
        ),
        Keyword(
            "required",
            "a list of names",
            "The properties that have to be there. It stands beside `properties`, not within "
            "the schema of a property.",
            types=_OBJECT,
        ),
        Keyword(
            "additionalProperties",
            "a schema, or `true` or `false`",
            "What all properties are held against that neither `properties` nor "
            "`patternProperties` beside it names; `false` forbids them.",
            "schema",
            _OBJECT,
        ),
        Keyword(
            "items",
            "a schema",
            "What each item of a list is held against; beside `prefixItems` each that follows "
            "those. Up to draft 2019-09 a list of schemas is for the first items, one each.",
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
            "What a text is: a `date`, an `email`, a `uri`. Drafts leave open whether that is "
            "checked; Suitecase checks every format the drafts define, and says which it does "
            "not know.",
            types=_STRING,
        ),
        Keyword(
            "pattern",
            "a regular expression",
            "The text has a place that matches: `^` and `$` tie it to start and end. It is a "
            r"regular expression of ECMA-262: `\d` is `0` to `9`, `\p{L}` is any letter.",
            types=_STRING,
        ),
        Keyword("minLength", "a whole number", "The fewest characters of a text.", types=_STRING),
        Keyword("maxLength", "a whole number", "The most characters of a text.", types=_STRING),
        Keyword("minimum", "a number", "The smallest number that may be.", types=_NUMBERS),
        Keyword("maximum", "a number", "The largest number that may be.", types=_NUMBERS),
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
        Keyword("minItems", "a whole number", "The fewest items of a list.", types=_ARRAY),
        Keyword("maxItems", "a whole number", "The most items of a list.", types=_ARRAY),
        Keyword(
            "uniqueItems", "`true` or `false`", "No two items of a list are equal.", types=_ARRAY
        ),
        Keyword(
            "prefixItems",
            "a list of schemas",
            "What the first items of a list are held against, one schema each.",
            "schemas",
            _ARRAY,
            since=2020,
        ),
        Keyword(
            "contains",
            "a schema",
            "At least one item of a list meets it.",
            "schema",
            _ARRAY,
            since=6,
        ),
        Keyword(
            "minContains",
            "a whole number",
            "How many items have to meet `contains`; 1 where it is left out.",
            types=_ARRAY,
            beside=("contains",),
            since=2019,
        ),
        Keyword(
            "maxContains",
            "a whole number",
            "How many items may meet `contains`.",
            types=_ARRAY,
            beside=("contains",),
            since=2019,
        ),
        Keyword(
            "patternProperties",
            "schemas by regular expression",
            "The schema of each property whose name matches.",
            "schemas by name",
            _OBJECT,
        ),
        Keyword(
            "propertyNames",
            "a schema",
            "What the name of each property is held against.",
            "schema",
            _OBJECT,
            since=6,
        ),
        Keyword("minProperties", "a whole number", "The fewest properties.", types=_OBJECT),
        Keyword("maxProperties", "a whole number", "The most properties.", types=_OBJECT),
        Keyword(
            "dependentRequired",
            "lists of names, by name",
            "Properties that have to be there where another one is.",
            types=_OBJECT,
            since=2019,
        ),
        Keyword(
            "dependentSchemas",
            "schemas by name",
            "What the object is held against where a property is there.",
            "schemas by name",
            _OBJECT,
            since=2019,
        ),
        Keyword("allOf", "a list of schemas", "The value meets every one of them.", "schemas"),
        Keyword("anyOf", "a list of schemas", "The value meets at least one.", "schemas"),
        Keyword("oneOf", "a list of schemas", "The value meets exactly one.", "schemas"),
        Keyword("not", "a schema", "The value does not meet it.", "schema"),
        Keyword(
            "if",
            "a schema",
            "Decides between `then` and `else`; by itself it refuses nothing.",
            "schema",
            beside=("then", "else"),
            since=7,
        ),
        Keyword(
            "then",
            "a schema",
            "What a value is held against that meets `if`.",
            "schema",
            beside=("if",),
            since=7,
        ),
        Keyword(
            "else",
            "a schema",
            "What a value is held against that does not meet `if`.",
            "schema",
            beside=("if",),
            since=7,
        ),
        Keyword(
            "$ref",
            "a reference",
            "The value meets the schema it leads to: `#/$defs/name` within this one. Nothing is "
            "ever fetched. Up to draft 7 all that stands beside it counts for nothing.",
        ),
        Keyword(
            "$defs",
            "schemas by name",
            "Schemas to refer to by `$ref: '#/$defs/name'`. By themselves they ask nothing.",
            "schemas by name",
            checks=False,
        ),
        Keyword(
            "unevaluatedProperties",
            "a schema, or `true` or `false`",
            "What all properties are held against that nothing else in this schema has looked "
            "at, `allOf` and `$ref` included.",
            "schema",
            _OBJECT,
            since=2019,
        ),
        Keyword(
            "unevaluatedItems",
            "a schema, or `true` or `false`",
            "What all items are held against that nothing else in this schema has looked at.",
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
        Keyword("default", "a value", "A value to assume. It fills in nothing.", checks=False),
        Keyword("examples", "a list of values", "Values that would do.", since=6, checks=False),
        Keyword("deprecated", "`true` or `false`", "Not to be used.", since=2019, checks=False),
        Keyword("readOnly", "`true` or `false`", "Only ever read.", since=7, checks=False),
        Keyword("writeOnly", "`true` or `false`", "Only ever written.", since=7, checks=False),
        Keyword("$comment", "a text", "A note for whoever reads the schema.", checks=False),
        Keyword(
            "$schema",
            "the address of a draft",
            "The draft the schema is written for, 2020-12 where it is left out. It stands at the "
            "top.",
            checks=False,
        ),
        Keyword("$id", "an address", "What references start from.", since=6, checks=False),
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
            "What holds where a property is there.",
            "schemas by name",
            _OBJECT,
            until=7,
            instead="dependentRequired` or `dependentSchemas",
        ),
        Keyword(
            "additionalItems",
            "a schema, or `true` or `false`",
            "What the items are held against that follow those of a list under `items`.",
            "schema",
            _ARRAY,
            beside=("items",),
            until=2019,
            instead="items` beside `prefixItems",
        ),
        Keyword(
            "contentEncoding",
            "the name of an encoding",
            "How a text holds bytes. Nothing checks it.",
            types=_STRING,
            since=7,
            checks=False,
        ),
        Keyword(
            "contentMediaType",
            "a media type",
            "What a text is. Nothing checks it.",
            types=_STRING,
            since=7,
            checks=False,
        ),
        Keyword(
            "contentSchema",
            "a schema",
            "The schema of what a text holds. Nothing checks it.",
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
