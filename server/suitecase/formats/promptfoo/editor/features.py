"""What the editor offers in configurations and lists of tests of promptfoo."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from suitecase.editor.completion import Completion, CompletionContext
from suitecase.editor.dialect_features import DialectFeatures, Naming
from suitecase.editor.dialect_tests import GradedPlace, TestElsewhere
from suitecase.editor.hover import Hover
from suitecase.editor.inlay_hints import Hint, HintKinds
from suitecase.editor.semantic_tokens import Token
from suitecase.editor.symbols import Outline
from suitecase.format.dialect import DialectFile, NamedTest
from suitecase.format.workspace import Folder
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.parsed import PromptfooFile
from suitecase.text.node import Span


class PromptfooFeatures(DialectFeatures):
    """The features of the promptfoo family.

    Args:
        providers_file: the file beside suites, or above them, in which the tool looks up their providers,
            if it has one.
    """

    def __init__(self, providers_file: str = "") -> None:
        self._providers_file = providers_file

    def hover(
        self,
        file: DialectFile,
        offset: int,
        folder: Folder,
        environ: Mapping[str, str],
        named_by: Naming | None = None,
    ) -> Hover | None:
        from suitecase.formats.promptfoo.editor.hover.at_cursor import hover_at
        from suitecase.formats.promptfoo.editor.whole import Whole

        if not isinstance(file, PromptfooFile):
            return None
        return hover_at(
            Whole(file, folder, _linked(named_by), self._providers_file), offset, environ
        )

    def hover_beside(
        self,
        naming: Naming,
        paths: Collection[Path],
        text: str,
        offset: int,
        environ: Mapping[str, str],
    ) -> Hover | None:
        from suitecase.formats.promptfoo.editor.prompt_text import hover_in_file

        if not isinstance(naming.suite, PromptfooFile):
            return None
        return hover_in_file(naming.suite, naming.folder, paths, text, offset, environ)

    def complete(
        self,
        file: DialectFile,
        offset: int,
        around: CompletionContext,
        named_by: Naming | None = None,
    ) -> Completion:
        from suitecase.formats.promptfoo.editor.completion.at_cursor import complete_at

        if not isinstance(file, PromptfooFile):
            return super().complete(file, offset, around)
        return complete_at(file, offset, around, _linked(named_by), self._providers_file)

    def complete_beside(
        self, naming: Naming, paths: Collection[Path], text: str, offset: int
    ) -> Completion:
        from suitecase.formats.promptfoo.editor.prompt_text import complete_in_file

        if not isinstance(naming.suite, PromptfooFile):
            return super().complete_beside(naming, paths, text, offset)
        return complete_in_file(naming.suite, naming.folder, paths, text, offset)

    def hints(
        self,
        file: DialectFile,
        within: Span,
        folder: Folder,
        kinds: HintKinds,
        named_by: Naming | None = None,
    ) -> list[Hint]:
        from suitecase.formats.promptfoo.editor.hints import hints
        from suitecase.formats.promptfoo.editor.whole import Whole

        if not isinstance(file, PromptfooFile):
            return []
        return hints(Whole(file, folder, _linked(named_by), self._providers_file), within, kinds)

    def graded(self, file: DialectFile, number: int, count: int) -> Sequence[GradedPlace]:
        from suitecase.formats.promptfoo.editor.graded import graded_places

        return graded_places(file, number, count) if isinstance(file, PromptfooFile) else ()

    def elsewhere(
        self, file: DialectFile, folder: Folder, named: Sequence[NamedTest]
    ) -> Mapping[str, TestElsewhere]:
        from suitecase.formats.promptfoo.editor.tests_elsewhere import tests_elsewhere

        linked = file.linked(folder)
        return tests_elsewhere(linked, named) if isinstance(linked, LinkedConfiguration) else {}

    def outline(self, file: DialectFile) -> Outline | None:
        from suitecase.formats.promptfoo.editor.outline import outline_of

        return outline_of(file) if isinstance(file, PromptfooFile) else None

    def tokens(self, file: DialectFile, folder: Folder, within: Span | None) -> list[Token]:
        from suitecase.formats.promptfoo.editor.name_tokens import name_tokens
        from suitecase.formats.promptfoo.editor.template_tokens import tokens_in

        if not isinstance(file, PromptfooFile):
            return []
        return [*tokens_in(file, folder, within), *name_tokens(file, within)]

    def tokens_beside(
        self, file: DialectFile, folder: Folder, paths: Collection[Path], text: str
    ) -> list[Token]:
        from suitecase.formats.promptfoo.editor.template_tokens import tokens_of_prompt

        return tokens_of_prompt(file, folder, paths, text)


def _linked(naming: Naming | None) -> LinkedConfiguration | None:
    """Return the configuration that names a list of tests."""
    found = naming.suite.linked(naming.folder) if naming is not None else None
    return found if isinstance(found, LinkedConfiguration) else None


FEATURES = PromptfooFeatures()
