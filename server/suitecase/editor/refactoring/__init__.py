"""Refactorings: other ways to write the same, with comments and quotes preserved.

Each family is a module with a function from a part of a suite to proposals. Proposals are applied
and parsed before they are offered: one that would change the meaning, or lose a comment, is
dropped. So families only have to handle common input, and need not foresee the rest.
"""

from suitecase.editor.refactoring.offering import Refactoring, refactorings
from suitecase.editor.refactoring.part import NewFile

__all__ = ["NewFile", "Refactoring", "refactorings"]
