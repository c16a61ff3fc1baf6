"""What the editor offers in the evals of a skill."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from suitecase.editor.completion import Completion, CompletionContext
from suitecase.editor.dialect_features import DialectFeatures, Naming
from suitecase.editor.dialect_tests import GradedPlace
from suitecase.editor.hover import Hover
from suitecase.editor.symbols import Outline
from suitecase.format.dialect import DialectFile
from suitecase.format.workspace import Folder
from suitecase.formats.agent_skills.suite.parsed import SkillsFile


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
        from suitecase.formats.agent_skills.editor.hover import hover_at

        return hover_at(file, offset, folder) if isinstance(file, SkillsFile) else None

    def complete(
        self,
        file: DialectFile,
        offset: int,
        around: CompletionContext,
        named_by: Naming | None = None,
    ) -> Completion:
        from suitecase.formats.agent_skills.editor.completion import complete_at

        if not isinstance(file, SkillsFile):
            return super().complete(file, offset, around)
        return complete_at(file, offset, around)

    def graded(self, file: DialectFile, number: int, count: int) -> Sequence[GradedPlace]:
        from suitecase.formats.agent_skills.editor.graded import graded_places

        return graded_places(file, number) if isinstance(file, SkillsFile) else ()

    def outline(self, file: DialectFile) -> Outline | None:
        from suitecase.formats.agent_skills.editor.outline import outline_of

        return outline_of(file) if isinstance(file, SkillsFile) else None


FEATURES = SkillsFeatures()
