"""Keywords and formats of a schema without effect: misspelled, unknown, ineffective or unchecked.

Validators ignore unknown keywords, so that a schema with a typo accepts everything.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from suitecase_evaluators.schema.drafts import draft_of
from suitecase_evaluators.schema.formats import FORMATS
from suitecase_evaluators.schema.free_keys import ELSEWHERE, is_free
from suitecase_evaluators.schema.keywords import KEYWORDS, TYPES, Keyword, known_in
from suitecase_evaluators.schema.walk import Path, referred, subschemas

#: The kinds of remarks: a word similar to a keyword or a format; another unknown key; a keyword
#: without effect in its place; a format or an encoding that is not checked.
Kind = Literal["misspelt", "unknown", "idle", "unchecked"]


@dataclass(frozen=True, slots=True)
class Remark:
    """A part of a schema without effect, and its path.

    `on_key` is whether it is about the last key of the path; `meant` is the suggested word.
    """

    kind: Kind
    message: str
    path: Path
    on_key: bool = True
    meant: str | None = None


#: The maximum length of a name that is compared with keywords, which are shorter.
_LONGEST = 100
#: Keys that contain a schema in the APIs of models.
_WRAPPERS = ("schema", "json_schema", "parameters", "input_schema")
#: Names of formats in other schema languages, and their names in JSON Schema.
_OTHER_NAMES = {
    "url": "uri",
    "guid": "uuid",
    "ip": "ipv4",
    "ip-address": "ipv4",
    "host-name": "hostname",
    "iso-date": "date",
    "iso-date-time": "date-time",
    "iso-time": "time",
}


def remarks(schema: Any) -> tuple[Remark, ...]:
    """Return the remarks on a schema; none if it is not a JSON value."""
    try:
        return _remarks(json.dumps(schema, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        return ()


@lru_cache(maxsize=256)
def _remarks(text: str) -> tuple[Remark, ...]:
    schema = json.loads(text)
    draft = draft_of(schema)
    led_to = list(referred(schema))
    parts = dict(subschemas(schema))
    for start, part in led_to:
        parts.update({(*start, *path): it for path, it in subschemas(part)})
    found: list[Remark] = []
    #: The keys that references pass through, by place.
    leads: dict[Path, set[Path]] = {}
    for led, _ in led_to:
        for end in range(1, len(led) + 1):
            leads.setdefault(led[: end - 1], set()).add(led[:end])
    for path, part in parts.items():
        if isinstance(part, dict):
            found += _unknown(part, path, draft, leads.get(path, set()))
            found += _idle(part, path, draft)
            found += _unchecked(part, path)
    if not found and _asks_nothing(schema):
        message = "no keyword of this schema has an effect, so every JSON answer is valid"
        found.append(Remark("idle", message, (), on_key=False))
    return tuple(found)


def _asks_nothing(schema: Any) -> bool:
    """Whether a schema has only annotations, such as `description`, and nothing to check."""
    if not isinstance(schema, dict):
        return schema is True
    known = (KEYWORDS.get(name) for name in schema)
    return bool(schema) and not any(it is not None and it.checks for it in known)


def _unknown(
    schema: dict[str, Any], path: Path, draft: float, leads: set[Path]
) -> Iterator[Remark]:
    for name, value in schema.items():
        if name in KEYWORDS or (is_free(name) and name not in ELSEWHERE) or (*path, name) in leads:
            continue
        here = (*path, name)
        if name in ELSEWHERE:
            if value is not False:
                yield Remark("idle", ELSEWHERE[name], here)
            continue
        suggestion = _nearest(name, list(known_in(draft)))
        if suggestion is not None and (
            _folded(name) == _folded(suggestion) or _fits(KEYWORDS[suggestion], value)
        ):
            message = f"unknown keyword `{name}`, which has no effect; did you mean `{suggestion}`"
            if suggestion in schema:
                yield Remark("misspelt", f"{message}, which is also present?", here)
            else:
                yield Remark("misspelt", f"{message}?", here, meant=suggestion)
            continue
        message = f"`{name}` is not a keyword of JSON Schema, so it has no effect"
        if name in _WRAPPERS and isinstance(value, dict):
            message += "; write the schema itself instead of its wrapper"
        elif isinstance(value, dict | bool) and "properties" not in schema:
            message += "; the schema of a property belongs under `properties`"
        elif suggestion is not None:
            message += f"; `{suggestion}` takes {KEYWORDS[suggestion].takes}"
        else:
            message += "; keys of your own start with `x-`"
        yield Remark("unknown", message, here)


def _nearest(name: str, known: list[str]) -> str | None:
    from difflib import get_close_matches

    same = next((it for it in known if _folded(it) == _folded(name)), None)
    found = get_close_matches(name[:_LONGEST], known, n=1, cutoff=0.75)
    return same or (found[0] if found else None)


def _folded(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "").strip()


def _fits(keyword: Keyword, value: Any) -> bool:
    """Whether a value has a type that a keyword takes, so that the keyword may be intended."""
    match keyword.holds:
        case "schema":
            return isinstance(value, dict | bool)
        case "schemas":
            return isinstance(value, list)
        case "schemas by name":
            return isinstance(value, dict)
        case "schema or schemas":
            return isinstance(value, dict | bool | list)
    takes = keyword.takes
    if keyword.name == "type":
        return isinstance(value, str | list)
    if takes.startswith("a list"):
        return isinstance(value, list)
    if "number" in takes:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if takes.startswith("`true`"):
        return isinstance(value, bool)
    if takes.startswith("lists"):
        return isinstance(value, dict)
    return takes == "a value" or isinstance(value, str)


def _idle(schema: dict[str, Any], path: Path, draft: float) -> Iterator[Remark]:
    types = schema.get("type")
    listed = types if isinstance(types, list) else [types]
    given = {item for item in listed if isinstance(item, str) and item in TYPES}
    for name in schema:
        keyword = KEYWORDS.get(name)
        if keyword is None or not keyword.checks:
            continue
        message = None
        if draft <= 7 and "$ref" in schema and name != "$ref":
            message = f"has no effect next to `$ref` up to draft 7; put both under `allOf`{_OR}"
        elif not keyword.holds_in(draft):
            message = _other_draft(keyword, draft)
        elif keyword.beside and not any(it in schema for it in keyword.beside):
            message = f"has no effect without {_either(keyword.beside)}"
        elif name == "additionalItems" and not isinstance(schema["items"], list):
            message = "has no effect unless `items` is a list of schemas"
        elif keyword.types and given and not _shared(set(keyword.types), given):
            if name == "format" and str(schema["format"]) not in FORMATS:
                continue  # reported as a format that is not checked
            kinds = _either(tuple(sorted(given)))
            message = f"applies only to {_either(_named(keyword))}, but `type` is {kinds} here"
        if message is not None:
            yield Remark("idle", f"`{name}` {message}", (*path, name))


_OR = ", or remove `$schema`"


def _named(keyword: Keyword) -> tuple[str, ...]:
    return ("number",) if "number" in keyword.types else keyword.types


def _shared(one: set[str], other: set[str]) -> bool:
    return bool(one & other)


def _either(names: tuple[str, ...]) -> str:
    return " or ".join(f"`{name}`" for name in names)


def _other_draft(keyword: Keyword, draft: float) -> str:
    version = {2019: "2019-09", 2020: "2020-12"}.get(int(draft), str(int(draft)))
    if draft < keyword.since:
        first = {2019: "2019-09", 2020: "2020-12"}.get(keyword.since, str(keyword.since))
        return f"was added in draft {first}, but `$schema` selects draft {version}, so it has no effect"
    return f"is not a keyword of draft {version} and has no effect; write `{keyword.instead}`"


def _unchecked(schema: dict[str, Any], path: Path) -> Iterator[Remark]:
    name = schema.get("format")
    if isinstance(name, str) and name not in FORMATS:
        here = (*path, "format")
        suggestion = _OTHER_NAMES.get(name) or _nearest(name, list(FORMATS))
        if suggestion is not None:
            message = f"unknown format `{name}`, which is not checked; did you mean `{suggestion}`?"
            yield Remark("misspelt", message, here, on_key=False, meant=suggestion)
        else:
            message = f"the format `{name}` is not checked; use `pattern` to constrain the text"
            if "number" in str(schema.get("type")) or "integer" in str(schema.get("type")):
                message = f"the format `{name}` is not checked; use `minimum` and `maximum`"
            yield Remark("unchecked", message, here, on_key=False)
    for name in ("contentEncoding", "contentMediaType", "contentSchema"):
        if name in schema:
            message = f"`{name}` is not checked; use `pattern` to constrain the text"
            yield Remark("unchecked", message, (*path, name))
