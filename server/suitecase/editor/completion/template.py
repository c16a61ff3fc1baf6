"""Texts with placeholders: as snippets, or as plain text for editors without snippets."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple


class Stop(NamedTuple):
    """A placeholder, with its default or its choices."""

    default: str = ""
    choices: tuple[str, ...] = ()


class Break(NamedTuple):
    """A line break; the next line starts at a column, counted from 0."""

    column: int


Part = str | Stop | Break
Template = tuple[Part, ...]

_IN_TEXT = re.compile(r"([\\$}])")
_IN_CHOICE = re.compile(r"([\\$},|])")


def joined(*pieces: str | Stop | Break | Iterable[Part]) -> Template:
    """Concatenate parts and templates, without empty texts."""
    parts: list[Part] = []
    for piece in pieces:
        parts += (piece,) if isinstance(piece, str | Stop | Break) else piece
    return tuple(part for part in parts if part != "")


def separated(templates: Iterable[Template], separator: Part) -> Template:
    """Concatenate templates with a separator."""
    parts: list[Part] = []
    for template in templates:
        parts += [separator, *template] if parts else template
    return tuple(parts)


def has_stops(template: Template) -> bool:
    """Whether there are placeholders other than one at the end."""
    return any(
        isinstance(it, Stop) and (it.default or it.choices or number < len(template) - 1)
        for number, it in enumerate(template)
    )


def has_breaks(template: Template) -> bool:
    """Whether a template has several lines."""
    return any(isinstance(it, Break) for it in template)


def has_blanks(template: Template) -> bool:
    """Whether the text of a template contains whitespace."""
    return has_breaks(template) or any(
        re.search(r"\s", text)
        for part in template
        if not isinstance(part, Break)
        for text in ((part,) if isinstance(part, str) else (part.default, *part.choices))
    )


def rendered(template: Template, *, newline: str, indented: int = 0, snippet: bool = False) -> str:
    """Render a template.

    Args:
        template: its parts.
        newline: the line break of the document.
        indented: how many columns the editor indents each continuation line by itself.
        snippet: render placeholders in snippet syntax; otherwise as their default or first choice.
    """
    texts: list[str] = []
    number = 0
    stops = has_stops(template)
    for part in template:
        if isinstance(part, Break):
            texts.append(newline + " " * max(part.column - indented, 0))
        elif isinstance(part, str):
            texts.append(_IN_TEXT.sub(r"\\\1", part) if snippet else part)
        elif not snippet:
            texts.append(part.choices[0] if part.choices else part.default)
        elif stops:
            number += 1
            texts.append(_stop(number, part))
    return "".join(texts)


def _stop(number: int, stop: Stop) -> str:
    if stop.choices:
        choices = ",".join(_IN_CHOICE.sub(r"\\\1", choice) for choice in stop.choices)
        return f"${{{number}|{choices}|}}"
    if stop.default:
        default = _IN_TEXT.sub(r"\\\1", stop.default)
        return f"${{{number}:{default}}}"
    return f"${number}"
