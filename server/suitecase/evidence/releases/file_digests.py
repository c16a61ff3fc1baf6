"""The digests of the files that questions and grades depend on."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from suitecase.format.workspace import Folder, Found, Workspace
from suitecase.text.cache import Cache
from suitecase_evaluators.system.path_kinds import is_file

if TYPE_CHECKING:
    from suitecase_evaluators.grade.evaluator import Reading

#: How a digest of a file starts.
SHA256 = "sha256:"


class FileDigests:
    """The digests of the files of a suite, by their paths relative to its folder.

    Args:
        folder: the folder of the suite.
        locked: digests that count instead of those of the files as they are now.

    Attributes:
        used: the files whose digests were used, by their relative paths.
        looked: whether files were looked for, so that what follows depends on which there are.
        reading: resolves entries of evaluators by these digests; None until it is first needed.
    """

    def __init__(self, folder: Folder, locked: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self.used: dict[str, Path] = {}
        self.looked = False
        self.reading: Reading | None = None
        self._locked = locked or {}

    def of(self, path: Path) -> str | None:
        """Return the digest of a file; None if it cannot be read."""
        name = relative_name(path, self.folder)
        self.used[name], self.looked = path, True
        locked = self._locked.get(name)
        return locked if locked is not None else digest_of_file(path, self.folder.workspace)

    def named(self, reference: str) -> str | None:
        """Return the digest of the file that a suite names; None if it cannot be read."""
        self.looked = True
        found = self.folder.find(reference)
        return self.of(found.path) if isinstance(found, Found) else None


def relative_name(path: Path, folder: Folder) -> str:
    """Return the path of a file relative to the folder of the suite, with forward slashes."""
    return Path(os.path.relpath(path, folder.path)).as_posix()


def named_file(name: str, folder: Folder) -> Path:
    """Return the file with a path relative to the folder of the suite."""
    return Path(os.path.normpath(folder.path / name))


def digest_of_text(text: str) -> str:
    """Return the digest that a file with a text has.

    Line breaks of Windows count as those of Unix: version control may change them between machines.
    """
    unified = text.replace("\r\n", "\n")
    return SHA256 + hashlib.sha256(unified.encode("utf-8", "surrogatepass")).hexdigest()


#: The digests of the files of a workspace.
_DIGESTS: Cache[dict[Path, str | None]] = Cache()


def digest_of_file(path: Path, workspace: Workspace) -> str | None:
    """Return the digest of a file; None if it cannot be read.

    It is that which `sha256sum` prints, of a text with the line breaks of Unix. The unsaved text of
    an open file counts. A file outside the workspace is not read.
    """
    known = _DIGESTS.of(workspace, dict)
    if path not in known:
        known[path] = _digest(path, workspace) if workspace.holds(path) else None
    return known[path]


def _digest(path: Path, workspace: Workspace) -> str | None:
    text = workspace.read(path)
    if isinstance(text, str):
        return digest_of_text(text)
    try:
        if not is_file(path):
            return None  # opening a named pipe might wait forever
        with path.open("rb") as file:
            return SHA256 + hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
