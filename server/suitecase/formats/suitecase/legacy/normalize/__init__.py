"""Suites of older and newer formats, normalized to the current one.

The tree is rewritten where it has to be, with every node still at its place in the source, so
that rules, the runner and the editor know one format only. The legacy syntax that was found is kept
as a list, from which rules make their findings and fixes.
"""

from suitecase.formats.suitecase.legacy.normalize.legacy_syntax import AssertionList, LegacySyntax
from suitecase.formats.suitecase.legacy.normalize.normalizer import (
    CaseSetting,
    Normalizer,
    is_list_of_tests,
)
from suitecase.formats.suitecase.legacy.normalize.targets import TargetAlias, TargetNormalizer

__all__ = [
    "AssertionList",
    "CaseSetting",
    "LegacySyntax",
    "Normalizer",
    "TargetAlias",
    "TargetNormalizer",
    "is_list_of_tests",
]
