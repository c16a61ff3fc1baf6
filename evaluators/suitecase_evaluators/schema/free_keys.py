"""Keys of schemas that are not keywords of JSON Schema, and what they are instead."""

from __future__ import annotations

from collections.abc import Mapping

#: Keys that say something to people or other programs and that no validator checks. Schemas made
#: for OpenAPI, forms and code generators have them.
ANNOTATIONS = frozenset(
    {
        "example", "discriminator", "xml", "externalDocs", "markdownDescription",
        "enumDescriptions", "markdownEnumDescriptions", "enumNames", "errorMessage",
        "defaultSnippets", "propertyOrdering", "propertyOrder", "deprecationMessage",
        "doNotSuggest", "tsType", "tsEnumNames", "javaType", "javaName", "meta:enum", "strict",
        "nullable",  # of OpenAPI 3.0; a separate message, since it is intended to allow something
    }
)  # fmt: skip
#: Keywords of other schema languages that are intended to check something, and replacements.
ELSEWHERE: Mapping[str, str] = {
    "nullable": "`nullable` belongs to OpenAPI and is not checked; write "
    '`type: [..., "null"]` to allow `null`',
    "divisibleBy": "`divisibleBy` belongs to draft 3; write `multipleOf`",
    "disallow": "`disallow` belongs to draft 3; write `not`",
    "extends": "`extends` belongs to draft 3; write `allOf`",
    "optional": "`optional` is not a keyword: a property is optional unless `required` beside "
    "`properties` names it",
}


def is_free(name: str) -> bool:
    """Whether a key is somebody's own by the way it is written, or nothing but an annotation."""
    return name in ANNOTATIONS or name[:1] in ("_", "@") or name[:2] in ("x-", "X-") or ":" in name
