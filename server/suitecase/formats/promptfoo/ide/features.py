"""What the editor offers in configurations and lists of tests of promptfoo."""

from __future__ import annotations

from suitecase.formats.promptfoo.suite.parsed import PromptfooFile
from suitecase.ide.dialect_features import DialectFeatures
from suitecase.ide.symbols import Outline
from suitecase.suite.dialect import DialectFile


class PromptfooFeatures(DialectFeatures):
    """The features of the promptfoo family."""

    def outline(self, file: DialectFile) -> Outline | None:
        from suitecase.formats.promptfoo.ide.outline import outline_of

        return outline_of(file) if isinstance(file, PromptfooFile) else None


FEATURES = PromptfooFeatures()
