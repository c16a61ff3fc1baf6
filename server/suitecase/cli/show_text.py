"""A suite as it will be graded, for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

_TEXT_WIDTH = 92


def show_text(suite: dict[str, Any]) -> Iterator[str]:
    """Yield the lines that show what `suitecase.suite.show` returns."""
    count = len(suite["cases"])
    cases = "1 case" if count == 1 else f"{count} cases"
    yield click.style(suite["suite"], bold=True) + f"  dataset {suite['dataset']}, {cases}"
    for case in suite["cases"]:
        yield ""
        yield from _case(case, suite["suite"])


def _case(case: dict[str, Any], file: str) -> Iterator[str]:
    yield click.style(case["id"], bold=True) + click.style(f"  {file}:{case['line']}", dim=True)
    yield f"  expected   {_short(case['expected_outcome'])}"
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


def _evaluator(evaluator: dict[str, Any], file: str, indent: str) -> Iterator[str]:
    origin = evaluator.get("origin", {})
    why = {
        "rubrics": "from the case's `rubrics`",
        "suite": "from the suite",
        "evaluation_mode": "from the suite's `evaluation_mode`",
        "default": "nothing else grades",
    }.get(origin.get("reason", ""), "")
    line = f"{file}:{origin['line']}" if origin.get("line") else ""
    notes = ", ".join(filter(None, [why, line, *origin.get("prompt_files", [])]))
    weight = evaluator.get("weight", 1)
    yield (
        f"{indent}evaluator  {evaluator['name']} ({evaluator['type']}"
        + (f", weight {weight:g}" if weight != 1 else "")
        + ")"
        + click.style(f"  {notes}" if notes else "", dim=True)
    )
    for rubric in evaluator.get("rubrics") or ():
        yield from _rubric(rubric, indent + "  ")
    for member in evaluator.get("evaluators") or ():
        yield from _evaluator(member, file, indent + "  ")


def _rubric(rubric: dict[str, Any] | str, indent: str) -> Iterator[str]:
    if isinstance(rubric, str):
        yield f"{indent}- {_short(rubric)}"
        return
    gate = ""
    if rubric.get("required"):
        gate = ", required"
    elif rubric.get("required_min_score") is not None:
        gate = f", at least {rubric['required_min_score']}"
    text = f" {_short(rubric['expected_outcome'])}" if rubric.get("expected_outcome") else ""
    yield f"{indent}- [{rubric.get('id')}]{text} (weight {rubric.get('weight', 1):g}{gate})"
    for score_range in rubric.get("score_ranges") or ():
        if isinstance(score_range, dict):
            low, high = score_range["score_range"]
            scores = f"{low}" if low == high else f"{low}-{high}"
            yield f"{indent}    {scores:>5}  {_short(score_range['expected_outcome'])}"


def _said(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return " ".join(
            part["value"] if part["type"] == "text" else f"[file {part['value']}]"
            for part in content
        )
    return str(content if content is not None else message.get("tool_calls", ""))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TEXT_WIDTH else line[: _TEXT_WIDTH - 1] + "…"
