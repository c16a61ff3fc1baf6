"""Completion at a cursor, in text that may be unfinished."""

from suitecase.editor.completion.at_cursor import (
    CompletionContext,
    complete_in_prompt,
    complete_in_suite,
    complete_in_targets,
)
from suitecase.editor.completion.cursor import line_start
from suitecase.editor.completion.in_configuration import complete_in_configuration
from suitecase.editor.completion.item import Completion, Item, ItemKind
from suitecase.editor.completion.template import has_blanks, has_breaks, has_stops, rendered

__all__ = [
    "Completion",
    "CompletionContext",
    "Item",
    "ItemKind",
    "complete_in_configuration",
    "complete_in_prompt",
    "complete_in_suite",
    "complete_in_targets",
    "has_blanks",
    "has_breaks",
    "has_stops",
    "line_start",
    "rendered",
]
