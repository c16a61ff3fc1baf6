"""Whether a path is a file or a folder; False if the system reports an error.

The methods of `Path` raise for a name that is too long, or a folder that may not be entered.
"""

from __future__ import annotations

import os
from pathlib import Path


def is_file(path: Path) -> bool:
    """Whether the path is a file."""
    return os.path.isfile(path)  # noqa: PTH113 - see above


def is_folder(path: Path) -> bool:
    """Whether the path is a folder."""
    return os.path.isdir(path)  # noqa: PTH112 - see above


def is_there(path: Path) -> bool:
    """Whether the path exists."""
    return os.path.exists(path)  # noqa: PTH110 - see above
