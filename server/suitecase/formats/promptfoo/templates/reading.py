"""A template that was read: its tree, and what is found in that."""

from __future__ import annotations

from suitecase.formats.promptfoo.templates.analysis import analyzed
from suitecase.formats.promptfoo.templates.parsing import parse
from suitecase.formats.promptfoo.templates.uses import Template


class Reading:
    """A template and its tree."""

    def __init__(self, text: str) -> None:
        self.parsed = parse(text)
        self._template: Template | None = None

    @property
    def template(self) -> Template:
        """What the template uses; found when it is first asked for, since rendering does not ask."""
        if self._template is None:
            self._template = analyzed(self.parsed)
        return self._template
