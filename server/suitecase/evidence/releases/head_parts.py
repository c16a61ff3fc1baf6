"""The parts of a suite's head that a lock file holds, each with the key it is under."""

from __future__ import annotations

from typing import Any, NamedTuple

from suitecase.evidence.releases.case_digests import HeadDigests, digest_of
from suitecase.evidence.releases.lock_file import LockFile
from suitecase.format.figure_keys import Intervals
from suitecase.formats.suitecase.model import SuiteHead
from suitecase_evaluators.schema.model import Model


class FigureParts(NamedTuple):
    """What figures and gates depend on in a head, apart from grading."""

    execution: dict[str, Any]
    intervals: dict[str, Any]
    gates: str | None
    slices: str | None
    metrics: str | None


def figure_parts(head: SuiteHead) -> FigureParts:
    """Return what figures and gates depend on in a head, apart from grading."""
    execution = head.execution
    asked: dict[str, Any] = {}
    if execution is not None and execution.repeats not in (None, 1):
        asked["repeats"] = execution.repeats
    if execution is not None and execution.seed is not None:
        asked["seed"] = execution.seed
    return FigureParts(
        execution=asked,
        intervals=(head.intervals or Intervals()).model_dump(),
        gates=_digest(head.gates),
        slices=_digest(head.slices),
        metrics=_digest(head.metrics),
    )


def _digest(value: Any) -> str | None:
    return digest_of(_plain(value)) if value else None


def _plain(value: Any) -> Any:
    if isinstance(value, Model):
        return value.model_dump(exclude_defaults=True)
    if isinstance(value, dict):
        return {key: _plain(it) for key, it in value.items()}
    return [_plain(it) for it in value] if isinstance(value, list) else value


def changed_keys(head: SuiteHead, digests: HeadDigests, lock: LockFile) -> tuple[str, ...]:
    """Return the paths of the keys of a head whose values are not those that are locked.

    `prompt` stands for `expected_schema`, too, and `evaluation_mode` for `evaluation_criteria`.
    """
    now, before = figure_parts(head), lock.inherited
    found = {
        "prompt": digests.question != before.question,
        "evaluation_mode": digests.mode != before.mode,
        "execution.evaluators": digests.evaluators != before.evaluators,
        "execution.repeats": now.execution.get("repeats") != lock.execution.get("repeats"),
        "execution.seed": now.execution.get("seed") != lock.execution.get("seed"),
        **{
            name: getattr(now, name) != getattr(lock, name)
            for name in ("gates", "slices", "metrics")
        },
        "intervals": now.intervals != lock.intervals,
    }
    return tuple(key for key, differs in found.items() if differs)
