"""Why a file is not written. Each is an `OSError`, whose `strerror` completes "it cannot be written: ..."."""

from __future__ import annotations

import errno
from pathlib import Path


class NotWrittenError(OSError):
    """A file is left as it is."""

    def __init__(self, reason: str, path: Path) -> None:
        super().__init__(errno.EPERM, reason, str(path))

    @property
    def reason(self) -> str:
        return str(self.strerror)


class LeadsOutError(NotWrittenError):
    """A link leads out of the folder in which the file has to stay."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            "a link leads out of the workspace, so nothing is written through it", path
        )


class ChangedMeanwhileError(NotWrittenError):
    """The file is not what was read: somebody else has changed, made or removed it since."""

    def __init__(self, path: Path) -> None:
        super().__init__("it was changed meanwhile, and is left as it is", path)
