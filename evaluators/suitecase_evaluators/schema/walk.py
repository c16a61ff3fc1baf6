"""Walks through a schema: every schema in it, and what its paths and references lead to."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, Literal

from suitecase_evaluators.schema.keywords import KEYWORDS

Path = tuple[str | int, ...]


def subschemas(schema: Any) -> Iterator[tuple[Path, Any]]:
    """Yield a schema and every one in it, with what leads to it, the outer ones first."""
    waiting: deque[tuple[Path, Any]] = deque([((), schema)])
    while waiting:
        path, part = waiting.popleft()
        if isinstance(part, bool | dict):
            yield path, part
        if isinstance(part, dict):
            waiting += _in_one(part, path)


def referred(schema: Any) -> Iterator[tuple[Path, Any]]:
    """Yield what pointers of a schema's references lead to, such as `#/parts/address`.

    That may be a place where no keyword holds a schema, and is one all the same.
    """
    seen: set[str] = set()
    waiting = [part for _, part in subschemas(schema)]
    while waiting:
        part = waiting.pop()
        pointer = part.get("$ref") if isinstance(part, dict) else None
        if not isinstance(pointer, str) or not pointer.startswith("#/") or pointer in seen:
            continue
        seen.add(pointer)
        path, found, left = followed(schema, pointer[1:])
        if not left:
            yield path, found
            waiting += [it for _, it in subschemas(found)]


def followed(schema: Any, pointer: str) -> tuple[Path, Any, int]:
    """Follow a JSON pointer (RFC 6901) that is written as the fragment of an address.

    Returns:
        The path as far as the pointer leads, what stands there, and how many steps are left.
    """
    from urllib.parse import unquote

    path: Path = ()
    part = schema
    steps = unquote(pointer).split("/")[1:]
    for number, step in enumerate(steps):
        key: str | int = step.replace("~1", "/").replace("~0", "~")
        if isinstance(part, list) and step.isdecimal() and int(step) < len(part):
            key = int(step)
            part = part[key]
        elif isinstance(part, dict) and key in part:
            part = part[key]
        else:
            return path, part, len(steps) - number
        path = (*path, key)
    return path, part, 0


def _in_one(schema: dict[str, Any], path: Path) -> Iterator[tuple[Path, Any]]:
    for name, under in schema.items():
        keyword = KEYWORDS.get(name)
        if keyword is None or keyword.holds == "values":
            continue
        here = (*path, name)
        if isinstance(under, list) and keyword.holds in ("schemas", "schema or schemas"):
            yield from (((*here, index), it) for index, it in enumerate(under))
        elif isinstance(under, dict) and keyword.holds == "schemas by name":
            yield from (((*here, by), it) for by, it in under.items())
        elif keyword.holds in ("schema", "schema or schemas"):
            yield here, under


def stands_for(path: Path) -> Literal["schema", "schemas", "names", "value"]:
    """Return what a path within a schema leads to.

    Returns:
        `schema`: a schema, whose keys are keywords. `schemas`: a list of them. `names`: a mapping
        whose keys are names and whose values are schemas. `value`: a value of a keyword.
    """
    here: Literal["schema", "schemas", "names", "value"] = "schema"
    for number, step in enumerate(path):
        if here in ("schemas", "names"):
            here = "schema"
            continue
        keyword = KEYWORDS.get(str(step)) if here == "schema" else None
        if keyword is None or keyword.holds == "values":
            return "value"
        match keyword.holds:
            case "schemas":
                here = "schemas"
            case "schemas by name":
                here = "names"
            case "schema or schemas" if any(
                isinstance(it, int) for it in path[number + 1 : number + 2]
            ):
                here = "schemas"
            case _:
                here = "schema"
    return here
