"""The dialect of promptfoo."""

from __future__ import annotations

from pathlib import Path

from suitecase.format.dialect import Dialect, DialectFile
from suitecase.text.document import Document


class _Promptfoo(Dialect):
    name = "promptfoo"
    title = "a promptfoo configuration"
    list_keys = ("tests",)
    run_by = "suitecase.formats.promptfoo.running.suite"
    converted_by = "suitecase.formats.promptfoo.running.converting.suite"

    def read(self, path: Path | None, document: Document) -> DialectFile:
        from suitecase.formats.promptfoo.suite.file import read_file
        from suitecase.formats.promptfoo.suite.parsed import READING

        return read_file(self, path, document, READING)


DIALECT = _Promptfoo()
