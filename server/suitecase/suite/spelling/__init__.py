"""Older and other spellings of a suite, read as today's.

The tree is rewritten where it has to be, with every node still at the place it was written at, so
that rules, the runner and the editor know one format only. What was respelled is kept as a list,
from which rules make their findings and quick fixes.
"""

from suitecase.suite.spelling.respelling import AssertionList, Respelling
from suitecase.suite.spelling.speller import CaseSetting, Speller
from suitecase.suite.spelling.targets import TargetSpeller

__all__ = ["AssertionList", "CaseSetting", "Respelling", "Speller", "TargetSpeller"]
