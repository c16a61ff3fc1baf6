"""Validation errors in request parameters, described for authors of clients."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints
from urllib.parse import urlsplit

import attrs
from lsprotocol import types
from pydantic.alias_generators import to_camel

_KINDS = {int: "a number", float: "a number", str: "a string", bool: "true or false"}


def sound_initialization(params: Any) -> Any:
    """Return the parameters of `initialize`, with `{}` for missing capabilities."""
    if isinstance(params, dict) and params.get("capabilities") is None:
        return {**params, "capabilities": {}}
    return params


def has_texts(method: str, params: Any) -> bool:
    """Whether texts and positions of a notification about a text are ones, if it is about a text.

    Decoding makes `"7"` of a text that is the number 7, which no client can mean, and leaves a language that
    is null. This is quick, since each keystroke is such a notification.
    """
    if method == types.TEXT_DOCUMENT_DID_OPEN:
        item = params.get("textDocument") if isinstance(params, dict) else None
        return isinstance(item, dict) and all(
            isinstance(item.get(key), str) for key in ("uri", "languageId", "text")
        )
    if method != types.TEXT_DOCUMENT_DID_CHANGE:
        return True
    changes = params.get("contentChanges") if isinstance(params, dict) else None
    return isinstance(changes, list) and all(map(_is_change, changes))


def _is_change(change: Any) -> bool:
    if not isinstance(change, dict) or not isinstance(change.get("text"), str):
        return False
    place = change.get("range")
    if place is None:
        return True
    return isinstance(place, dict) and all(
        _is_position(place.get(name)) for name in ("start", "end")
    )


def _is_position(position: Any) -> bool:
    return isinstance(position, dict) and all(
        type(number := position.get(name)) is int and number >= 0 for name in ("line", "character")
    )


def problem_with(method: str, params: Any) -> str | None:
    """Return what is wrong with the parameters of a request or notification, in one sentence.

    Returns:
        None if nothing more specific is known.
    """
    kind = types.METHOD_TO_TYPES[method][2] if method in types.METHOD_TO_TYPES else None
    if kind is None:
        return None
    return next(_problems(kind, params, ""), None)


def _problems(kind: Any, value: Any, at: str) -> Iterator[str]:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        yield from _problems_of_any(arguments, value, at)
    elif attrs.has(kind):
        yield from _problems_of_object(kind, value, at)
    elif origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        if not isinstance(value, dict):
            yield _wrong(at, "an object", value)
    elif origin is not None and origin is not tuple:
        if not isinstance(value, list | tuple):
            yield _wrong(at, "a list", value)
        else:
            for number, item in enumerate(value):
                yield from _problems(arguments[0], item, f"{at}[{number}]")
    elif kind in _KINDS:
        expected: type = int if kind is float else kind
        if not isinstance(value, expected) or (isinstance(value, bool) and kind is not bool):
            yield _wrong(at, _KINDS[kind], value)
    elif kind is NoneType:
        if value is not None:
            yield _wrong(at, "null", value)
    elif isinstance(kind, type) and issubclass(kind, Enum) and isinstance(value, dict | list):
        yield _wrong(at, "a string or a number", value)


def _problems_of_any(kinds: tuple[Any, ...], value: Any, at: str) -> Iterator[str]:
    """Yield what is wrong with a value of a union type: the error of the closest member."""
    if value is None and NoneType in kinds:
        return
    members = [kind for kind in kinds if kind is not NoneType]
    problems = [list(_problems(member, value, at)) for member in members]
    if all(problems):
        # An error deep inside the value says more than a mismatch of the whole value.
        yield max(problems, key=lambda it: len(it[0].split("`")[1]))[0]


def _problems_of_object(kind: type, value: Any, at: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield _wrong(at, "an object", value)
        return
    hints = get_type_hints(kind, {**vars(types)})
    for attribute in attrs.fields(kind):
        name = to_camel(attribute.name).rstrip("_")
        path = f"{at}.{name}" if at else name
        if name in value:
            if value[name] is not None or attribute.default is attrs.NOTHING:
                yield from _problems(hints[attribute.name], value[name], path)
        elif attribute.default is attrs.NOTHING:
            yield f"`{path}` is missing"


def unusable_address(params: Any) -> str | None:
    """Return what is wrong with the URIs in the parameters of `initialize`."""
    if not isinstance(params, dict):
        return None
    folders = params.get("workspaceFolders")
    uris = {"rootUri": params.get("rootUri")}
    for number, folder in enumerate(folders if isinstance(folders, list) else ()):
        uris[f"workspaceFolders[{number}].uri"] = (
            folder.get("uri") if isinstance(folder, dict) else None
        )
    for name, uri in uris.items():
        if uri is not None and not (isinstance(uri, str) and is_address(uri)):
            return _wrong(name, "a URI", uri)
    return None


def is_address(uri: str) -> bool:
    """Whether a URI can be parsed."""
    try:
        urlsplit(uri)
    except ValueError:
        return False
    return True


def _wrong(at: str, expected: str, value: Any) -> str:
    quoted = json.dumps(value, ensure_ascii=False)
    quoted = f"{quoted[:60]}…" if len(quoted) > 60 else quoted
    return f"`{at or 'params'}` must be {expected}; got {quoted}"
