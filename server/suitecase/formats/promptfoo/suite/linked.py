"""A configuration with the prompts, providers and tests that it has or names: what rules on the whole look at."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from suitecase.formats.promptfoo.suite.parsed import PromptfooFile, PromptfooHead, Reading
from suitecase.suite.workspace import Folder
from suitecase.syntax.cache import Cache
from suitecase.syntax.node import Span


@dataclass(eq=False)
class LinkedConfiguration:
    """A configuration in its folder.

    Findings about it have places in the document: `head_span` and `test_span` say where a place in
    the head or in a test is. Those in other files are `External`.

    Attributes:
        file: the configuration.
        folder: its folder, from which the files that it names are found.
        derived: what others derive from it.
    """

    file: PromptfooFile
    folder: Folder
    derived: dict[Cache[Any], Any] = field(default_factory=dict)

    @property
    def reading(self) -> Reading:
        return self.file.reading

    @property
    def head(self) -> PromptfooHead:
        return self.file.head

    def head_span(self, span: Span) -> Span:
        """Return the place in the document of a place in the head."""
        return self.file.document.head.absolute(span)

    def test_span(self, number: int, span: Span) -> Span:
        """Return the place in the document of a place in a test, by its number from 0."""
        return self.file.document.cases[number].absolute(span)
