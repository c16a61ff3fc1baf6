"""The dialect of promptfoo."""

from __future__ import annotations

from pathlib import Path

from suitecase.suite.dialect import Dialect, DialectFile
from suitecase.syntax.document import Document


class _Promptfoo(Dialect):
    name = "promptfoo"
    title = "a promptfoo configuration"
    list_keys = ("tests",)

    def read(self, path: Path | None, document: Document) -> DialectFile:
        from suitecase.formats.promptfoo.suite.parsed import READING, read_file

        return read_file(self, path, document, READING)


DIALECT = _Promptfoo()
