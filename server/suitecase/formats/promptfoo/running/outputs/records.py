"""Converts a row of an output to a record.

Verdicts and scores are those of promptfoo. What it does not write, such as a hash of the case, is missing
from the record.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, Final

from suitecase.formats.promptfoo.running.outputs.naming import Names
from suitecase.formats.promptfoo.running.outputs.reading import Row
from suitecase.text.taken_names import ChangedNames, TakenNames
from suitecase_evaluators.answers.records.answered_by import AnsweredBy
from suitecase_evaluators.answers.records.details import GIVEN_SCORE
from suitecase_evaluators.answers.score import rounded
from suitecase_evaluators.system.path_kinds import FILE_SCHEME
from suitecase_evaluators.targets.redactor import Redactor

#: promptfoo's failure reason for an error.
_ERROR: Final = 2
#: The beginning of an error's stack.
_STACK = "\n    at "
#: The prefixes of the ids of providers that are programs.
_PROGRAMS = ("exec:", "python:", FILE_SCHEME, "golang:", "ruby:", "javascript:", "package:")
#: Those of providers that may be anything.
_UNKNOWN = (
    "http:",
    "https:",
    "ws:",
    "wss:",
    "webhook:",
    "browser",
    "manual-input",
    "mcp",
    "sequence",
)
_PASSED: Final = "Assertion passed"
_SET: Final = "assert-set"


def record_of(
    row: Row,
    names: Names,
    dataset: str,
    timestamp: str | None,
    redact: Redactor,
    changed: ChangedNames,
) -> dict[str, Any]:
    """Return the record of a row, without secrets.

    Args:
        row: the row.
        names: the names of rows.
        dataset: the name of the suite.
        timestamp: the time of the run.
        redact: removes secrets.
        changed: the names that had secrets so far.
    """
    named = names.of(row)
    test, response = _mapping(row, "testCase"), _mapping(row, "response")
    grading, prompt = _mapping(row, "gradingResult"), _mapping(row, "prompt")
    is_error = row.get("failureReason") == _ERROR
    results = _results(grading, test, redact)
    score = _number(row.get("score"))
    reason = _text(grading.get("reason")) or ""
    answer = response.get("output")
    cleaned = {
        "position": names.position(named),
        "repeat": named.repeat,
        "repeats": names.repeats,
        "metadata": _mapping(test, "metadata") or None,
        "row": {
            "dialect": "promptfoo",
            "test": named.test,
            "case": changed.shown(named.case, redact(named.case)),
            "prompt": _text(prompt.get("label")) or "",
            "variables": _mapping(row, "vars"),
        },
        "score": None if is_error or score is None else _share(score),
        "verdict": "error" if is_error else "pass" if row["success"] else "fail",
        "hits": [hit for result in results for hit in result["hits"]],
        "misses": [miss for result in results for miss in result["misses"]],
        "reasoning": reason,
        "input": [{"role": "user", "content": _text(prompt.get("raw")) or ""}],
        "candidate_answer": _as_text(answer),
        "answered_by": _answered_by(row) if answer is not None else None,
        "output_messages": None,
        "evaluator_results": results,
        "trace_summary": _trace_summary(row, response),
        "finish_reason": _text(response.get("finishReason")),
        "refused": response.get("isRefusal") is True if answer is not None else None,
        "details": _details(row, response),
        "error": _error(row) if is_error else None,
    }
    identity = {
        "schema_version": 1,
        "timestamp": timestamp,
        **{
            key: changed.shown(name, redact.name(name))
            for key, name in (
                ("dataset", dataset),
                ("eval_id", named.name),
                ("target", named.target),
            )
        },
    }
    return {**identity, **_cleaned(cleaned, redact)}


def _results(
    grading: Mapping[str, Any], test: Mapping[str, Any], redact: Redactor
) -> list[dict[str, Any]]:
    """Return the results of the assertions; those of the members of a set are in its own."""
    sets = [mapping for mapping in _mappings(test.get("assert")) if mapping.get("type") == _SET]
    components = _mappings(grading.get("componentResults"))
    taken = TakenNames()
    results: list[dict[str, Any]] = []
    at = 0
    while at < len(components):
        component = components[at]
        at += 1
        in_metadata = _mapping(_mapping(component, "metadata"), "assertionSet")
        if not in_metadata:
            results.append(_result(component, _mapping(component, "assertion"), taken, redact))
            continue
        written = sets.pop(0) if sets else {}
        own = _result(component, {**written, **in_metadata, "type": _SET}, taken, redact)
        members = _mappings(component.get("componentResults"))
        in_set = TakenNames()
        own["details"]["members"] = [
            _result(member, _mapping(member, "assertion"), in_set, redact) for member in members
        ]
        results.append(own)
        if components[at : at + len(members)] == members:  # they follow once more
            at += len(members)
    return results


def _result(
    component: Mapping[str, Any], assertion: Mapping[str, Any], taken: TakenNames, redact: Redactor
) -> dict[str, Any]:
    kind = _text(assertion.get("type")) or "assertion"
    # Names are unique as they are shown.
    metric = redact(_text(assertion.get("metric")) or "")
    passes = component.get("pass") is True
    reason = _text(component.get("reason")) or ""
    statement = _description(assertion, component) if reason in ("", _PASSED) else reason
    given = _number(component.get("score"))
    score = float(passes) if given is None else _share(given)
    weight = _number(assertion.get("weight"))
    used = _mapping(component, "tokensUsed")
    details: dict[str, Any] = {}
    if given is not None and not 0 <= given <= 1:
        details[GIVEN_SCORE] = given
    if named := _mapping(component, "namedScores"):
        details["named_scores"] = named
    return {
        "name": taken.take(metric if metric.strip() else kind),
        "type": f"promptfoo:{kind.removeprefix('not-')}",
        "score": score,
        "weight": 1.0 if weight is None else max(weight, 0.0),
        "verdict": "pass" if passes else "fail",
        "hits": [statement] if passes else [],
        "misses": [] if passes else [statement],
        "reasoning": reason,
        "details": details,
        "judge_usage": _judge_usage(used),
    }


def _description(assertion: Mapping[str, Any], component: Mapping[str, Any]) -> str:
    """Return the type and value of an assertion, for one whose reason is only that it passed."""
    kind = _text(assertion.get("type")) or "assertion"
    filled = _mapping(component, "metadata").get("renderedAssertionValue")
    value = _as_text(assertion.get("value") if filled is None else filled)
    return kind if value is None else f"{kind}: {value}"


def _judge_usage(used: Mapping[str, Any]) -> dict[str, Any] | None:
    if not used.get("total") and not used.get("numRequests"):
        return None
    return {
        "questions": _count(used, "numRequests") or 1,
        "cached": 0,
        "token_usage": _tokens(used),
        "uncounted": 0 if _tokens(used) else _count(used, "numRequests") or 1,
        "cost_usd": None,
        # promptfoo does not say what its graders cost.
        "unpriced": _count(used, "numRequests") or 1,
    }


def _trace_summary(row: Row, response: Mapping[str, Any]) -> dict[str, Any] | None:
    if not response:
        return None
    usage = _mapping(row, "tokenUsage") or _mapping(response, "tokenUsage")
    return {
        "event_count": 0,
        "tool_names": [],
        "tool_calls_by_name": {},
        "calls_known": "unknown",
        "error_count": 0,
        "token_usage": _tokens(usage),
        "cost_usd": _cost(row, response, usage),
        "duration_ms": _number(row.get("latencyMs")),
    }


def _cost(row: Row, response: Mapping[str, Any], usage: Mapping[str, Any]) -> float | None:
    """Return the cost of an answer; promptfoo writes 0 for one that it does not know."""
    cost = _number(row.get("cost"))
    free = response.get("cached") is True or _answered_by(row) == "echo"
    free = free or (_number(response.get("cost")) == 0 and _tokens(usage) is not None)
    return cost if cost or free else None


def _tokens(usage: Mapping[str, Any]) -> dict[str, int] | None:
    """Return the tokens of an answer; promptfoo writes 0 for a number that it does not know."""
    counts = {"input": _count(usage, "prompt"), "output": _count(usage, "completion")}
    return counts if all(counts.values()) else None


def _count(fields: Mapping[str, Any], name: str) -> int:
    found = _number(fields.get(name))
    return 0 if found is None else max(int(found), 0)


def _answered_by(row: Row) -> AnsweredBy | None:
    provider = row.get("provider")
    found = provider.get("id") if isinstance(provider, dict) else provider
    name = found if isinstance(found, str) else ""
    if name == "echo":
        return "echo"
    if name.startswith(_PROGRAMS):
        return "program"
    return None if name.startswith(_UNKNOWN) or ":" not in name else "model"


def _details(row: Row, response: Mapping[str, Any]) -> dict[str, Any]:
    details: dict[str, Any] = {}
    if response.get("cached") is True:
        details["cached"] = True
    if named := _mapping(row, "namedScores"):
        details["named_scores"] = named
    return details


def _error(row: Row) -> str:
    """Return the error of a row, without its stack."""
    return (_as_text(row.get("error")) or "promptfoo gives no reason").partition(_STACK)[0].strip()


def _share(score: float) -> float:
    return rounded(min(max(score, 0.0), 1.0))


def _cleaned(value: Any, redact: Redactor) -> Any:
    """Return a JSON value without secrets and non-finite numbers."""
    match value:
        case str():
            return redact(value)
        case dict():
            return {redact(str(key)): _cleaned(it, redact) for key, it in value.items()}
        case list():
            return [_cleaned(it, redact) for it in value]
        case float() if not math.isfinite(value):
            return None
        case int() | float() if not isinstance(value, bool):
            return redact.number(value)
    return value


def _as_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _mapping(fields: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = fields.get(name)
    return found if isinstance(found, dict) else {}


def _mappings(value: Any) -> list[dict[str, Any]]:
    return [it for it in value if isinstance(it, dict)] if isinstance(value, list) else []
