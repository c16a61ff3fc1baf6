"""The dialect of Agent Skills."""

from __future__ import annotations

from pathlib import Path

from suitecase.suite.dialect import Dialect, DialectFile
from suitecase.syntax.document import Document


class _AgentSkills(Dialect):
    name = "agent_skills"
    title = "the evals of an Agent Skill"
    list_keys = ("evals",)

    def read(self, path: Path | None, document: Document) -> DialectFile:
        from suitecase.formats.agent_skills.suite.parsed import read_file

        return read_file(self, path, document)


DIALECT = _AgentSkills()
