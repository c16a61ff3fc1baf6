"""A suite as it will be graded, as JSON values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from suitecase.suite.resolve import EffectiveCase, EffectiveEvaluator, EffectiveSuite
from suitecase.suite.target_files import EMBEDDED, WrittenTargets
from suitecase.syntax.lines import Lines
from suitecase_evaluators.judge.config import LlmJudgeConfig
from suitecase_evaluators.rubric import named


def shown_suite(
    suite: EffectiveSuite,
    cases: list[EffectiveCase],
    targets: WrittenTargets | None,
    shown: Callable[[Path], str],
) -> dict[str, Any]:
    """Return a suite with some of its cases as JSON values.

    Args:
        suite: the suite.
        cases: those of its cases to show.
        targets: the targets file that holds for it.
        shown: how a path is written.
    """
    return {
        "schema_version": 1,
        "suite": shown(suite.path),
        "dataset": suite.dataset,
        "description": suite.head.description,
        "prompt": suite.prompt or None,
        "evaluation_mode": suite.head.evaluation_mode,
        "cases": [_case(case, suite, targets, shown) for case in cases],
    }


def _case(
    case: EffectiveCase,
    suite: EffectiveSuite,
    targets: WrittenTargets | None,
    shown: Callable[[Path], str],
) -> dict[str, Any]:
    return {
        "id": case.id,
        "line": case.line,
        "expected_outcome": case.case.expected_outcome,
        "input_messages": [_dumped(it) for it in case.input_messages],
        "expected_messages": [_dumped(it) for it in case.expected_messages],
        "target": _target(case, targets, shown),
        "evaluators": [_evaluator(it, suite, shown) for it in case.evaluators],
        "conversation_id": case.case.conversation_id,
        "sidecar": case.case.sidecar,
        "metadata": case.case.metadata,
        "tags": case.case.tags,
        "lines": case.lines,
    }


def _target(
    case: EffectiveCase, targets: WrittenTargets | None, shown: Callable[[Path], str]
) -> dict[str, Any]:
    name = case.target or EMBEDDED
    config = targets.config(name) if targets else None
    defined: dict[str, Any] | None = None
    if targets is not None and name in targets.spans:
        line = Lines(targets.text).position(targets.spans[name].start)[0] + 1
        defined = {"file": shown(targets.path), "line": line}
    return {
        "name": name,
        "provider": config.provider if config else (EMBEDDED if name == EMBEDDED else None),
        "judge_target": (config.judge_target if config else None) or name,
        "line": case.target_line,
        "defined": defined,
    }


def _evaluator(
    evaluator: EffectiveEvaluator, suite: EffectiveSuite, shown: Callable[[Path], str]
) -> dict[str, Any]:
    config = evaluator.config
    values = _dumped(config)
    if isinstance(config, LlmJudgeConfig) and config.rubrics:
        values["rubrics"] = [
            {
                **_dumped(rubric),
                "required": rubric.is_required if rubric.mode == "check" else None,
                "required_min_score": rubric.gate,
                "score_ranges": [
                    {"score_range": [low, high], "expected_outcome": text}
                    for low, high, text in rubric.ranges
                ]
                or None,
            }
            for rubric in named(config.rubrics)
        ]
    values["origin"] = {
        "reason": evaluator.reason,
        "file": shown(suite.path) if evaluator.line else None,
        "line": evaluator.line,
        "prompt_files": [shown(path) for path in evaluator.prompt_files],
    }
    return values


def _dumped(model: Any) -> dict[str, Any]:
    dumped: dict[str, Any] = model.model_dump(
        mode="json",
        by_alias=True,
        exclude_none=True,
        # The model of a package may hold what is no JSON value, such as a regular expression.
        fallback=str,
    )
    return dumped
