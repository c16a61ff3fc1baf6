"""A template that was read: its tree, and what is found in that."""

from __future__ import annotations

from functools import cached_property

from suitecase.formats.promptfoo.templates.analysis import analyzed
from suitecase.formats.promptfoo.templates.parsing import parse
from suitecase.formats.promptfoo.templates.uses import Template


class Reading:
    """A template and its tree."""

    def __init__(self, text: str) -> None:
        self.parsed = parse(text)

    @cached_property
    def template(self) -> Template:
        """What the template uses. Rendering does not ask for it."""
        return analyzed(self.parsed)
