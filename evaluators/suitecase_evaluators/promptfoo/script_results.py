"""Makes scores of the results of scripts: booleans, numbers and mappings."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any, Final

from suitecase_evaluators.answers.records.details import GIVEN_SCORE
from suitecase_evaluators.answers.sandbox_level import Level
from suitecase_evaluators.answers.score import Score, nearest_score, off_scale
from suitecase_evaluators.promptfoo.assertion import AssertionConfig, scored
from suitecase_evaluators.promptfoo.ecmascript import as_double
from suitecase_evaluators.targets.scripting.call import Returned
from suitecase_evaluators.text.json_values import show_json

_NEEDED: Final = "it has to return true or false, a number, or {pass, score, reason}"
#: The keys of a result in Python, with promptfoo's names.
_SNAKE_CASE: Final = {
    "pass_": "pass",
    "named_scores": "namedScores",
    "component_results": "componentResults",
}
#: A number at the start of a string.
_NUMBER: Final = re.compile(r"\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")
#: The maximum length of a result in a message.
_LONGEST_SHOWN: Final = 200


def javascript_score(config: AssertionConfig, returned: Returned) -> Score:
    """Return the score of an assertion `javascript`; a string is not a result."""
    value = returned.value
    if isinstance(value, bool):
        return _truth(config, value, returned.level)
    if _is_number(value):
        return _number(config, float(value), returned.level)
    if _is_result(value):
        return _result(config, value, returned.level)
    return _unusable(returned)


def python_score(config: AssertionConfig, returned: Returned) -> Score:
    """Return the score of an assertion `python`; a string is parsed as a result."""
    value, level = returned.value, returned.level
    if isinstance(value, str):
        if value.lower() in ("true", "false"):
            return _truth(config, value.lower() == "true", level)
        if value.startswith("{"):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                return _unusable(returned)
        elif found := _NUMBER.match(value):
            value = float(found[1])
    if isinstance(value, bool):
        return _truth(config, value, level)
    if _is_number(value):
        return _number(config, float(value), level)
    if not isinstance(value, dict):
        return _unusable(returned)
    result = _in_camel_case(value)
    if not _is_result(result):
        return _unusable(returned)
    threshold = config.threshold
    if threshold is not None and result["score"] < threshold:
        why = f"the score {result['score']:g} is less than {threshold:g}"
        reason = f"{why}: {result['reason']}" if result["reason"] else why
        result = {**result, "pass": False, "reason": reason}
    return _result(config, result, level)


def _truth(config: AssertionConfig, value: bool, level: Level) -> Score:
    passes = value is not config.negate
    return _scored(config, float(passes), passes, f"the code returned {show_json(value)}", level)


def _number(config: AssertionConfig, value: float, level: Level) -> Score:
    least = config.threshold
    reaches = value > 0 if least is None else value >= least
    limit = "above 0" if least is None else f"at least {least:g}"
    found = f"the code returned {value:.10g}, which is {'' if reaches else 'not '}{limit}"
    return _scored(config, value, reaches is not config.negate, found, level)


def _result(config: AssertionConfig, result: Mapping[str, Any], level: Level) -> Score:
    passes = result["pass"] is not config.negate
    reason = result["reason"]
    if config.negate:
        verdict = "passes" if result["pass"] else "fails"
        reason = f"the code {verdict} the answer{f': {reason}' if reason else ''}"
    details = {
        name: result[key]
        for name, key in (("named_scores", "namedScores"), ("components", "componentResults"))
        if result.get(key)
    }
    message = reason or f"the code {'passes' if passes else 'fails'} the answer"
    return _scored(config, float(result["score"]), passes, message, level, **details)


def _scored(
    config: AssertionConfig, score: float, passes: bool, found: str, level: Level, **details: Any
) -> Score:
    """Return a score, limited to 0 to 1; `given_score` has the one that the script returned."""
    nearest = nearest_score(score)
    given = {GIVEN_SCORE: score} if off_scale(score) else {}
    return scored(config, nearest, passes, found, details={**details, **given}, sandbox=level)


def _unusable(returned: Returned) -> Score:
    shown = returned.type if returned.value is None else show_json(returned.value)
    if returned.value is None and returned.type == "value":
        shown = "None"
    short = shown if len(shown) <= _LONGEST_SHOWN else f"{shown[:_LONGEST_SHOWN]}..."
    return Score.failed_to_grade(f"the code returned {short}; {_NEEDED}", sandbox=returned.level)


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(as_double(value))


def _is_result(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("pass"), bool)
        and _is_number(value.get("score"))
        and isinstance(value.get("reason"), str)
        and isinstance(value.get("namedScores", {}), dict | list | None)
        and isinstance(value.get("componentResults", []), list)
    )


def _in_camel_case(result: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(result)
    for snake, camel in _SNAKE_CASE.items():
        if snake in found and camel not in found:
            found[camel] = found[snake]
    return found
