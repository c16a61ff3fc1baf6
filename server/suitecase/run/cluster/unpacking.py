"""A workspace on a machine of a cluster, rebuilt from a parcel in a temporary folder."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path, PurePosixPath

from suitecase.run.cluster.parcel import Item
from suitecase_evaluators.system.temporary_folders import TemporaryFolder, remove_abandoned


class BadParcelError(Exception):
    """A parcel is not what a coordinator sends: a path leads out, or a content is not its digest's."""


class RebuiltWorkspace:
    """A copy of the files that a run depends on, in the layout of the workspace they come from."""

    def __init__(self, name: str) -> None:
        """
        Args:
            name: the name of the folder of the workspace.

        Raises:
            OSError: the folder cannot be made.
        """
        remove_abandoned()
        self._folder = TemporaryFolder.make()
        self.root = self._folder.path / (_plain(name) or "workspace")
        self.root.mkdir()

    def make(self, folders: Iterable[str]) -> None:
        """Make folders.

        Raises:
            OSError: one cannot be made.
            BadParcelError: one would be outside.
        """
        for folder in folders:
            self._place(folder).mkdir(parents=True, exist_ok=True)

    def copy(self, items: Iterable[Item], nearby: Iterable[str]) -> dict[str, list[Item]]:
        """Copy the files that another grader on this machine has.

        Args:
            nearby: the roots of such graders.

        Returns:
            the files that none has, by the digest of their content.
        """
        lacking: dict[str, list[Item]] = {}
        for item in items:
            lacking.setdefault(item.digest, []).append(item)
        for digest, same in list(lacking.items()):
            for root in nearby:
                with suppress(OSError, BadParcelError):
                    self.write(same, Path(root, same[0].path).read_bytes())
                    del lacking[digest]
                    break
        return lacking

    def write(self, items: Iterable[Item], content: bytes) -> None:
        """Write a content to its files.

        Raises:
            OSError: a file cannot be written.
            BadParcelError: a file would be outside, or the content is not what was announced.
        """
        digest = hashlib.sha256(content).hexdigest()
        for item in items:
            if item.digest != digest:
                raise BadParcelError(f"{item.path}: not the announced content")
            path = self._place(item.path)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            if item.executable:
                path.chmod(0o700)

    def remove(self) -> None:
        """Remove it with all that programs wrote into it; safe to call twice."""
        with suppress(OSError):
            self._folder.remove()

    def _place(self, path: str) -> Path:
        parts = PurePosixPath(path)
        if parts.is_absolute() or ".." in parts.parts or "\\" in path or ":" in path:
            raise BadParcelError(f"{path}: not a path in the workspace")
        return self.root.joinpath(*parts.parts)


def _plain(name: str) -> str:
    return "".join(it for it in name if it.isalnum() or it in "-_").strip()
