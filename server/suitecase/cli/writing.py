"""Writing a file as a whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path


def write_atomically(path: Path, text: str) -> None:
    """Write a text in UTF-8, with its line breaks as they are, in the place of what was there.

    Whoever reads the file meanwhile sees the old text or the new one. Its mode stays; where the
    path is a link, what it leads to is written.

    Raises:
        OSError: the file cannot be written; then it is as it was.
    """
    real = path.resolve()
    handle, made = tempfile.mkstemp(prefix=f".{real.name}.", suffix=".tmp", dir=real.parent)
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
            Path(made).chmod(0o666 & ~mask)
        Path(made).replace(real)
    except BaseException:
        Path(made).unlink(missing_ok=True)
        raise
