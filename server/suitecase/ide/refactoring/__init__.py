"""Another way to write what stands at a place: same meaning, comments and quoting kept.

Each family has a module with a function from a part of a suite to proposals. What is offered was
made and read again before: a proposal whose text would mean something else, or lose a comment, is
none. So families only have to write text for what people write, and need not foresee the rest.
"""

from suitecase.ide.refactoring.offering import Refactoring, refactorings
from suitecase.ide.refactoring.part import NewFile

__all__ = ["NewFile", "Refactoring", "refactorings"]
