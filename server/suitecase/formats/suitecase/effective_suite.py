"""A suite as it will be graded, whether it was written for Suitecase or for another tool.

`resolve` builds it from our own format; `formats/*/running` build it from the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from suitecase.formats.suitecase.model import Case, SuiteHead
from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.answers.row import Row
from suitecase_evaluators.grade.evaluator import EvaluatorConfig

Reason = Literal["case", "suite", "rubrics", "evaluation_mode", "default"]


@dataclass(frozen=True, slots=True)
class EffectiveEvaluator:
    """An evaluator that will grade a case.

    `config` is complete: it holds the text of prompts instead of their paths, expanded rubrics and
    synonyms, and members of composites have their effective weights. `prompt_files` are the files that
    this text and the synonyms were read from. `reason` is why it grades; `line` is where it is defined,
    None for a default. `judge` is its name under the suite's `judges`, if it has settings there.
    """

    config: EvaluatorConfig
    reason: Reason
    line: int | None
    prompt_files: tuple[Path, ...] = ()
    judge: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectiveCase:
    """A case with everything that it inherits.

    `position` is its place in the suite, from 1. `lines` has the line of each of its keys, from 1; it is
    empty in runs. `text` is the case's source text. `row` has what another tool's suite says of it.
    """

    id: str
    position: int
    line: int
    text: str
    case: Case
    input_messages: tuple[Message, ...]
    expected_messages: tuple[Message, ...]
    target: str | None
    target_line: int | None
    evaluators: tuple[EffectiveEvaluator, ...]
    row: Row | None = None
    lines: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectiveSuite:
    """A suite with its defaults.

    `prompt` is the text, wherever it is; `judge_lines` has the lines of the names under `judges`.
    """

    path: Path
    dataset: str
    head: SuiteHead
    prompt: str
    cases: Sequence[EffectiveCase]
    judge_lines: dict[str, int] = field(default_factory=dict)


class UnsoundSuiteError(Exception):
    """The suite has errors and cannot be resolved; a check reports them."""
