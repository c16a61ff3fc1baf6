"""Finding suites in folders, by their names and by what is in them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from suitecase.suite.model import CASE_LIST_KEYS

NAMED = (".eval.yaml", ".eval.yml")
_YAML = (".yaml", ".yml")
#: Folders that hold other people's files, or none a person wrote.
_SKIPPED = frozenset({"node_modules", "__pycache__", "venv", "site-packages", "dist", "build"})

_KEY = re.compile(rf"^(?:{'|'.join(CASE_LIST_KEYS)})[ \t]*:".encode(), re.MULTILINE)
#: What the first item of a list of cases has among its keys. Other YAML has lists of `tests` too.
_CASE_KEY = re.compile(
    rb"^[ ]*(?:-[ ]+)?(?:id|input|input_messages|messages|expected_outcome|outcome|criteria)[ \t]*:",
    re.MULTILINE,
)


def suites_in(folder: Path) -> Iterator[Path]:
    """Yield the suites of a folder and those below it, in the order of their paths.

    A suite is a file named `*.eval.yaml` or `*.eval.yml`, or any YAML file with a list of cases at
    its top. Folders whose name starts with a dot are left out.
    """
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(it for it in folders if not it.startswith(".") and it not in _SKIPPED)
        for name in sorted(files):
            path = Path(place, name)
            if name.endswith(NAMED) or (name.endswith(_YAML) and _holds_cases(path)):
                yield path


def is_suite_name(name: str) -> bool:
    """Whether a file is a suite by its name alone."""
    return name.endswith(NAMED)


def _holds_cases(path: Path) -> bool:
    try:
        content = path.read_bytes()
    except OSError:
        return False
    key = _KEY.search(content)
    if key is None:
        return False
    return key.group().startswith(b"evalcases") or bool(_CASE_KEY.search(content, key.end()))
