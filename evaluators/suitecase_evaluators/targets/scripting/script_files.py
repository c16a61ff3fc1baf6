"""References to scripts in place of a value: `file://checks/tone.py:is_polite`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from suitecase_evaluators.system.path_kinds import FILE_SCHEME, real_path
from suitecase_evaluators.targets.scripting.call import Language, Place

_JAVASCRIPT: Final = re.compile(r"\.[cm]?[jt]s\Z", re.IGNORECASE)
_PYTHON: Final = ".py"


@dataclass(frozen=True, slots=True)
class ScriptFile:
    """A script, and the function that the reference names."""

    path: str
    function: str | None
    language: Language

    def place(self, folder: Path, environment: Mapping[str, str]) -> Place:
        """Return the process that runs it.

        Args:
            folder: the folder of the configuration, which its path is relative to.
            environment: the variables that the configuration sets.
        """
        return Place(
            language=self.language,
            folder=folder,
            script=real_path(folder / self.path),
            environment=environment,
        )


def script_file(reference: str) -> ScriptFile | None:
    """Return the script that a reference names; None if it names no script that can be run."""
    if not reference.startswith(FILE_SCHEME):
        return None
    written = reference.removeprefix(FILE_SCHEME)
    path, _, function = written.partition(":")
    language = language_of(path)
    return None if language is None else ScriptFile(path, function or None, language)


def language_of(path: str) -> Language | None:
    """Return the language of a script by its extension; None if it is another one."""
    if _JAVASCRIPT.search(path):
        return "javascript"
    return "python" if path.endswith(_PYTHON) else None
