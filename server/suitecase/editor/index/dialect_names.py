"""The names in files of other tools: each dialect finds them, in `formats/NAME/ide/names.py`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from suitecase.editor.index.occurrence import Part
from suitecase.format.dialect import Dialect, DialectFile
from suitecase.format.workspace import Folder


class NamedFile(NamedTuple):
    """A file that a suite names, with the names in it that the suite knows."""

    path: Path
    parts: tuple[Part, ...]
    #: It is a program: which names it uses is only known in part.
    is_code: bool = False


class DialectNames:
    """Finds the names in the files of a dialect; a dialect overrides what it knows."""

    def parts(self, file: DialectFile) -> Iterable[Part]:
        """Return the names in a file, from its own text alone: they are kept in the index."""
        return ()

    def named_files(self, file: DialectFile, folder: Folder) -> Iterable[NamedFile]:
        """Return the files that a suite names, with the names in them."""
        return ()


@cache
def names_of(dialect: Dialect) -> DialectNames:
    """Return what finds the names in files of a dialect; imported when one is first indexed."""
    module = import_module(f"suitecase.formats.{dialect.name}.editor.names")
    found: DialectNames = module.NAMES
    return found
