"""Completion at a cursor, in text that may be unfinished."""

from suitecase.ide.completion.at_cursor import (
    CompletionContext,
    complete_in_prompt,
    complete_in_suite,
    complete_in_targets,
)
from suitecase.ide.completion.cursor import line_start
from suitecase.ide.completion.in_configuration import complete_in_configuration
from suitecase.ide.completion.item import Completion, Item, ItemKind
from suitecase.ide.completion.template import has_blanks, has_breaks, has_stops, rendered

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
