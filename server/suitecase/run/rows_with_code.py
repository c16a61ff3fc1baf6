"""Rows of other tools' suites whose prompt a function builds, or whose answer is transformed by code."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from suitecase.formats.suitecase.effective_suite import EffectiveCase
from suitecase.run.target_pool import TargetPool
from suitecase_evaluators.answers.row import Row
from suitecase_evaluators.grade.row_code import generated_prompt, transformed
from suitecase_evaluators.targets.config.target import TargetConfig
from suitecase_evaluators.targets.target import Reply


class FinishesPrompts(Protocol):
    """A module that completes a case with the text that a prompt function returned."""

    def finished(
        self, case: EffectiveCase, text: str, environ: Mapping[str, str], target: TargetConfig
    ) -> EffectiveCase:
        """Return a case with its prompt.

        Args:
            case: the case, without its prompt.
            text: the text that the function returned.
            environ: the environment.
            target: the target that will receive the prompt.

        Raises:
            TargetError: the text cannot be sent.
        """
        ...


async def with_made_prompt(
    case: EffectiveCase, row: Row, folder: Path, pool: TargetPool, target: str
) -> EffectiveCase:
    """Return a case with the prompt that its function builds.

    Raises:
        TargetError: the function failed, or its prompt cannot be sent.
    """
    code = row.prompt_code
    if code is None:
        return case
    text = await generated_prompt(row, folder, pool.bridges)
    finishing = cast("FinishesPrompts", import_module(code.finished_by))
    return finishing.finished(case, text, os.environ, pool.config(target))


async def with_transforms(
    reply: Reply, case: EffectiveCase, folder: Path, pool: TargetPool
) -> Reply:
    """Return an answer after the transforms of its row.

    Raises:
        TargetError: a transform failed.
    """
    row = case.row
    if row is None or not row.transforms:
        return reply
    return await transformed(reply, row, folder, pool.bridges)
