"""What the editor offers in the evals of a skill."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from suitecase.formats.agent_skills.suite.parsed import SkillsFile
from suitecase.ide.completion import Completion, CompletionContext
from suitecase.ide.dialect_features import DialectFeatures, Naming
from suitecase.ide.dialect_tests import GradedPlace
from suitecase.ide.hover import Hover
from suitecase.ide.symbols import Outline
from suitecase.suite.dialect import DialectFile
from suitecase.suite.workspace import Folder


class SkillsFeatures(DialectFeatures):
    """The features of the evals of a skill."""

    def hover(
        self,
        file: DialectFile,
        offset: int,
        folder: Folder,
        environ: Mapping[str, str],
        named_by: Naming | None = None,
    ) -> Hover | None:
        from suitecase.formats.agent_skills.ide.hover import hover_at

        return hover_at(file, offset, folder) if isinstance(file, SkillsFile) else None

    def complete(
        self,
        file: DialectFile,
        offset: int,
        around: CompletionContext,
        named_by: Naming | None = None,
    ) -> Completion:
        from suitecase.formats.agent_skills.ide.completion import complete_at

        if not isinstance(file, SkillsFile):
            return super().complete(file, offset, around)
        return complete_at(file, offset, around)

    def graded(self, file: DialectFile, number: int, count: int) -> Sequence[GradedPlace]:
        from suitecase.formats.agent_skills.ide.graded import graded_places

        return graded_places(file, number) if isinstance(file, SkillsFile) else ()

    def outline(self, file: DialectFile) -> Outline | None:
        from suitecase.formats.agent_skills.ide.outline import outline_of

        return outline_of(file) if isinstance(file, SkillsFile) else None


FEATURES = SkillsFeatures()
