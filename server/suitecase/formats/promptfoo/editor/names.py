"""The names in configurations and lists of tests of promptfoo, and in the files that they name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from suitecase.editor.index.dialect_names import DialectNames, NamedFile
from suitecase.editor.index.occurrence import Part
from suitecase.format.dialect import DialectFile
from suitecase.format.workspace import Folder
from suitecase.formats.promptfoo.editor.names_in_files import files_of_configuration
from suitecase.formats.promptfoo.editor.names_in_head import names_in_head
from suitecase.formats.promptfoo.editor.names_in_tests import names_in_test
from suitecase.formats.promptfoo.suite.parsed import PromptfooFile


class PromptfooNames(DialectNames):
    """Finds the names in the files of the promptfoo family."""

    def parts(self, file: DialectFile) -> Iterable[Part]:
        return _parts(file) if isinstance(file, PromptfooFile) else ()

    def named_files(self, file: DialectFile, folder: Folder) -> Iterable[NamedFile]:
        if not isinstance(file, PromptfooFile) or file.kind != "configuration":
            return ()
        return files_of_configuration(file, folder)


def _parts(file: PromptfooFile) -> Iterator[Part]:
    if file.kind == "configuration":
        yield Part("head", 0, names_in_head(file))
    for number, piece in enumerate(file.document.cases):
        yield Part(number, piece.start, names_in_test(piece.content))


NAMES = PromptfooNames()
