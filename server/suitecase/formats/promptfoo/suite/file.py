"""A file of promptfoo with what it comes to together with the files that it names: rows, names of tests, a view."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from suitecase.format.dialect import Dialect, EffectiveView, NamedTest, ViewRequest
from suitecase.format.workspace import Folder
from suitecase.formats.promptfoo.suite.parsed import PromptfooFile, Reading, readers
from suitecase.text.document import Document


class PromptfooSuite(PromptfooFile):
    """A configuration, or a list of tests that configurations name, as the verbs use it."""

    def effective(self, request: ViewRequest) -> EffectiveView | None:
        from suitecase.formats.promptfoo.suite.effective.shown import shown_configuration
        from suitecase.formats.promptfoo.suite.effective.shown_text import shown_lines
        from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration

        linked = self.linked(request.folder)
        if not isinstance(linked, LinkedConfiguration):
            return None
        values = shown_configuration(linked, request)
        return EffectiveView(values, tuple(shown_lines(values, self.title)))

    def named_tests(self, folder: Folder) -> Sequence[NamedTest]:
        from suitecase.formats.promptfoo.suite.effective.test_names import named_tests
        from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration

        linked = self.linked(folder)
        return named_tests(linked) if isinstance(linked, LinkedConfiguration) else ()

    def linked(self, folder: Folder) -> object | None:
        from suitecase.formats.promptfoo.suite.linked import PromptfooConfiguration

        return PromptfooConfiguration(self, folder) if self.kind == "configuration" else None

    def wholes(self, folder: Folder) -> tuple[object, ...]:
        from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration, TestTexts

        linked = self.linked(folder)
        return (linked, TestTexts(linked)) if isinstance(linked, LinkedConfiguration) else ()


def read_file(
    dialect: Dialect,
    path: Path | None,
    document: Document,
    reading: Reading,
    make: type[PromptfooFile] = PromptfooSuite,
) -> PromptfooFile:
    """Return a document as a configuration or a list of tests. Never raises on any text."""
    head, test = readers(reading)
    file = make(
        dialect,
        path,
        document,
        head(document.head.content),
        tuple(document.case_index.values(test)),
        reading,
        "tests" if document.root_list else "configuration",
    )
    file.case_index = document.case_index.through(test)
    return file
