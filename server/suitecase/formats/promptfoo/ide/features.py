"""What the editor offers in configurations and lists of tests of promptfoo."""

from __future__ import annotations

from suitecase.ide.dialect_features import DialectFeatures


class PromptfooFeatures(DialectFeatures):
    """The features of the promptfoo family."""


FEATURES = PromptfooFeatures()
