"""Writing a file as a whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path


def write_atomically(path: Path, text: str) -> None:
    """Write a text in UTF-8, with its line breaks as they are, in the place of what was there.

    Whoever reads the file meanwhile sees the old text or the new one. Its mode stays; where the
    path is a link, what it leads to is written.

    Raises:
        OSError: the file cannot be written; then it is as it was.
    """
    write_all_atomically({path: text})


def write_all_atomically(texts: Mapping[Path, str]) -> None:
    """Write files that belong together, each as `write_atomically` does: all of them, or none.

    Raises:
        OSError: one of them cannot be written; then all are as they were.
    """
    staged: list[tuple[Path, Path]] = []
    done: list[tuple[Path, bytes | None]] = []
    try:
        for path, text in texts.items():
            real = path.resolve()
            staged.append((_staged(real, text), real))
        for made, real in staged:
            before = real.read_bytes() if len(staged) > 1 and real.exists() else None
            made.replace(real)
            done.append((real, before))
    except BaseException:
        for made, _ in staged:
            made.unlink(missing_ok=True)
        for real, before in done:
            if before is None:
                real.unlink(missing_ok=True)
            else:
                real.write_bytes(before)
        raise


def _staged(real: Path, text: str) -> Path:
    """Write a text beside the file whose place it is to take."""
    handle, name = tempfile.mkstemp(prefix=f".{real.name}.", suffix=".tmp", dir=real.parent)
    made = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8"))
        if real.exists():
            if not os.access(real, os.W_OK):
                raise PermissionError(13, "it is read-only", str(real))
            shutil.copymode(real, made)
        else:
            mask = os.umask(0)
            os.umask(mask)
            made.chmod(0o666 & ~mask)
    except BaseException:
        made.unlink(missing_ok=True)
        raise
    return made
