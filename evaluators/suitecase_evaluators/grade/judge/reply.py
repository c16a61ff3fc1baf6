"""Reads the replies of judges, which are text that somebody else may have had a hand in.

The verdict is the first JSON object of the reply that has the shape the mode asks for, whether it
is the whole reply, stands in a code fence, or is surrounded by prose; where another one says
something else, that is marked. What a model thinks aloud before it replies (`<think>`) is no part of
the reply. Nothing here raises, whatever the reply is, and the time is linear in its length.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from suitecase_evaluators.answers.rubric import TOP, Rubric
from suitecase_evaluators.answers.score import nearest_score, off_scale, shown_number
from suitecase_evaluators.grade.judge.prompts import MOST_POINTS
from suitecase_evaluators.grade.judge.quotes import is_quote, why_no_quote
from suitecase_evaluators.grade.judge.reply_objects import ReplyObjects
from suitecase_evaluators.grade.judge.reply_schema import item_names

#: Which of two answers is better.
Better = Literal["first", "second", "tie"]
_BETTER: Mapping[str, Better] = {argument: argument for argument in get_args(Better)}
#: The other keys of a free-form verdict.
_BESIDE_SCORE = ("hits", "misses", "reasoning")


@dataclass(frozen=True, slots=True)
class FreeForm:
    """A free-form verdict: `score` in 0..1, hits and misses not empty and at most four each."""

    score: float
    hits: tuple[str, ...] = ()
    misses: tuple[str, ...] = ()
    reasoning: str = ""
    #: The score as the judge gave it, if it is outside 0..1.
    given: float | None = None
    #: The reply holds another verdict, which says something else.
    ambiguous: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """The verdict on two answers."""

    better: Better
    reasoning: str = ""
    #: The reply holds another verdict, which says something else.
    ambiguous: bool = False


@dataclass(frozen=True, slots=True)
class Check:
    """The verdict on one rubric item: `value` is a bool for a checklist item, else 0..10."""

    value: int
    reasoning: str = ""
    #: The words of the answer that show that the item is met.
    quote: str = ""
    #: Whether the quote is in the answer; None if there is none, or none was asked for.
    in_answer: bool | None = None


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

    `usable` is what can be used of it all the same, where items were left out or not quoted for;
    `only_quotes` says that nothing but quotes is wrong. `off_scale` is the verdict of a reply in which
    nothing but the scale of the score is wrong; its score is the nearest one on the scale.
    """

    reason: str
    usable: Checks = field(default_factory=lambda: Checks({}))
    only_quotes: bool = False
    off_scale: Any = None


