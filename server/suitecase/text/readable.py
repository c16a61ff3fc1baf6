"""Texts for libyaml, without characters that it rejects or treats as line breaks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from suitecase.text.composed import Problem
from suitecase.text.node import Span


@dataclass(slots=True)
class ReadableText:
    """A text as libyaml may read it, of the same length, so that offsets hold.

    `restore` says which characters stand for which of the text, as `str.translate` takes it.
    `problem` is the first character that may not stand in YAML; it and its like are replaced.
    """

    text: str
    restore: dict[int, str]
    problem: Problem | None = None


#: Line breaks in libyaml and YAML 1.1, ordinary characters in YAML 1.2.
_NOT_BREAKS = ("\x85", "\u2028", "\u2029")
_STAND_INS = tuple(chr(code) for code in (*range(0xFDD0, 0xFDF0), *range(0xE000, 0xF8FF)))
_READABLE_ASCII = bytes([*b"\t\n\r", *range(0x20, 0x7F)])


@cache
def _unreadable() -> re.Pattern[str]:
    """Return the pattern of a character that may not stand in YAML; compiling it takes 5 ms."""
    return re.compile(
        "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
    )


def readable(text: str) -> ReadableText:
    """Return a text for libyaml."""
    if text.startswith("\ufeff"):
        # A byte order mark is not content; a line break keeps the first line's indentation.
        text = "\n" + text[1:]
    # Most texts are nearly all ASCII, which is removed quickly as bytes.
    rest = text.encode("utf-8", "surrogatepass").translate(None, _READABLE_ASCII)
    if not rest:
        return ReadableText(text, {})
    problem: Problem | None = None
    unreadable = _unreadable()
    if unreadable.search(rest.decode("utf-8", "surrogatepass")):
        bad = next(unreadable.finditer(text))
        code = f"U+{ord(bad.group()):04X}"
        problem = Problem(
            "syntax",
            Span(*bad.span()),
            f"the character {code} is not allowed in YAML; in a double-quoted text write it as an "
            "escape",
        )
        text = unreadable.sub("\ufffd", text)
    restore: dict[int, str] = {}
    if any(it in text for it in _NOT_BREAKS):
        unused = (stand_in for stand_in in _STAND_INS if stand_in not in text)
        stand_ins = dict(zip(_NOT_BREAKS, unused, strict=False))
        text = text.translate({ord(it): stand_in for it, stand_in in stand_ins.items()})
        restore = {ord(stand_in): it for it, stand_in in stand_ins.items()}
    return ReadableText(text, restore, problem)
