"""Writing files atomically."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from suitecase.staged_file import StagedFile, remove_abandoned_beside


def write_atomically(path: Path, text: str) -> None:
    """Replace a file's text atomically, in UTF-8 with unchanged line endings.

    The file's mode is kept; for a link, its target is written.

    Raises:
        OSError: the file cannot be written; it is unchanged.
    """
    write_all_atomically({path: text})


def write_all_atomically(texts: Mapping[Path, str]) -> None:
    """Write several files with `write_atomically`: all of them, or none.

    Raises:
        OSError: one of them cannot be written; all are unchanged.
    """
    staged: list[StagedFile] = []
    done: list[tuple[Path, bytes | None]] = []
    try:
        for path, text in texts.items():
            staged.append(_staged(path.resolve(), text))
        for file in staged:
            real = file.target
            before = real.read_bytes() if len(staged) > 1 and real.exists() else None
            file.take_place()
            done.append((real, before))
    except BaseException:
        for real, before in done:
            if before is None:
                real.unlink(missing_ok=True)
            else:
                real.write_bytes(before)
        raise
    finally:
        for file in staged:
            file.discard()


def _staged(real: Path, text: str) -> StagedFile:
    """Write a text to a temporary file beside the one it will replace."""
    remove_abandoned_beside(real)
    staged = StagedFile.make(real)
    try:
        staged.file.write(text.encode("utf-8"))
        staged.file.flush()
        if real.exists():
            if not os.access(real, os.W_OK):
                raise PermissionError(13, "it is read-only", str(real))
            shutil.copymode(real, staged.path)
        else:
            mask = os.umask(0)
            os.umask(mask)
            staged.path.chmod(0o666 & ~mask)
    except BaseException:
        staged.discard()
        raise
    return staged
