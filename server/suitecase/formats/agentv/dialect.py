"""The dialect of AgentV from version 5 on."""

from __future__ import annotations

from pathlib import Path

from suitecase.format.dialect import Dialect, DialectFile
from suitecase.text.document import Document


class _Agentv(Dialect):
    name = "agentv"
    title = "a suite of AgentV from version 5 on"
    list_keys = ("tests",)
    run_by = "suitecase.formats.agentv.running.suite"

    def read(self, path: Path | None, document: Document) -> DialectFile:
        from suitecase.formats.agentv.suite.parsed import AGENTV, AgentvFile
        from suitecase.formats.promptfoo.suite.file import read_file

        return read_file(self, path, document, AGENTV, AgentvFile)


DIALECT = _Agentv()
