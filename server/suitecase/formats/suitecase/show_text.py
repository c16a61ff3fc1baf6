"""A resolved suite as text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from suitecase.text.encoders.terminal import Line
from suitecase_evaluators.grade.registry import by_type
from suitecase_evaluators.text.written_number import as_written

_TEXT_WIDTH = 92
#: The keys of an evaluator that are shown in a special way.
_APART = frozenset({"name", "type", "weight", "origin", "rubrics", "aggregator", "evaluators"})


def show_text(suite: dict[str, Any]) -> Iterator[Line]:
    """Yield the lines of text for the result of `suitecase.formats.suitecase.show`."""
    count = len(suite["cases"])
    cases = "1 case" if count == 1 else f"{count} cases"
    yield (suite["suite"], "bold"), (f"  dataset {suite['dataset']}, {cases}", "")
    for key in ("prompt", "evaluation_mode", "expected_schema"):
        if suite[key]:
            yield from _field(key, suite[key], "  ")
    yield from _measured(suite)
    for case in suite["cases"]:
        yield ""
        yield from _case(case, suite["suite"])


def _measured(suite: dict[str, Any]) -> Iterator[str]:
    for key in ("repeats", "seed"):
        if suite[key] is not None:
            yield f"  {key:<10} {suite[key]}"
    for gate in suite["gates"] or ():
        level = "" if gate["level"] == "error" else f" ({gate['level']})"
        yield f"  gate       {gate['gate']}{level}"
    for name, definition in (suite["slices"] or {}).items():
        selectors = ", ".join(
            f"{key} {_short(value if isinstance(value, str) else json.dumps(value))}"
            for key, value in definition.items()
            if key in ("tags", "id", "metadata", "by")
        )
        safety = " (safety)" if definition["safety"] else ""
        yield f"  slice      {name}: {selectors}{safety}"
    for name, formula in (suite["metrics"] or {}).items():
        yield f"  metric     {name}: {formula}"
    if suite["intervals"]:
        intervals = ", ".join(f"{key} {value}" for key, value in suite["intervals"].items())
        yield f"  intervals  {intervals}"
    for key in ("judges", "human"):
        for name, settings in (suite[key] or {}).items():
            yield f"  {key:<10} {name}: {_settings(settings)}"
    for key, value in (suite["governance"] or {}).items():
        yield f"  {key:<10} {_short(value if isinstance(value, str) else json.dumps(value))}"


def _settings(settings: dict[str, Any]) -> str:
    return ", ".join(
        f"{key} {_short(value if isinstance(value, str) else json.dumps(value))}"
        for key, value in settings.items()
    )


def _case(case: dict[str, Any], file: str) -> Iterator[Line]:
    yield (case["id"], "bold"), (f"  {file}:{case['line']}", "dim")
    yield f"  expected   {_line(case['expected_outcome'])}"
    for message in case["input_messages"]:
        yield f"  input      {message['role']}: {_short(_said(message))}"
    for message in case["expected_messages"]:
        yield f"  reference  {message['role']}: {_short(_said(message))}"
    yield f"  target     {_target(case['target'])}"
    for evaluator in case["evaluators"]:
        yield from _evaluator(evaluator, file, "  ")


def _target(target: dict[str, Any]) -> str:
    defined = target["defined"]
    where = f"{defined['file']}:{defined['line']}" if defined else "embedded"
    if target["provider"] is None:
        return f"{target['name']} (not defined)"
    judge = "" if target["judge_target"] == target["name"] else f", judge {target['judge_target']}"
    return f"{target['name']} ({target['provider']}, {where}{judge})"


def _evaluator(evaluator: dict[str, Any], file: str, indent: str) -> Iterator[Line]:
    origin = evaluator.get("origin", {})
    why = {
        "rubrics": "from the case's `rubrics`",
        "suite": "from the suite",
        "evaluation_mode": "from the suite's `evaluation_mode`",
        "default": "nothing else grades",
    }.get(origin.get("reason", ""), "")
    line = f"{file}:{origin['line']}" if origin.get("line") else ""
    judge = origin.get("judge")
    settings = f"with `judges.{judge['name']}` {judge['file']}:{judge['line']}" if judge else ""
    notes = ", ".join(filter(None, [why, line, settings, *origin.get("prompt_files", [])]))
    weight = evaluator["weight"]
    weighted = f", weight {weight:g}" if weight != 1 else ""
    yield (
        (f"{indent}evaluator  {evaluator['name']} ({evaluator['type']}{weighted})", ""),
        (f"  {notes}" if notes else "", "dim"),
    )
    inner = indent + "  "
    for key, value in evaluator.items():
        if key not in _APART and not _is_off_by_default(evaluator["type"], key, value):
            yield from _field(key, value, inner)
    for rubric in evaluator.get("rubrics") or ():
        yield from _rubric(rubric, inner)
    aggregator = evaluator.get("aggregator")
    if isinstance(aggregator, dict):
        yield f"{inner}aggregator {aggregator['type']}"
        for key, value in aggregator.items():
            # The weights are shown with the members.
            if key not in ("type", "weights"):
                yield from _field(key, value, inner + "  ")
    for member in evaluator.get("evaluators") or ():
        yield from _evaluator(member, file, inner)


def _is_off_by_default(type_name: str, key: str, value: Any) -> bool:
    """Whether a setting is `false` or empty, and would be without being written."""
    if value is not False and value != []:
        return False
    evaluator = by_type(type_name)
    field = evaluator.config.model_fields.get(key) if evaluator is not None else None
    return field is not None and field.get_default(call_default_factory=True) == value


def _field(key: str, value: Any, indent: str) -> Iterator[str]:
    """Yield the full value of a setting, since it determines how answers are graded."""
    text = value if isinstance(value, str) else as_written(value)
    if "\n" not in text.strip():
        yield f"{indent}{key:<10} {text.strip()}"
        return
    yield f"{indent}{key}"
    for line in text.strip("\n").splitlines():
        yield f"{indent}  {line}".rstrip()


def _rubric(rubric: dict[str, Any], indent: str) -> Iterator[str]:
    gate = ""
    if rubric.get("required"):
        gate = ", required"
    elif rubric.get("required_min_score") is not None:
        gate = f", at least {rubric['required_min_score']}"
    text = f" {_line(rubric['expected_outcome'])}" if rubric.get("expected_outcome") else ""
    yield f"{indent}- [{rubric['id']}]{text} (weight {rubric['weight']:g}{gate})"
    for score_range in rubric.get("score_ranges") or ():
        low, high = score_range["score_range"]
        scores = f"{low}" if low == high else f"{low}-{high}"
        yield f"{indent}    {scores:>5}  {_line(score_range['expected_outcome'])}"


def _said(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return " ".join(
            part["value"] if part["type"] == "text" else f"[file {part['value']}]"
            for part in content
        )
    return as_written(message.get("tool_calls") if content is None else content)


def _line(text: str) -> str:
    return " ".join(text.split())


def _short(text: str) -> str:
    line = _line(text)
    return line if len(line) <= _TEXT_WIDTH else line[: _TEXT_WIDTH - 1] + "…"
