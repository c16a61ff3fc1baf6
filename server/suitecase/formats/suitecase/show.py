"""A resolved suite as JSON values.

Evaluators are shown with the resolved configuration from `resolve`, the same as in a run.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from suitecase.format.target_files import EMBEDDED, ParsedTargets
from suitecase.formats.suitecase.effective_suite import (
    EffectiveCase,
    EffectiveEvaluator,
    EffectiveSuite,
)
from suitecase.formats.suitecase.model import SuiteHead
from suitecase.text.lines import Lines
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.grade.registry import description_of
from suitecase_evaluators.schema.model import Model, json_values


def shown_suite(
    suite: EffectiveSuite,
    cases: list[EffectiveCase],
    targets: ParsedTargets | None,
    display_path: Callable[[Path], str],
) -> dict[str, Any]:
    """Return a suite with some of its cases as JSON values.

    Args:
        suite: the suite.
        cases: those of its cases to show.
        targets: the targets file for it.
        display_path: returns the displayed form of a path.
    """
    return {
        "schema_version": 1,
        "suite": display_path(suite.path),
        "dataset": suite.dataset,
        "description": suite.head.description,
        "prompt": suite.prompt or None,
        "evaluation_mode": suite.head.evaluation_mode,
        "expected_schema": suite.head.expected_schema,
        **_measured(suite.head),
        "cases": [_case(case, suite, targets, display_path) for case in cases],
    }


def _measured(head: SuiteHead) -> dict[str, Any]:
    """Return what a run is measured by; each is None where the suite has none."""
    gates = [
        {"gate": gate, "level": "error", "why": None}
        if isinstance(gate, str)
        else gate.model_dump()
        for gate in head.gates or ()
    ]
    slices = {name: _dumped(it) for name, it in (head.slices or {}).items()}
    execution = head.execution
    return {
        "repeats": execution.repeats if execution else None,
        "seed": execution.seed if execution else None,
        "gates": gates or None,
        "slices": slices or None,
        "metrics": head.metrics or None,
        "intervals": _dumped(head.intervals) if head.intervals else None,
        "judges": {name: _given(it) for name, it in (head.judges or {}).items()} or None,
        "human": {name: _given(it) for name, it in (head.human or {}).items()} or None,
        "governance": _given(head.governance) if head.governance else None,
    }


def _given(model: Model) -> dict[str, Any]:
    return json_values(model, exclude_none=True)


def _case(
    case: EffectiveCase,
    suite: EffectiveSuite,
    targets: ParsedTargets | None,
    display_path: Callable[[Path], str],
) -> dict[str, Any]:
    target = _target(case, targets, display_path)
    judge = target["judge_target"]
    return {
        "id": case.id,
        "line": case.line,
        "expected_outcome": case.case.expected_outcome,
        "input_messages": [_dumped(input_message) for input_message in case.input_messages],
        "expected_messages": [_dumped(message) for message in case.expected_messages],
        "target": target,
        "evaluators": [
            _evaluator(evaluator, suite, judge, display_path) for evaluator in case.evaluators
        ],
        "conversation_id": case.case.conversation_id,
        "sidecar": case.case.sidecar,
        "metadata": case.case.metadata,
        "tags": case.case.tags,
        "lines": case.lines,
    }


def _target(
    case: EffectiveCase, targets: ParsedTargets | None, display_path: Callable[[Path], str]
) -> dict[str, Any]:
    name = case.target or EMBEDDED
    config = targets.config(name) if targets else None
    defined: dict[str, Any] | None = None
    if targets is not None and name in targets.spans:
        line = Lines(targets.text).number(targets.spans[name].start)
        defined = {"file": display_path(targets.path), "line": line}
    return {
        "name": name,
        "provider": config.provider if config else (EMBEDDED if name == EMBEDDED else None),
        "judge_target": (config.judge_target if config else None) or name,
        "line": case.target_line,
        "defined": defined,
    }


def _evaluator(
    evaluator: EffectiveEvaluator,
    suite: EffectiveSuite,
    judge: str,
    display_path: Callable[[Path], str],
) -> dict[str, Any]:
    values = _config(evaluator.config, judge)
    values["origin"] = {
        "reason": evaluator.reason,
        "file": display_path(suite.path) if evaluator.line else None,
        "line": evaluator.line,
        "prompt_files": [display_path(path) for path in evaluator.prompt_files],
        "judge": None
        if evaluator.judge is None
        else {
            "name": evaluator.judge,
            "file": display_path(suite.path),
            "line": suite.judge_lines.get(evaluator.judge),
        },
    }
    return values


def _config(config: EvaluatorConfig, judge: str) -> dict[str, Any]:
    """Return the configuration of an evaluator, and its judge if it calls one.

    Args:
        judge: the target that judges if an evaluator names none.
    """
    values = _dumped(config)
    description = description_of(config)
    members = description.members(config)
    if members:
        values["evaluators"] = [_config(member, judge) for member in members]
    for calls in description.judge_calls(config):
        values["judge"] = calls.target or judge
    return values


def _dumped(model: Any) -> dict[str, Any]:
    # The model of a package may contain values that are not JSON, such as a regular expression.
    return json_values(model, by_alias=True, exclude_none=True, fallback=str)