def read_free_form(reply: str, *, cut_off: bool = False) -> FreeForm | Unreadable:
    """Read a free-form verdict.

    Hits, misses and reasoning may be left out. An object that has none of them, but keys that were
    not asked for beside its score, goes after all others: it may be a thing the judge quotes. A score
    outside 0 to 1 was given on another scale: nobody knows what it means.
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
        taken = nearest_score(score)
        verdict = FreeForm(
            score=taken,
            given=score if off_scale(score) else None,
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
    if any(other != first for other in found_any):
        first = replace(first, ambiguous=True)
    if first.given is not None:
        return Unreadable(why_off_scale(first.given), off_scale=first)
    return first


def why_off_scale(given: float) -> str:
    """Return what is wrong with a score outside 0 to 1, which names the scale."""
    return (
        f"`score` is {shown_number(given)}, but the scale is from 0 (the worst) to 1 (the best), so "
        "that half of the points is 0.5"
    )


def read_comparison(reply: str, *, cut_off: bool = False) -> Comparison | Unreadable:
    """Read which of two answers is better."""
    search = ReplyObjects(reply, cut_off=cut_off)
    verdicts: list[Comparison] = []
    problem = ""
    for found in search.objects():
        better = _BETTER.get(_text(found.get("better")).casefold())
        if better is None:
            problem = problem or (
                '`better` is not "first", "second" or "tie"'
                if "better" in found
                else "`better` is missing"
            )
            continue
        verdicts.append(Comparison(better, _text(found.get("reasoning"))))
    if not verdicts:
        return Unreadable(search.problem(problem))
    first = verdicts[0]
    return (
        first if all(verdict == first for verdict in verdicts) else replace(first, ambiguous=True)
    )


def read_checks(
    reply: str,
    rubrics: Sequence[Rubric],
    *,
    cut_off: bool = False,
    quotable: Sequence[str] | None = None,
) -> Checks | Unreadable:
    """Read the verdicts on rubric items: every id exactly once, each of its own mode.

    Args:
        quotable: the texts that have to be quoted for each item that is met, as `quotable_texts`
            returns them; None if nothing has to be quoted.
    """
    search = ReplyObjects(reply, cut_off=cut_off)
    verdicts: list[Checks] = []
    unusable: list[Unreadable] = []
    problem = ""
    for found in search.objects():
        entries = _entries(found.get("checks"), rubrics)
        if entries is None:
            problem = problem or (
                "`checks` is not a list" if "checks" in found else "`checks` is missing"
            )
            continue
        problems, checks = _read_entries(entries, rubrics)
        unquoted: list[str] = []
        if quotable is not None:
            checks, unquoted = _held_to_quotes(checks, quotable)
        verdict = Checks(checks, _text(found.get("overall_reasoning")))
        if problems or unquoted:
            reason = "; ".join([*problems, *unquoted])
            unusable.append(Unreadable(reason, verdict, only_quotes=not problems))
        else:
            verdicts.append(verdict)
    if verdicts:
        first = verdicts[0]
        if all(it == first for it in verdicts):
            return first
        return replace(first, ambiguous=True)
    if unusable:
        return max(unusable, key=lambda candidate: len(candidate.usable.by_id))
    return Unreadable(search.problem(problem))


def _entries(checks: Any, rubrics: Sequence[Rubric]) -> list[Any] | None:
    """Return the entries of `checks`: a list of them, or the object that the schema asks for."""
    if isinstance(checks, list) or not isinstance(checks, dict):
        return checks if isinstance(checks, list) else None
    ids = [rubric.id or "" for rubric in rubrics]
    by_name = dict(zip(item_names(ids), ids, strict=True))
    return [
        {"id": by_name.get(name, name), **entry} if isinstance(entry, dict) else entry
        for name, entry in checks.items()
    ]


def _held_to_quotes(
    checks: Mapping[str, Check], quotable: Sequence[str]
) -> tuple[dict[str, Check], list[str]]:
    """Return the verdicts with items that lack a valid quote as not met, and what is wrong."""
    held: dict[str, Check] = {}
    problems: list[str] = []
    for name, check in checks.items():
        in_answer = is_quote(check.quote, quotable) if check.quote else None
        if not check.value or in_answer:
            held[name] = replace(check, in_answer=in_answer)
            continue
        problem = why_no_quote(name, check.quote)
        problems.append(problem)
        reasoning = f"Counts as not met: {problem}. {check.reasoning}".rstrip()
        value = type(check.value)(0)
        held[name] = replace(check, value=value, reasoning=reasoning, in_answer=False)
    return held, problems


def _read_entries(
    entries: Sequence[Any], rubrics: Sequence[Rubric]
) -> tuple[list[str], dict[str, Check]]:
    """Return what is wrong with the entries of `checks`, and those that can be used."""
    modes = {rubric.id or "": rubric.mode for rubric in rubrics}
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
        if first is not None and all(answer and answer.value == first.value for answer in answers):
            usable[name] = first
    problems += [f"there is no item `{_short(name)}`" for name in dict.fromkeys(unknown)]
    counted = Counter(problems)
    return list(counted), usable


def _check(entry: Mapping[str, Any], mode: str) -> Check | None:
    """Return the verdict of an entry; None where it has none of its mode."""
    reasoning, quote = _text(entry.get("reasoning")), _text(entry.get("quote"))
    if mode == "check":
        satisfied = entry.get("satisfied")
        return Check(satisfied, reasoning, quote) if isinstance(satisfied, bool) else None
    score = _number(entry.get("score"))
    if score is None or score != int(score) or not 0 <= score <= TOP:
        return None
    return Check(int(score), reasoning, quote)


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if math.isfinite(value) else None


def _text(value: object) -> str:
    """Return a text that can be written to a file: half surrogates are replaced."""
    if not isinstance(value, str):
        return ""
    text = value.strip()
    return text if text.isascii() else text.encode(errors="replace").decode()


def _points(value: object) -> tuple[str, ...]:
    """Return the first non-empty texts of a list."""
    if not isinstance(value, list):
        return ()
    texts = (_text(it) for it in value)
    return tuple(text for text in texts if text)[:MOST_POINTS]


def _short(name: str) -> str:
    name = _text(name)
    return name if len(name) <= 60 else f"{name[:60]}..."
