"""Finds the JSON objects in an answer, as promptfoo does: from brace to brace, read as YAML."""

from __future__ import annotations

import re
from typing import Any, Final

from suitecase_evaluators.promptfoo.flow_yaml import NotYamlError, read_mapping

#: The maximum length of an object, in characters.
_LONGEST: Final = 100_000
#: The maximum of characters to parse: if parsing fails, it starts again at the next opening brace.
_MOST_READ: Final = 5_000_000
_BRACE: Final = re.compile("[{}]")
_SPACE: Final = re.compile(r"\s")
_LETTER: Final = re.compile("[a-zA-Z]")


class UnreadableError(Exception):
    """An answer cannot be searched; the message says why."""


def objects_in(text: str) -> list[dict[str, Any]]:
    """Return the outermost objects in a text.

    Braces are counted wherever they are, in quotes too. An object that is not closed is closed at
    the end of the text.

    Raises:
        UnreadableError: it takes too long to parse, or is nested too deeply.
    """
    found: list[dict[str, Any]] = []
    ends = _ends(text)
    left = _MOST_READ
    at = text.find("{")
    while -1 < at < len(text) - 1:  # a brace at the very end opens nothing
        end, missing = _end_of(text, at, ends.get(at))
        left -= end - at
        if left < 0:
            raise UnreadableError("the answer has too many braces that are not closed as in JSON")
        value = _read(text[at:end] + "}" * missing)
        if value is None:
            at = text.find("{", at + 1)
        else:
            found.append(value)
            at = text.find("{", end)
    return found


def _ends(text: str) -> dict[int, int]:
    """Return the end of each pair of braces, by its start."""
    ends: dict[int, int] = {}
    opened: list[int] = []
    for brace in _BRACE.finditer(text):
        if brace[0] == "{":
            opened.append(brace.start())
        elif opened:
            ends[opened.pop()] = brace.end()
    return ends


def _end_of(text: str, start: int, closed: int | None) -> tuple[int, int]:
    """Return where an object ends, and how many closing braces it lacks."""
    last = min(start + _LONGEST, len(text))
    if closed is not None and closed <= last:
        return closed, 0
    return last, text.count("{", start, last) - text.count("}", start, last)


def _read(text: str) -> dict[str, Any] | None:
    try:
        return read_mapping(_with_yaml_comments(text))
    except NotYamlError:
        return None
    except RecursionError as error:
        raise UnreadableError("the answer is nested too deeply to be read") from error


def _with_yaml_comments(text: str) -> str:
    """Return a text with `#` in place of `//` at the start of comments."""
    return "\n".join(
        _with_yaml_comment(part) if "//" in part else part for part in text.split("\n")
    )


def _with_yaml_comment(line: str) -> str:
    quote = ""
    word = 0
    for at, sign in enumerate(line):
        if _SPACE.match(sign):
            word = at + 1
        if quote:
            closes = sign == quote and not _is_escaped(line, at)
            # Before a letter it is an apostrophe, not a closing quote.
            if closes and (sign == '"' or not _LETTER.match(line, at + 1)):
                quote = ""
        elif sign == '"' or (sign == "'" and not _LETTER.match(line[at - 1 : at] if at else "")):
            quote = sign
        elif line.startswith("//", at):
            if "://" in f"{line[word:at]}//":
                continue  # a URL
            slashes = len(line) - at - len(line[at:].lstrip("/"))
            return f"{line[:at]}{'#' * (slashes // 2)}{line[at + slashes :]}"
    return line


def _is_escaped(line: str, at: int) -> bool:
    start = at
    while start and line[start - 1] == "\\":
        start -= 1
    return (at - start) % 2 == 1
