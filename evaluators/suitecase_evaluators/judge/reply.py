"""Reads the replies of judges, which are text that somebody else may have had a hand in.

The verdict is the first JSON object of the reply that has the shape the mode asks for, whether it
is the whole reply, stands in a code fence, or is surrounded by prose. Nothing here raises, whatever
the reply is, and the time is linear in the part that is read.
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

#: Of a longer reply the first and the last this many characters are read.
READ_LIMIT = 65_536


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


def read_free_form(reply: str) -> FreeForm | Unreadable:
    """Read a free-form verdict.

    An object with the lists or the reasoning beside its score goes before one with a score alone,
    which may be a thing the judge quotes.
    """
    search = ReplyObjects(reply)
    whole: list[FreeForm] = []
    bare: list[FreeForm] = []
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
        (whole if not found.keys().isdisjoint(("hits", "misses", "reasoning")) else bare).append(
            verdict
        )
    verdicts = whole or bare
    if not verdicts:
        return Unreadable(search.problem(problem))
    first = verdicts[0]
    if all(it == first for it in verdicts):
        return first
    return replace(first, ambiguous=True)


def read_checks(reply: str, rubrics: Sequence[Rubric]) -> Checks | Unreadable:
    """Read the verdicts on rubric items: every id exactly once, each of its own mode."""
    search = ReplyObjects(reply)
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


class ReplyObjects:
    """The JSON objects of a reply, outermost only, and why there were none."""

    def __init__(self, reply: str) -> None:
        self._reply = reply
        self._broken = ""

    def objects(self) -> Iterator[dict[str, Any]]:
        """Yield the objects that may be the verdict, first to last."""
        yield from self._scan(self._reply[:READ_LIMIT], 0, last_only=False)
        rest = max(READ_LIMIT, len(self._reply) - READ_LIMIT)
        # The cut may lie within an object, as if it had broken off.
        yield from self._scan(self._reply[rest:], rest, last_only=True)

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

    def _scan(self, text: str, offset: int, *, last_only: bool) -> Iterator[dict[str, Any]]:
        """Yield the objects of a part of the reply, which starts at `offset`.

        After an object that broke off (`last_only`) only one that ends the text counts: what looks
        like an object there may be a quotation inside the broken one, with its quotes unescaped.
        """
        at = 0
        while start := _OBJECT.search(text, at):
            try:
                found, at = _DECODER.raw_decode(text, start.start())
            except json.JSONDecodeError as error:
                # What was read up to the error belongs to the broken object.
                at = max(error.pos, start.end())
                last_only = True
                self._broken = self._broken or (
                    "it breaks off before its end"
                    if not text[error.pos :].strip() or error.msg.startswith("Unterminated")
                    else f"{error.msg} at character {offset + error.pos + 1}"
                )
                continue
            except RecursionError:
                self._broken = self._broken or "it is nested too deeply"
                return
            if not last_only or _NOTHING.fullmatch(text, at):
                yield found


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
_OBJECT = re.compile(r'\{(?=\s{0,100}")')
_NOTHING = re.compile(r"[\s`]*")
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
