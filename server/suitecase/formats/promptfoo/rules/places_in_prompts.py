"""Findings in prompts, which may be in files of their own."""

from __future__ import annotations

from suitecase.format.rule import External, Finding, Fix
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.prompts.parts import PromptPart
from suitecase.formats.promptfoo.suite.prompts.prompts import Prompt
from suitecase.text.node import Span


def in_prompt(
    configuration: LinkedConfiguration,
    part: PromptPart,
    prompt: Prompt,
    span: Span,
    message: str,
    fix: Fix | None = None,
) -> Finding:
    """Return a finding at a place in a part of a prompt."""
    external = External(part.path, prompt.span) if part.path is not None else None
    return Finding(span, message, fix, external=external).moved(configuration.head_span)
