"""Messages about paths that lead to no file, with the path that was most likely meant."""

from __future__ import annotations

from pathlib import Path

from suitecase.format.rule import Fix, replace
from suitecase.format.workspace import Folder, Found
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.references.file_references import (
    FileProblem,
    FileReference,
    Located,
)
from suitecase.formats.promptfoo.suite.vocabulary import PROMPTFOO
from suitecase.text.emitting import in_quotes
from suitecase.text.node import Scalar
from suitecase_evaluators.system.path_kinds import FILE_SCHEME


def missing(found: Located, path: str, folder: Folder) -> str | None:
    """Return why a path leads to no file; None if it leads to one, or where nothing is looked at."""
    if found.problem is FileProblem.FOLDER:
        return f"`{path}` is a folder"
    if found.problem is FileProblem.NO_MATCH:
        return f"no file matches `{path}` in {where_from(folder)}"
    if found.problem is FileProblem.MISSING and "\n" in path:
        return "no such file: all of this text is taken for a path, line breaks included"
    if found.problem is FileProblem.MISSING:
        return f"file `{path}` not found in {where_from(folder)}"
    return None


def where_from(folder: Folder) -> str:
    """Return the folder that a path starts at, for messages."""
    shown = folder.shown(folder.path)
    return f"`{shown}`" if folder.path != folder.root and Path(shown).name else "this folder"


def with_hint(message: str, name: Scalar, better: str | None) -> tuple[str, Fix | None]:
    """Return a message, and the fix, with the path that was most likely meant."""
    path = name.text.removeprefix(FILE_SCHEME)
    if better is None or better == path:
        return message, None
    if "\n" in path or name.style not in ("", "'", '"'):
        return f"{message}; did you mean `{better}`?", None
    scheme = FILE_SCHEME if name.text.startswith(FILE_SCHEME) else ""
    before, colon, function = path.rpartition(":")
    suffix = f":{function}" if colon and "." in before and "/" not in function else ""
    fix = replace(
        name.span, as_written(f"{scheme}{better}{suffix}", name), f"Use `{better}`", safe=False
    )
    return f"{message}; did you mean `{better}`?", fix


def as_written(text: str, name: Scalar) -> str:
    """Return a text in the quotes of the scalar whose place it takes."""
    if name.style == "'":
        return "'" + text.replace("'", "''") + "'"
    return in_quotes(text) if name.style == '"' else text


def is_found_above(reference: FileReference, configuration: LinkedConfiguration) -> bool:
    """Whether a tool that also looks in the folders above finds a file there."""
    if configuration.reading.vocabulary is PROMPTFOO:
        return False
    return isinstance(configuration.folder.find(reference.path), Found)
