"""Writing a file as a whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from suitecase.staged_file import StagedFile, remove_abandoned_beside


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
    staged: list[StagedFile] = []
    done: list[tuple[Path, bytes | None]] = []
    try:
        for path, text in texts.items():
            staged.append(_staged(path.resolve(), text))
        for it in staged:
            real = it.target
            before = real.read_bytes() if len(staged) > 1 and real.exists() else None
            it.take_place()
            done.append((real, before))
    except BaseException:
        for real, before in done:
            if before is None:
                real.unlink(missing_ok=True)
            else:
                real.write_bytes(before)
        raise
    finally:
        for it in staged:
            it.discard()


def _staged(real: Path, text: str) -> StagedFile:
    """Write a text beside the file whose place it is to take."""
    remove_abandoned_beside(real)
    made = StagedFile.make(real)
    try:
        made.file.write(text.encode("utf-8"))
        made.file.flush()
        if real.exists():
            if not os.access(real, os.W_OK):
                raise PermissionError(13, "it is read-only", str(real))
            shutil.copymode(real, made.path)
        else:
            mask = os.umask(0)
            os.umask(mask)
            made.path.chmod(0o666 & ~mask)
    except BaseException:
        made.discard()
        raise
    return made
