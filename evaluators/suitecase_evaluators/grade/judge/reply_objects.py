"""The JSON objects of a reply, within other text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from suitecase_evaluators.answers.thinking import without_thinking
from suitecase_evaluators.text.objects_in_text import (
    COST_OF_DEEP,
    MOST_OBJECTS,
    OBJECT_START,
    object_at,
)

_EMPTY = re.compile(r"\{\s*\}")
#: The start of an object at the end of a text that its first quotation mark closed by mistake.
_SWALLOWED = re.compile(r'\{\s*"\s*\Z')
#: Braces of prose: what is between them has no quotation mark, as the rest of an object has.
_IN_PROSE = re.compile(r'\{[^{}"]*\}')
#: The characters before a value of an object or a list.
_BEFORE_VALUE = re.compile(r'(?:"\s*:|[,\[])\s*\Z')
#: So many characters around a break are looked at.
_LOOK_AROUND = 200


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
        self._reply = without_thinking(reply, of_judge=True).answer
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
        while seen < MOST_OBJECTS and (match := OBJECT_START.search(text, at)):
            start = match.start()
            seen += 1
            try:
                value, at = object_at(text, start)
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
                at, seen = start + 1, seen + COST_OF_DEEP
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
