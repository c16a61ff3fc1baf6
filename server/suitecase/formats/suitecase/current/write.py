"""Values to the texts of suites: YAML, and lines of JSON with a sidecar."""

from __future__ import annotations

import re
from typing import Any

from pydantic import BaseModel

from suitecase.formats.portable import Portable
from suitecase.formats.suitecase.model import Case, SuiteHead
from suitecase.formats.suitecase.parsed import keys_of
from suitecase.text.emitting import yaml_text
from suitecase.text.encoders.json_text import json_text
from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.answers.rubric import Rubric, ScoreRange
from suitecase_evaluators.grade.registry import by_type

#: Keys that people write first, and in this order; the others follow in the order of the format.
_HEAD_FIRST = ("$schema", "description", "dataset", "version", "prompt")
_CASE_FIRST = ("id", "description", "note", "tags", "conversation_id")
_MESSAGE_LISTS = ("input_messages", "input", "expected_messages", "expected_output")


def yaml_suite(suite: Portable) -> str:
    """Return a suite as YAML, its cases apart from each other."""
    head = _head(suite.head)
    parts = [yaml_text(head), "\n"] if head else []
    parts.append("evalcases:\n")
    for number, case in enumerate(suite.cases):
        if number:
            parts.append("\n")
        parts.append(_indented(yaml_text([_case(case)])))
    return "".join(parts)


def yaml_sidecar(suite: Portable) -> str:
    """Return everything of a suite but its cases, as YAML."""
    return yaml_text(_head(suite.head))


def json_lines(suite: Portable) -> str:
    """Return the cases of a suite, each as a line of JSON, keys in the order they have."""
    return "".join(f"{json_text(case)}\n" for case in suite.cases)


def _indented(text: str) -> str:
    return re.sub(r"(?m)^(?=.)", "  ", text)


def _head(values: dict[str, Any]) -> dict[str, Any]:
    return _with_execution(_ordered(values, SuiteHead, _HEAD_FIRST))


def _case(values: dict[str, Any]) -> dict[str, Any]:
    case = _with_execution(_ordered(values, Case, _CASE_FIRST))
    for key in _MESSAGE_LISTS:
        if isinstance(case.get(key), list):
            case[key] = [_message(it) for it in case[key]]
    if "rubrics" in case:
        case["rubrics"] = _rubrics(case["rubrics"])
    if "evaluators" in case:
        case["evaluators"] = _evaluators(case["evaluators"])
    return case


def _with_execution(values: dict[str, Any]) -> dict[str, Any]:
    execution = values.get("execution")
    if isinstance(execution, dict) and "evaluators" in execution:
        evaluators = _evaluators(execution["evaluators"])
        values["execution"] = {**execution, "evaluators": evaluators}
    return values


def _message(value: Any) -> Any:
    if not isinstance(value, dict) or "role" not in value:
        return value
    return _ordered(value, Message, ("role", "name"))


def _rubrics(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return [_rubric(it) if isinstance(it, dict) else it for it in value]


def _rubric(value: dict[str, Any]) -> dict[str, Any]:
    rubric = _ordered(value, Rubric)
    ranges = rubric.get("score_ranges")
    if isinstance(ranges, list):
        rubric["score_ranges"] = [
            _ordered(it, ScoreRange) if isinstance(it, dict) else it for it in ranges
        ]
    return rubric


def _evaluators(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return [_evaluator(it) if isinstance(it, dict) else it for it in value]


def _evaluator(value: dict[str, Any]) -> dict[str, Any]:
    found = by_type(value["type"]) if isinstance(value.get("type"), str) else None
    made = _ordered(value, found.config, ("name", "type", "weight")) if found else dict(value)
    for key, ordered in (("rubrics", _rubrics), ("evaluators", _evaluators)):
        if key in made:
            made[key] = ordered(made[key])
    return made


def _ordered(
    values: dict[str, Any], model: type[BaseModel], first: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Return values in the order of their model; what it does not know stands behind, as it was."""
    order = dict.fromkeys((*first, *keys_of(model)))
    known = {key: values[key] for key in order if key in values}
    return {**known, **values}
