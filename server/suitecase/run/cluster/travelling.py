"""Messages as bytes: paths in the workspace arrive as paths in that of the other machine.

Both sides execute the same version of this code. What arrives is unpickled, so both trust each other, as all users of
a cluster of Dask have to.
"""

from __future__ import annotations

import copyreg
import io
import pickle
from collections import ChainMap
from collections.abc import Sequence
from pathlib import Path, PosixPath, PurePath, WindowsPath
from typing import Any

from suitecase_evaluators.system.path_kinds import real_path

#: The bytes of the length of a message.
_LENGTH = 8


class Traveller:
    """Makes bytes of messages, and messages of bytes, for one workspace."""

    def __init__(self, root: Path | None = None) -> None:
        """
        Args:
            root: the root of the workspace here; None if there is none yet.
        """
        self._roots: tuple[Path, ...] = ()
        self._arrived = bytearray()
        if root is not None:
            self.is_in(root)

    def is_in(self, root: Path) -> None:
        """Let the workspace be in a folder from now on."""
        self._roots = tuple(dict.fromkeys((root, real_path(root))))

    def packed(self, message: object) -> bytes:
        """Return a message as bytes, with its length before it."""
        buffer = io.BytesIO()
        pickler = pickle.Pickler(buffer, pickle.HIGHEST_PROTOCOL)
        others: Any = copyreg.dispatch_table
        own: dict[type, Any] = {PosixPath: self._reduced, WindowsPath: self._reduced}
        pickler.dispatch_table = ChainMap(own, others)
        pickler.dump(message)
        data = buffer.getvalue()
        return len(data).to_bytes(_LENGTH, "big") + data

    def unpacked(self, data: bytes) -> list[Any]:
        """Return the messages that are complete with some further bytes."""
        self._arrived += data
        found: list[Any] = []
        while len(self._arrived) >= _LENGTH:
            end = _LENGTH + int.from_bytes(self._arrived[:_LENGTH], "big")
            if len(self._arrived) < end:
                break
            found.append(_Unpickler(bytes(self._arrived[_LENGTH:end]), self._roots).load())
            del self._arrived[:end]
        return found

    def _reduced(self, path: PurePath) -> tuple[Any, ...]:
        for root in self._roots:
            if path.is_relative_to(root):
                return in_workspace, path.relative_to(root).parts
        return Path, (str(path),)


def in_workspace(*parts: str) -> Path:
    """Stands for a path in the workspace of whoever reads the message."""
    raise RuntimeError(f"{'/'.join(parts)}: read without a workspace")


class _Unpickler(pickle.Unpickler):
    def __init__(self, data: bytes, roots: Sequence[Path]) -> None:
        super().__init__(io.BytesIO(data))
        self._roots = roots

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == (in_workspace.__module__, in_workspace.__name__):
            return self._roots[0].joinpath
        return super().find_class(module, name)
