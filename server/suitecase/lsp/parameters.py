"""What is wrong with the parameters of a request, in words for whoever wrote the client."""

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

_KINDS = {int: "a number", float: "a number", str: "a text", bool: "true or false"}


def sound_initialization(params: Any) -> Any:
    """Return the parameters of `initialize` with `{}` where nothing is said of the capabilities."""
    if isinstance(params, dict) and params.get("capabilities") is None:
        return {**params, "capabilities": {}}
    return params


def problem_with(method: str, params: Any) -> str | None:
    """Return what is wrong with the parameters of a request or a notification, in a sentence.

    Returns:
        None where nothing is found that could be said.
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
            for number, it in enumerate(value):
                yield from _problems(arguments[0], it, f"{at}[{number}]")
    elif kind in _KINDS:
        wanted: type = int if kind is float else kind
        if not isinstance(value, wanted) or (isinstance(value, bool) and kind is not bool):
            yield _wrong(at, _KINDS[kind], value)
    elif kind is NoneType:
        if value is not None:
            yield _wrong(at, "null", value)
    elif isinstance(kind, type) and issubclass(kind, Enum) and isinstance(value, dict | list):
        yield _wrong(at, "a word of the protocol", value)


def _problems_of_any(kinds: tuple[Any, ...], value: Any, at: str) -> Iterator[str]:
    """Yield what is wrong with a value that may be of several kinds: as the one it looks like."""
    if value is None and NoneType in kinds:
        return
    wanted = [it for it in kinds if it is not NoneType]
    found = [list(_problems(it, value, at)) for it in wanted]
    if all(found):
        # What is wrong further inside tells more than that the whole is of another kind.
        yield max(found, key=lambda it: len(it[0].split("`")[1]))[0]


def _problems_of_object(kind: type, value: Any, at: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield _wrong(at, "an object", value)
        return
    hints = get_type_hints(kind, {**vars(types)})
    for it in attrs.fields(kind):
        name = to_camel(it.name).rstrip("_")
        here = f"{at}.{name}" if at else name
        if name in value:
            if value[name] is not None or it.default is attrs.NOTHING:
                yield from _problems(hints[it.name], value[name], here)
        elif it.default is attrs.NOTHING:
            yield f"`{here}` is missing"


def unusable_address(params: Any) -> str | None:
    """Return what is wrong with the addresses in the parameters of `initialize`."""
    if not isinstance(params, dict):
        return None
    folders = params.get("workspaceFolders")
    named = {"rootUri": params.get("rootUri")}
    for number, it in enumerate(folders if isinstance(folders, list) else ()):
        named[f"workspaceFolders[{number}].uri"] = it.get("uri") if isinstance(it, dict) else None
    for name, uri in named.items():
        if uri is not None and not (isinstance(uri, str) and is_address(uri)):
            return _wrong(name, "an address", uri)
    return None


def is_address(uri: str) -> bool:
    """Whether an address can be taken apart."""
    try:
        urlsplit(uri)
    except ValueError:
        return False
    return True


def _wrong(at: str, expected: str, value: Any) -> str:
    shown = json.dumps(value, ensure_ascii=False)
    shown = f"{shown[:60]}…" if len(shown) > 60 else shown
    return f"`{at or 'params'}` must be {expected}; got {shown}"
