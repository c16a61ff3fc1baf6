"""Reads the replies of judges, which are text that somebody else may have had a hand in.

The verdict is the first JSON object of the reply that has the shape the mode asks for, whether it
is the whole reply, stands in a code fence, or is surrounded by prose; where another one says
something else, that is marked. Nothing here raises, whatever the reply is, and the time is linear
in its length.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from suitecase_evaluators.judge.prompts import MOST_POINTS
from suitecase_evaluators.rubric import TOP, Rubric

#: After so many objects a reply is read no further: nobody writes that many around a verdict.
MOST_OBJECTS = 50_000
#: One that is nested too deeply takes as long as this many others.
_COST_OF_DEEP = 1_000


#: What a free-form verdict may say beside its score.
_BESIDE_SCORE = ("hits", "misses", "reasoning")


@dataclass(frozen=True, slots=True)
class FreeForm:
    """A free-form verdict: `score` in 0..1, hits and misses not empty and at most four each."""

    score: float
    hits: tuple[str, ...] = ()
    misses: tuple[str, ...] = ()
    reasoning: str = ""
    #: The reply holds another verdict, which says something else.
    ambiguous: bool = False


@dataclass(frozen=True, slots=True)
class Check:
    """The verdict on one rubric item: `value` is a bool for a checklist item, else 0..10."""

    value: int
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class Checks:
    """The verdicts on rubric items, by id."""

    by_id: Mapping[str, Check]
    reasoning: str = ""
    #: The reply holds another verdict, which says something else.
    ambiguous: bool = False


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A reply that cannot be used: `reason` is for people, and for the judge that is asked again.

    `usable` is what can be used of it all the same, where items were left out.
    """

    reason: str
    usable: Checks = field(default_factory=lambda: Checks({}))


def read_free_form(reply: str, *, cut_off: bool = False) -> FreeForm | Unreadable:
    """Read a free-form verdict.

    Hits, misses and reasoning may be left out. An object that has none of them, but keys that were
    not asked for beside its score, goes after all others: it may be a thing the judge quotes.
    """
    search = ReplyObjects(reply, cut_off=cut_off)
    verdicts: list[FreeForm] = []
    others: list[FreeForm] = []
    problem = ""
    for found in search.objects():
        score = _number(found.get("score"))
        if score is None:
            problem = problem or (
                "`score` is not a number from 0 to 1" if "score" in found else "`score` is missing"
            )
            continue
        verdict = FreeForm(
            score=min(max(float(score), 0.0), 1.0),
            hits=_points(found.get("hits")),
            misses=_points(found.get("misses")),
            reasoning=_text(found.get("reasoning")),
        )
        asked_for = not found.keys().isdisjoint(_BESIDE_SCORE) or found.keys() == {"score"}
        (verdicts if asked_for else others).append(verdict)
    found_any = [*verdicts, *others]
    if not found_any:
        return Unreadable(search.problem(problem))
    first = found_any[0]
    if all(it == first for it in found_any):
        return first
    return replace(first, ambiguous=True)


def read_checks(
    reply: str, rubrics: Sequence[Rubric], *, cut_off: bool = False
) -> Checks | Unreadable:
    """Read the verdicts on rubric items: every id exactly once, each of its own mode."""
    search = ReplyObjects(reply, cut_off=cut_off)
    verdicts: list[Checks] = []
    unusable: list[Unreadable] = []
    problem = ""
    for found in search.objects():
        entries = found.get("checks")
        if not isinstance(entries, list):
            problem = problem or (
                "`checks` is not a list" if "checks" in found else "`checks` is missing"
            )
            continue
        problems, checks = _read_entries(entries, rubrics)
        verdict = Checks(checks, _text(found.get("overall_reasoning")))
        if problems:
            unusable.append(Unreadable("; ".join(problems), verdict))
        else:
            verdicts.append(verdict)
    if verdicts:
        first = verdicts[0]
        if all(it == first for it in verdicts):
            return first
        return replace(first, ambiguous=True)
    if unusable:
        return max(unusable, key=lambda it: len(it.usable.by_id))
    return Unreadable(search.problem(problem))


