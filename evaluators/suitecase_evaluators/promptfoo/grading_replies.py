"""Reads the replies of graders by promptfoo's rules.

An object without a verdict, which promptfoo takes for a pass, is unreadable here: the grader is called
again.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from suitecase_evaluators.answers.score import off_scale
from suitecase_evaluators.answers.thinking import without_thinking
from suitecase_evaluators.grade.judge.reply import Unreadable, why_off_scale
from suitecase_evaluators.grade.judge.reply_objects import ReplyObjects
from suitecase_evaluators.promptfoo.ecmascript import as_number, as_text, trimmed
from suitecase_evaluators.promptfoo.json_objects import UnreadableError, objects_in

#: The highest score of `g-eval`.
TOP: Final = 10
_TRUE: Final = re.compile(r"true|yes|pass|y", re.IGNORECASE)
#: A category as models write it without JSON.
_CATEGORY: Final = re.compile(r"\(?([a-eA-E])\)")


@dataclass(frozen=True, slots=True)
class PassVerdict:
    """Whether an answer passes; `score` is the grader's, whatever its range."""

    passes: bool
    score: float
    reason: str = ""
    #: The reply has another verdict, which differs.
    ambiguous: bool = False


@dataclass(frozen=True, slots=True)
class FactsVerdict:
    """How the facts of an answer compare, as a letter from A to E."""

    category: str
    reason: str = ""
    ambiguous: bool = False


@dataclass(frozen=True, slots=True)
class ScaleVerdict:
    """A score from 0 to 10."""

    score: float
    reason: str
    ambiguous: bool = False


def read_rubric(reply: str, cut_off: bool, *, any_scale: bool = False) -> PassVerdict | Unreadable:
    """Read a verdict on a rubric; either `pass` or `score` may be missing.

    Args:
        any_scale: whether a score may lie outside 0 to 1, as promptfoo has it.
    """
    search = ReplyObjects(reply, cut_off=cut_off)
    found: list[PassVerdict] = []
    problem = ""
    for it in _objects(search, reply, cut_off):
        if "pass" not in it and "score" not in it:
            problem = problem or "`pass` and `score` are missing"
            continue
        passes = _passes(it.get("pass"))
        found.append(PassVerdict(passes, _score(it, passes), _text(it.get("reason"))))
    if not found:
        return Unreadable(search.problem(problem))
    first = found[0]
    differs = any((it.passes, it.score) != (first.passes, first.score) for it in found)
    verdict = PassVerdict(first.passes, first.score, first.reason, differs)
    if off_scale(verdict.score) and not any_scale:
        return Unreadable(why_off_scale(verdict.score), off_scale=verdict)
    return verdict


def _objects(search: ReplyObjects, reply: str, cut_off: bool) -> list[dict[str, Any]]:
    """Return the objects of a reply in JSON; if there are none, those that promptfoo reads as YAML, which have
    single quotes, names without quotes, or a comma too many.
    """
    found = list(search.objects())
    if found or cut_off:
        return found
    try:
        return objects_in(without_thinking(reply, of_judge=True).answer)
    except UnreadableError:
        return found


def _passes(value: Any) -> bool:
    if value is None or isinstance(value, bool):
        return value is not False
    return _TRUE.fullmatch(as_text(value)) is not None


def _score(found: Mapping[str, Any], passes: bool) -> float:
    """Return the score of a verdict; 1 or 0 by `passes` if it is not a number."""
    value = found.get("score", "none")
    if value is None:
        return 0.0
    number = as_number(value) if isinstance(value, str) else _number(value)
    return float(passes) if number is None or not math.isfinite(number) else float(number)


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, bool | int | float) else None


def read_category(reply: str, cut_off: bool) -> FactsVerdict | Unreadable:
    """Read a category, from JSON or from text such as `(B) ...`."""
    search = ReplyObjects(reply, cut_off=cut_off)
    found: list[FactsVerdict] = []
    problem = ""
    for it in _objects(search, reply, cut_off):
        category = it.get("category")
        letter = trimmed(category).upper() if isinstance(category, str) else ""
        if len(letter) == 1 and letter in "ABCDE":
            found.append(FactsVerdict(letter, _text(it.get("reason"))))
        else:
            problem = problem or "`category` is not a letter from A to E"
    if found:
        first = found[0]
        differs = any(it.category != first.category for it in found)
        return FactsVerdict(first.category, first.reason, differs)
    said = without_thinking(reply, of_judge=True).answer
    # An object that is broken is not searched for a letter.
    match = _CATEGORY.search(said) if "{" not in said else None
    if match is None:
        return Unreadable(search.problem(problem))
    reason = said.partition(")")[2].strip()
    return FactsVerdict(match[1].upper(), reason or said.strip())


def read_yes_or_no(reply: str, cut_off: bool) -> PassVerdict | Unreadable:
    """Read whether a criterion is met: the reply ends with Y or N."""
    said = without_thinking(reply, of_judge=True).answer.rstrip()
    if said.endswith(("Y", "N")) and not cut_off:
        passes = said.endswith("Y")
        return PassVerdict(passes, float(passes), said)
    return Unreadable("it does not end with the letter Y or N" if said else "the reply is empty")


def read_steps(reply: str, cut_off: bool) -> tuple[str, ...] | Unreadable:
    """Read the steps of a criterion."""
    search = ReplyObjects(reply, cut_off=cut_off)
    problem = ""
    for it in _objects(search, reply, cut_off):
        steps = it.get("steps")
        if (
            isinstance(steps, list)
            and steps
            and all(isinstance(s, str) and s.strip() for s in steps)
        ):
            return tuple(steps)
        problem = problem or "`steps` is not a list of strings"
    return Unreadable(search.problem(problem))


def read_scale(reply: str, cut_off: bool) -> ScaleVerdict | Unreadable:
    """Read a score from 0 to 10, with its reason."""
    search = ReplyObjects(reply, cut_off=cut_off)
    found: list[ScaleVerdict] = []
    problem = ""
    for it in _objects(search, reply, cut_off):
        value, reason = it.get("score"), _text(it.get("reason"))
        number = _number_in(value) if isinstance(value, str) else value
        if isinstance(number, bool) or not isinstance(number, int | float):
            problem = problem or f"`score` is not a number from 0 to {TOP}"
        elif not 0 <= number <= TOP:
            problem = problem or f"`score` is not from 0 to {TOP}"
        elif not reason:
            problem = problem or "`reason` is missing"
        else:
            found.append(ScaleVerdict(float(number), reason))
    if not found:
        return Unreadable(search.problem(problem))
    first = found[0]
    return ScaleVerdict(first.score, first.reason, any(it.score != first.score for it in found))


def _number_in(text: str) -> float | None:
    return as_number(text) if text.strip() else None


def _text(value: Any) -> str:
    """Return a value as text that can be encoded: lone surrogates are replaced."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else as_text(value)
    return text.strip().encode(errors="replace").decode()
