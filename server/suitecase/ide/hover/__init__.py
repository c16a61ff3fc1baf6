"""Hovers."""

from suitecase.ide.hover.at_cursor import (
    Hover,
    HoverContext,
    hover_at,
    hover_in_prompt,
    hover_in_targets,
    sections,
)
from suitecase.ide.hover.configuration import setting_at
from suitecase.ide.hover.prompts import RenderedPrompt

__all__ = [
    "Hover",
    "HoverContext",
    "RenderedPrompt",
    "hover_at",
    "hover_in_prompt",
    "hover_in_targets",
    "sections",
    "setting_at",
]