def _read_entries(
    entries: Sequence[Any], rubrics: Sequence[Rubric]
) -> tuple[list[str], dict[str, Check]]:
    """Return what is wrong with the entries of `checks`, and those that can be used."""
    modes = {it.id or "": it.mode for it in rubrics}
    problems: list[str] = []
    found: dict[str, list[Check | None]] = {}
    unknown: list[str] = []
    for entry in entries:
        name = entry.get("id") if isinstance(entry, dict) else None
        if not isinstance(name, str):
            problems.append("an entry of `checks` has no `id`")
        elif name not in modes:
            unknown.append(name)
        else:
            found.setdefault(name, []).append(_check(entry, modes[name]))
    usable: dict[str, Check] = {}
    for name, mode in modes.items():
        answers = found.get(name, [])
        first = answers[0] if answers else None
        if not answers:
            problems.append(f"`{name}` is missing")
        elif len(answers) > 1:
            problems.append(f"`{name}` is answered {len(answers)} times")
        elif first is None:
            problems.append(
                f"`{name}` needs `satisfied`, true or false"
                if mode == "check"
                else f"`{name}` needs `score`, a whole number from 0 to {TOP}"
            )
        # Answers that contradict each other are none.
        if first is not None and all(it and it.value == first.value for it in answers):
            usable[name] = first
    problems += [f"there is no item `{_short(name)}`" for name in dict.fromkeys(unknown)]
    counted = Counter(problems)
    return list(counted), usable


def _check(entry: Mapping[str, Any], mode: str) -> Check | None:
    """Return the verdict of an entry; None where it has none of its mode."""
    reasoning = _text(entry.get("reasoning"))
    if mode == "check":
        satisfied = entry.get("satisfied")
        return Check(satisfied, reasoning) if isinstance(satisfied, bool) else None
    score = _number(entry.get("score"))
    if score is None or score != int(score) or not 0 <= score <= TOP:
        return None
    return Check(int(score), reasoning)


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
        self._reply = reply
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
            return "the reply is empty"
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
        for it in reversed(found):
            if "}" in _IN_PROSE.sub("", self._reply[it.end : end]):
                break
            end = it.start
            before = self._reply[max(0, end - _LOOK_AROUND) : end]
            if not _BEFORE_VALUE.search(before):
                own.append(it.value)
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


#: An object with at least one key; braces of prose are passed over.
_OBJECT = re.compile(r'\{(?=\s*")')
#: The start of an object at the end of a text that its first quotation mark closed by mistake.
_SWALLOWED = re.compile(r'\{\s*"\s*\Z')
#: Braces of prose: what is between them has no quotation mark, as the rest of an object has.
_IN_PROSE = re.compile(r'\{[^{}"]*\}')
#: What stands before a value of an object or a list.
_BEFORE_VALUE = re.compile(r'(?:"\s*:|[,\[])\s*\Z')
#: So many characters around a break are looked at.
_LOOK_AROUND = 200
#: Tabs and line breaks inside strings are allowed, for models write them.
_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_object_of, parse_int=_whole_number)


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if math.isfinite(value) else None


def _text(value: object) -> str:
    """Return a text that can be written to a file: half surrogates are replaced."""
    return value.strip().encode(errors="replace").decode() if isinstance(value, str) else ""


def _points(value: object) -> tuple[str, ...]:
    """Return the first non-empty texts of a list."""
    if not isinstance(value, list):
        return ()
    texts = (_text(it) for it in value)
    return tuple(it for it in texts if it)[:MOST_POINTS]


def _short(name: str) -> str:
    name = _text(name)
    return name if len(name) <= 60 else f"{name[:60]}..."
