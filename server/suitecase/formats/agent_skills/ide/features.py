"""What the editor offers in the evals of a skill."""

from __future__ import annotations

from suitecase.formats.agent_skills.suite.parsed import SkillsFile
from suitecase.ide.dialect_features import DialectFeatures
from suitecase.ide.symbols import Outline
from suitecase.suite.dialect import DialectFile


class SkillsFeatures(DialectFeatures):
    """The features of the evals of a skill."""

    def outline(self, file: DialectFile) -> Outline | None:
        from suitecase.formats.agent_skills.ide.outline import outline_of

        return outline_of(file) if isinstance(file, SkillsFile) else None


FEATURES = SkillsFeatures()
