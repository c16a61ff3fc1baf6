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
from suitecase.editor.hover.keys import known_of, links_to, meaning_of, meaning_of_key
from suitecase.editor.hover.prompts import RenderedPrompt

__all__ = [
    "Hover",
    "HoverContext",
    "RenderedPrompt",
    "hover_at",
    "hover_in_prompt",
    "hover_in_targets",
    "known_of",
    "links_to",
    "meaning_of",
    "meaning_of_key",
    "sections",
    "setting_at",
]
