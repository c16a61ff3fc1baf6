"""Patterns of paths in configurations: each is a line of a `.gitignore`.

A list of them has no comments, blanks at the end of a line or negation: `#` and `!` are ordinary
characters at the beginning, and so are blanks. A library (pathspec) would take 35 ms to import, a
tenth of the check of a workspace.
"""

from __future__ import annotations

import re
from functools import lru_cache

#: Expressions for any folders, with a slash at the end, and for any part of a name.
_FOLDERS, _NAME = "(?:.*/)?", "[^/]*"
_NOTHING = re.compile(r"(?!)")


# All patterns of a configuration fit: otherwise, each would be compiled again for each file.
@lru_cache(maxsize=8192)
def path_pattern(pattern: str) -> re.Pattern[str]:
    """Return what a pattern matches, as an expression for whole relative paths with slashes.

    `*` and `?` stand for anything but a slash, `**` between slashes for any folders, `[...]` for one of
    some characters, and what follows a backslash for itself. A pattern without a slash, other than at
    its end, holds at any depth. One that names a folder holds for all that lies in it; one with a
    slash at its end holds for folders only.
    """
    glob = pattern.removeprefix("./")
    expression = path_expression(glob)
    if not expression:
        return _NOTHING
    below = "/.*" if glob.endswith("/") else "(?:/.*)?"
    return re.compile(expression + below, re.DOTALL)


def path_expression(pattern: str) -> str:
    """Return the regular expression of a pattern, for the path that it names and nothing below it.

    It is empty for a pattern that names nothing.
    """
    glob = pattern.rstrip("/")
    anchored = "/" in glob
    glob = glob.lstrip("/")
    if not glob:
        return ""
    parts: list[str] = [] if anchored else [_FOLDERS]
    place = 0
    while place < len(glob):
        part, place = _part(glob, place)
        parts.append(part)
    expression = _expression(parts)
    try:
        re.compile(expression)
    except re.error:
        return re.escape(glob)
    return expression


def _expression(parts: list[str]) -> str:
    """Return an expression whose effort is bounded, however many wildcards there are.

    What stands between two wildcards of a kind is matched where it is found first and nowhere else,
    which finds a match if there is one.
    """
    first, *others = _split(parts, _FOLDERS)
    texts = [_in_folder(first)]
    texts += [f"(?>(?:.*?/)??{_in_folder(it)})" for it in others[:-1]]
    texts += [f"{_FOLDERS}{_in_folder(it)}" for it in others[-1:]]
    return "".join(texts)


def _in_folder(parts: list[str]) -> str:
    return "/".join(map(_in_name, _split(parts, "/")))


def _in_name(parts: list[str]) -> str:
    first, *others = ("".join(it) for it in _split(parts, _NAME))
    texts = [f"(?>{_NAME}?{it})" for it in others[:-1]] + [f"{_NAME}{it}" for it in others[-1:]]
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
    """Return the expression for what begins at a place of a pattern, and where it ends."""
    char = glob[place]
    if char == "*":
        end = next((at for at in range(place, len(glob)) if glob[at] != "*"), len(glob))
        if end - place == 2 and (place == 0 or glob[place - 1] == "/"):
            if end == len(glob):
                return ".*", end
            if glob[end] == "/":
                return _FOLDERS, end + 1
        return _NAME, end
    if char == "?":
        return "[^/]", place + 1
    if char == "[":
        first = place + 2 if glob[place + 1 : place + 2] in ("!", "^") else place + 1
        end = glob.find("]", first + 1)
        if end > 0:
            inside = re.sub(r"([\\\[^])", r"\\\1", glob[first:end])
            negation = "^" if first == place + 2 else ""
            return f"(?!/)[{negation}{inside}]", end + 1
    if char == "\\" and place + 1 < len(glob):
        return re.escape(glob[place + 1]), place + 2
    return re.escape(char), place + 1


def matches(path: str, pattern: str) -> bool:
    """Whether a pattern holds for a relative path with slashes; that of a folder ends with one."""
    return path_pattern(pattern).fullmatch(path) is not None
