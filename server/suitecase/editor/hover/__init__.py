"""Hovers."""

from suitecase.editor.hover.at_cursor import (
    Hover,
    HoverContext,
    hover_at,
    hover_in_prompt,
    hover_in_targets,
    sections,
)
from suitecase.editor.hover.configuration import setting_at
from suitecase.editor.hover.prompts import RenderedPrompt

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
