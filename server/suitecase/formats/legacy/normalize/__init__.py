"""Older and other spellings of a suite, read as today's.

The tree is rewritten where it has to be, with every node still at the place it was written at, so
that rules, the runner and the editor know one format only. What was respelled is kept as a list,
from which rules make their findings and quick fixes.
"""

from suitecase.formats.legacy.normalize.legacy_syntax import AssertionList, LegacySyntax
from suitecase.formats.legacy.normalize.normalizer import CaseSetting, Normalizer
from suitecase.formats.legacy.normalize.targets import TargetNormalizer

__all__ = ["AssertionList", "CaseSetting", "LegacySyntax", "Normalizer", "TargetNormalizer"]
