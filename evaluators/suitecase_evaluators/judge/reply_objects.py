"""The JSON objects of a reply, within other text."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

#: The maximum number of objects that are read from a reply.
MOST_OBJECTS = 50_000
#: One that is nested too deeply takes as long as this many others.
_COST_OF_DEEP = 1_000

_EMPTY = re.compile(r"\{\s*\}")
#: An object with at least one key; braces of prose are passed over.
_OBJECT = re.compile(r'\{(?=\s*")')
#: The start of an object at the end of a text that its first quotation mark closed by mistake.
_SWALLOWED = re.compile(r'\{\s*"\s*\Z')
#: Braces of prose: what is between them has no quotation mark, as the rest of an object has.
_IN_PROSE = re.compile(r'\{[^{}"]*\}')
#: The characters before a value of an object or a list.
_BEFORE_VALUE = re.compile(r'(?:"\s*:|[,\[])\s*\Z')
#: So many characters around a break are looked at.
_LOOK_AROUND = 200
#: How models mark what they think before they reply, and how that ends. Some servers send only the
#: end, since the beginning is part of the prompt.
_THINKS = re.compile(r"\s*(?:<(?:think|thinking|thought|reasoning)>|\[THINK\])", re.IGNORECASE)
_THOUGHT = re.compile(r"</(?:think|thinking|thought|reasoning)>|\[/THINK\]", re.IGNORECASE)
_LINE_START = re.compile(r"(?:\A|\n)[ \t]*\Z")


@dataclass(frozen=True, slots=True)
class _Found:
    """An object of a reply, and where it starts and ends."""

    value: dict[str, Any]
    start: int
    end: int


class ReplyObjects:
    """The JSON objects of a reply, outermost only, and why there were none.

    Args:
        cut_off: the reply ended before its end, so what stands in a broken object may be its own.
    """

    def __init__(self, reply: str, *, cut_off: bool = False) -> None:
        self._reply = without_thinking(reply)
        self._thought = len(self._reply) < len(reply)
        self._cut_off = cut_off
        self._broken = ""
        self._breaks = False

    def objects(self) -> Iterator[dict[str, Any]]:
        """Yield the objects that may be the verdict, first to last."""
        after_a_break: list[_Found] = []
        for found in self._scan():
            if self._breaks:
                after_a_break.append(found)
            else:
                yield found.value
        if not self._cut_off:
            yield from self._outside_of_broken(after_a_break)

    def problem(self, of_objects: str) -> str:
        """Say why the reply cannot be used; `of_objects` is what was wrong with its objects."""
        problems: list[str] = []
        if self._broken:
            problems.append(f"the reply's JSON cannot be read: {self._broken}")
        if of_objects:
            problems.append(
                f"the reply's JSON object does not have the form asked for: {of_objects}"
            )
        if problems:
            return "; ".join(problems)
        if not self._reply.strip():
            if self._thought:
                return "the reply ends with its thinking, before its verdict"
            return "the reply is empty"
        if _EMPTY.search(self._reply):
            return "the reply's JSON object is empty"
        return "the reply holds no JSON object"

    def _scan(self) -> Iterator[_Found]:
        text, at, seen = self._reply, 0, 0
        while seen < MOST_OBJECTS and (match := _OBJECT.search(text, at)):
            start = match.start()
            seen += 1
            try:
                value, at = _decoded(text, start)
            except json.JSONDecodeError as error:
                broke_at = start + error.pos
                self._breaks = True
                self._broken = self._broken or (
                    "it breaks off before its end"
                    if not text[broke_at : broke_at + _LOOK_AROUND].strip()
                    or error.msg.startswith("Unterminated")
                    else f"{error.msg} at character {broke_at + 1}"
                )
                # What was read up to the error belongs to the broken object; only the text that
                # was last may have swallowed the start of another one, up to its first key.
                swallowed = _SWALLOWED.search(
                    text, max(start + 1, broke_at - _LOOK_AROUND), broke_at
                )
                at = swallowed.start() if swallowed else max(broke_at, start + 1)
            except RecursionError:
                self._breaks = True
                self._broken = self._broken or "it is nested too deeply"
                at, seen = start + 1, seen + _COST_OF_DEEP
            else:
                yield _Found(value, start, at)

    def _outside_of_broken(self, found: Sequence[_Found]) -> list[dict[str, Any]]:
        """Return the objects that cannot be parts of the broken object before them.

        What looks like an object there may be a quotation inside it with its quotes unescaped, or
        one of its values. Then the broken object goes on after it and is closed at last, or it
        stands where a value stands.
        """
        own: list[dict[str, Any]] = []
        end = len(self._reply)
        for candidate in reversed(found):
            if "}" in _IN_PROSE.sub("", self._reply[candidate.end : end]):
                break
            end = candidate.start
            before = self._reply[max(0, end - _LOOK_AROUND) : end]
            if not _BEFORE_VALUE.search(before):
                own.append(candidate.value)
        own.reverse()
        return own


def _decoded(text: str, start: int) -> tuple[dict[str, Any], int]:
    """Return the object that starts there, and where it ends.

    No more of the text is looked at than the object takes: an error tells the line it is in, which
    costs as much as all the text before it.

    Raises:
        JSONDecodeError: it is broken; the place counts from `start`.
        RecursionError: it is nested too deeply.
    """
    size = 2_048
    while True:
        part = text[start : start + size]
        try:
            value, end = _DECODER.raw_decode(part)
        except json.JSONDecodeError as error:
            whole = start + size >= len(text)
            at_the_cut = error.pos > size - 20 or error.msg.startswith("Unterminated")
            if whole or not at_the_cut:
                raise
            size *= 8
        else:
            return value, start + end


def _object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object; a key that is given twice with different values says nothing."""
    found: dict[str, Any] = {}
    contradicted: set[str] = set()
    for key, value in pairs:
        if key in found and found[key] != value:
            contradicted.add(key)
        found[key] = value
    return {key: value for key, value in found.items() if key not in contradicted}


def _whole_number(digits: str) -> float:
    # int() refuses thousands of digits with a ValueError, and takes long for fewer.
    return int(digits) if len(digits) < 20 else float(digits)


#: Tabs and line breaks inside strings are allowed, for models write them.
_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_object_of, parse_int=_whole_number)


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the objects of a text start and end, outermost only."""
    at, seen = 0, 0
    while seen < MOST_OBJECTS and (match := _OBJECT.search(text, at)):
        start = match.start()
        seen += 1
        try:
            _, at = _decoded(text, start)
        except json.JSONDecodeError as error:
            at = start + max(error.pos, 1)
        except RecursionError:
            at, seen = start + 1, seen + _COST_OF_DEEP
        else:
            yield start, at


def without_thinking(reply: str) -> str:
    """Return a reply without what the model thought before it, which may hold drafts of verdicts.

    An end of thinking that stands inside an object is a quotation. So is one without a beginning in
    the middle of a line with no object after it.
    """
    opened = _THINKS.match(reply) is not None
    ends = list(_THOUGHT.finditer(reply)) if "</" in reply or "[/" in reply else []
    if not ends:
        return "" if opened else reply
    quoted = list(_spans(reply))
    starts = [start for start, _ in quoted]
    for end in reversed(ends):
        place = bisect_right(starts, end.start()) - 1
        if place >= 0 and end.start() < quoted[place][1]:
            continue
        line = reply[max(0, end.start() - _LOOK_AROUND) : end.start()]
        if opened or _LINE_START.search(line) or (starts and starts[-1] >= end.end()):
            return reply[end.end() :]
    return "" if opened else reply
