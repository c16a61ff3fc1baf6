"""The dialect of Agent Skills."""

from __future__ import annotations

from pathlib import Path

from suitecase.format.dialect import Dialect, DialectFile
from suitecase.text.document import Document
from suitecase.text.lines import Lines


class _AgentSkills(Dialect):
    name = "agent_skills"
    title = "the evals of an Agent Skill"
    list_keys = ("evals",)
    noun = "eval"
    run_by = "suitecase.formats.agent_skills.running.suite"

    def parse(
        self, path: Path | None, document: Document, *, reuse: DialectFile | None = None
    ) -> DialectFile:
        # The document may have been read as YAML, which differs from JSON in many texts.
        return self.read(path, self.document(document.lines, reuse=reuse))

    def document(self, text: str | Lines, *, reuse: DialectFile | None = None) -> Document:
        from suitecase.text.json_list import parse_json_list

        earlier = reuse.document if reuse is not None else None
        return parse_json_list(text, self.list_keys, reuse=earlier)

    def read(self, path: Path | None, document: Document) -> DialectFile:
        from suitecase.formats.agent_skills.suite.parsed import read_file

        return read_file(self, path, document)


DIALECT = _AgentSkills()
