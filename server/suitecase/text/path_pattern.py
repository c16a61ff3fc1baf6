"""Patterns of paths in configurations: each is a line of a `.gitignore`.

As in git, `?` and `[...]` stand for a byte, so both patterns and paths are matched as texts with a
character for each byte.

A list of them has no comments, blanks at the end of a line or negation: `#` and `!` are ordinary
characters at the beginning, and so are blanks. A library (pathspec) would take 35 ms to import, a
tenth of the check of a workspace.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

#: Expressions for any folders, with a slash at the end, and for any part of a name.
_FOLDERS, _NAME = "(?:.*/)?", "[^/]*"
_NOTHING = re.compile(r"(?!)")
_PRINTED = string.digits + string.ascii_letters + string.punctuation
#: What `[:name:]` in a set stands for, as git has it.
_CLASSES: Mapping[str, str] = MappingProxyType(
    {
        "alnum": string.digits + string.ascii_letters,
        "alpha": string.ascii_letters,
        "blank": " \t",
        "cntrl": "".join(map(chr, (*range(32), 127))),
        "digit": string.digits,
        "graph": _PRINTED,
        "lower": string.ascii_lowercase,
        "print": f"{_PRINTED} ",
        "punct": string.punctuation,
        "space": " \t\n\r",
        "upper": string.ascii_uppercase,
        "xdigit": string.hexdigits,
    }
)


class _NamesNothingError(Exception):
    """A pattern that git does not understand, so that it matches nothing."""


def in_bytes(text: str) -> str:
    """Return a path or a pattern with a character for each byte that it has on disk."""
    if text.isascii():
        return text
    try:
        return text.encode("utf-8", "surrogateescape").decode("latin-1")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass").decode("latin-1")


# All patterns of a configuration fit: otherwise, each would be compiled again for each file.
@lru_cache(maxsize=8192)
def path_pattern(pattern: str) -> re.Pattern[str]:
    """Return what a pattern matches, as an expression for whole relative paths with slashes, in bytes.

    `*` and `?` stand for anything but a slash, `**` between slashes for any folders, `[...]` for one of
    some bytes, and what follows a backslash for itself. A pattern without a slash, other than at
    its end, holds at any depth. One that names a folder holds for all that lies in it; one with a
    slash at its end holds for folders only.
    """
    glob = in_bytes(pattern).removeprefix("./")
    expression = path_expression(glob)
    if not expression:
        return _NOTHING
    below = "/.*" if glob.endswith("/") else "(?:/.*)?"
    return re.compile(expression + below, re.DOTALL)


def path_expression(pattern: str) -> str:
    """Return the regular expression of a pattern, for the path that it names and nothing below it.

    It is empty for a pattern that names nothing.

    Args:
        pattern: the pattern, in bytes.
    """
    glob = pattern.removesuffix("/")
    anchored = "/" in glob
    glob = glob.removeprefix("/")
    if not glob or glob.startswith("/") or glob.endswith("/"):
        return ""
    parts: list[str] = [] if anchored else [_FOLDERS]
    place = 0
    try:
        while place < len(glob):
            part, place = _part(glob, place)
            parts.append(part)
    except _NamesNothingError:
        return ""
    return _expression(parts)


def _expression(parts: list[str]) -> str:
    """Return an expression whose effort is bounded, however many wildcards there are.

    What stands between two wildcards of a kind is matched where it is found first and nowhere else,
    which finds a match if there is one.
    """
    first, *others = _split(parts, _FOLDERS)
    texts = [_in_folder(first)]
    texts += [f"(?>(?:.*?/)??{_in_folder(other)})" for other in others[:-1]]
    texts += [f"{_FOLDERS}{_in_folder(other)}" for other in others[-1:]]
    return "".join(texts)


def _in_folder(parts: list[str]) -> str:
    return "/".join(map(_in_name, _split(parts, "/")))


def _in_name(parts: list[str]) -> str:
    first, *others = ("".join(it) for it in _split(parts, _NAME))
    texts = [f"(?>{_NAME}?{other})" for other in others[:-1]] + [
        f"{_NAME}{other}" for other in others[-1:]
    ]
    return first + "".join(texts)


def _split(parts: list[str], separator: str) -> list[list[str]]:
    groups: list[list[str]] = [[]]
    for part in parts:
        if part == separator:
            groups.append([])
        else:
            groups[-1].append(part)
    return groups


def _part(glob: str, place: int) -> tuple[str, int]:
    """Return the expression for what begins at a place of a pattern, and where it ends.

    Raises:
        _NamesNothingError: it does not end.
    """
    char = glob[place]
    if char == "*":
        end = next((at for at in range(place, len(glob)) if glob[at] != "*"), len(glob))
        if end - place >= 2 and (place == 0 or glob[place - 1] == "/"):
            if end == len(glob):
                return ".*", end
            if glob[end] == "/":
                return _FOLDERS, end + 1
        return _NAME, end
    if char == "?":
        return "[^/]", place + 1
    if char == "[":
        return _set(glob, place + 1)
    if char == "\\":
        return re.escape(_at(glob, place + 1)), place + 2
    return re.escape(char), place + 1


def _set(glob: str, place: int) -> tuple[str, int]:
    """Return the expression for a set that begins behind a bracket, and where it ends.

    Raises:
        _NamesNothingError: it does not end, or names a class that there is not.
    """
    negated = _at(glob, place) in "!^"
    place += negated
    members: set[str] = set()
    first: str | None = None  # what a range would begin with
    begin = place
    while place == begin or _at(glob, place) != "]":
        char = _at(glob, place)
        if char == "-" and first is not None and _at(glob, place + 1) != "]":
            last, place = _member(glob, place + 1)
            members.update(map(chr, range(ord(first), ord(last) + 1)))
            first = None
        elif (named := _class_name(glob, place)) is not None:
            if named not in _CLASSES:
                raise _NamesNothingError
            members.update(_CLASSES[named])
            place += len(f"[:{named}:]")
            first = None
        else:
            first, place = _member(glob, place)
            members.add(first)
    if negated:
        members = {chr(byte) for byte in range(256)} - members
    members.discard("/")
    inside = "".join(rf"\x{ord(member):02x}" for member in sorted(members))
    return f"[{inside}]" if inside else _NOTHING.pattern, place + 1


def _member(glob: str, place: int) -> tuple[str, int]:
    """Return one character of a set, which a backslash may quote, and where it ends.

    Raises:
        _NamesNothingError: the set does not end.
    """
    char = _at(glob, place)
    return (_at(glob, place + 1), place + 2) if char == "\\" else (char, place + 1)


def _class_name(glob: str, place: int) -> str | None:
    """Return the name in `[:name:]`; None if something else stands there.

    Raises:
        _NamesNothingError: the set does not end.
    """
    if not glob.startswith("[:", place):
        return None
    end = glob.find("]", place + 2)
    if end < 0:
        raise _NamesNothingError
    return glob[place + 2 : end - 1] if end > place + 2 and glob[end - 1] == ":" else None


def _at(glob: str, place: int) -> str:
    if place >= len(glob):
        raise _NamesNothingError
    return glob[place]


def matches(path: str, pattern: str) -> bool:
    """Whether a pattern holds for a relative path with slashes; that of a folder ends with one."""
    return path_pattern(pattern).fullmatch(in_bytes(path)) is not None
