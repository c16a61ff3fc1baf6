"""What lies at a path that somebody else wrote; where the system will not say, nothing does.

The methods of `Path` raise for a name that is too long, or a folder that may not be entered.
"""

from __future__ import annotations

import os
from pathlib import Path


def is_file(path: Path) -> bool:
    """Whether a file lies there."""
    return os.path.isfile(path)  # noqa: PTH113 - see above


def is_folder(path: Path) -> bool:
    """Whether a folder lies there."""
    return os.path.isdir(path)  # noqa: PTH112 - see above


def is_there(path: Path) -> bool:
    """Whether anything lies there."""
    return os.path.exists(path)  # noqa: PTH110 - see above
