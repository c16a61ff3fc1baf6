"""Prompts that functions return: `prompts: [file://prompts.py:ask]`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from suitecase.formats.promptfoo.rendering.errors import (
    TemplateError,
    UnsupportedTemplateError,
)
from suitecase.formats.promptfoo.rendering.prompts import render_prompt
from suitecase.formats.promptfoo.rendering.render import written_environment
from suitecase.formats.promptfoo.running.messages import messages_of, takes_messages
from suitecase.formats.promptfoo.running.refused import RefusedError
from suitecase.formats.promptfoo.suite.prompts.prompts import Prompt, PromptSource
from suitecase.formats.promptfoo.templates.template import read_template
from suitecase.formats.suitecase.effective_suite import EffectiveCase
from suitecase_evaluators.answers.row import PromptCode, Row
from suitecase_evaluators.targets.config.target import TargetConfig
from suitecase_evaluators.targets.scripting.script_files import language_of
from suitecase_evaluators.targets.target import TargetError


def prompt_code(prompt: Prompt, folder: Path) -> PromptCode:
    """Return the function that returns a prompt.

    Args:
        prompt: the prompt.
        folder: the folder of the configuration.

    Raises:
        RefusedError: it is not a function that can be called here.
    """
    language = language_of(prompt.path.name) if prompt.path is not None else None
    if prompt.source is not PromptSource.CODE or prompt.path is None or language is None:
        raise RefusedError("`suitecase run` does not run the program that writes this prompt")
    return PromptCode(
        path=Path(os.path.relpath(prompt.path, folder)).as_posix(),
        function=prompt.function,
        language=language,
        config=prompt.config,
        finished_by=__name__,
    )


def finished(
    case: EffectiveCase, text: str, environ: Mapping[str, str], target: TargetConfig
) -> EffectiveCase:
    """Return a case with the prompt that a function returned; see `run/rows_with_code.py`."""
    row = case.row
    assert row is not None  # noqa: S101 - the case is a row
    try:
        prompt = render_prompt(text, row.variables, _environment_of(text, row, environ))
        messages = messages_of(prompt, of_chat=takes_messages(target))
    except (TemplateError, RefusedError) as error:
        raise TargetError(f"the prompt that its function returned: {error.message}") from None
    return replace(case, row=replace(row, prompt=prompt), input_messages=messages)


def _environment_of(text: str, row: Row, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a prompt that a function returned.

    The function chooses the names in it, so it gets no more than its script has: the variables that
    the suite sets, and those that the variables of the row name.

    Raises:
        UnsupportedTemplateError: the prompt names another variable.
    """
    named: dict[str, str] = {}
    for value in row.variables.values():
        if isinstance(value, str):
            named |= written_environment(value, environ)
    known = {**named, **row.environment}
    for use in read_template(text).uses:
        if use.is_environment and use.members and use.members[0] not in known:
            raise UnsupportedTemplateError(
                f"it uses the variable `{use.members[0]}` of the environment, and prompts of functions "
                "have only the variables that stand under `env`",
                use.start,
            )
    return known
