"""What the editor offers in files of other tools: each dialect answers in `formats/NAME/ide/features.py`.

A feature that a dialect does not have answers nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

from suitecase.editor.completion import Completion, CompletionContext
from suitecase.editor.dialect_tests import GradedPlace, TestElsewhere
from suitecase.editor.hover import Hover
from suitecase.editor.inlay_hints import Hint, HintKinds
from suitecase.editor.semantic_tokens import Token
from suitecase.editor.symbols import Outline
from suitecase.format.dialect import Dialect, DialectFile, NamedTest
from suitecase.format.workspace import Folder
from suitecase.text.node import Span


@dataclass(frozen=True, slots=True)
class Naming:
    """A suite that names another file, and the folder of the suite."""

    suite: DialectFile
    folder: Folder


class DialectFeatures:
    """The answers to an editor's requests about a file of a dialect; a dialect overrides what it can answer.

    Offsets and spans are in the document of the file. `folder` is the folder of the file, or that of the
    workspace for a text that was never saved, whose `path` is None. `named_by` is a suite that names the
    file, for a file that is a part of one.
    """

    def hover(
        self,
        file: DialectFile,
        offset: int,
        folder: Folder,
        environ: Mapping[str, str],
        named_by: Naming | None = None,
    ) -> Hover | None:
        """Return what is known about an offset; None if there is nothing.

        `environ` is the environment of runs; its values are never shown.
        """
        return None

    def complete(
        self,
        file: DialectFile,
        offset: int,
        around: CompletionContext,
        named_by: Naming | None = None,
    ) -> Completion:
        """Return the completions at an offset."""
        return Completion((), offset, Span(offset, offset))

    def hover_beside(
        self,
        naming: Naming,
        paths: Collection[Path],
        text: str,
        offset: int,
        environ: Mapping[str, str],
    ) -> Hover | None:
        """Return what is known about an offset of another file that a suite reads, as one with prompts.

        `paths` are its paths, and `text` is its text.
        """
        return None

    def complete_beside(
        self, naming: Naming, paths: Collection[Path], text: str, offset: int
    ) -> Completion:
        """Return the completions at an offset of another file that a suite reads."""
        return Completion((), offset, Span(offset, offset))

    def hints(
        self,
        file: DialectFile,
        within: Span,
        folder: Folder,
        kinds: HintKinds,
        named_by: Naming | None = None,
    ) -> list[Hint]:
        """Return the inlay hints in a span, in order."""
        return []

    def graded(self, file: DialectFile, number: int, count: int) -> Sequence[GradedPlace]:
        """Return the place in the file of what each evaluator of a test grades by.

        Args:
            file: the file.
            number: the number of the test, from 0.
            count: how many evaluators graded it; the result is empty if the test has others now.
        """
        return ()

    def elsewhere(
        self, file: DialectFile, folder: Folder, named: Sequence[NamedTest]
    ) -> Mapping[str, TestElsewhere]:
        """Return the tests of a suite that are written in other files, by their names in a run.

        Args:
            file: the suite.
            folder: its folder.
            named: what `DialectFile.named_tests` returns.
        """
        return {}

    def outline(self, file: DialectFile) -> Outline | None:
        """Return the outline; None if there is none."""
        return None

    def tokens(self, file: DialectFile, folder: Folder, within: Span | None) -> list[Token]:
        """Return the semantic tokens; with a span, at least those that touch it."""
        return []

    def tokens_beside(
        self, file: DialectFile, folder: Folder, paths: Collection[Path], text: str
    ) -> list[Token]:
        """Return the semantic tokens of another file that a suite reads, as one with prompts.

        `paths` are its paths, and `text` is its text.
        """
        return []


@cache
def features_of(dialect: Dialect) -> DialectFeatures:
    """Return the features of a dialect, whose module is imported when a file of it is first edited."""
    module = import_module(f"suitecase.formats.{dialect.name}.editor.features")
    found: DialectFeatures = module.FEATURES
    return found
