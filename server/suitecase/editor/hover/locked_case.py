"""What a hover on the id of a case says about the lock of the suite."""

from __future__ import annotations

from pathlib import Path

from suitecase.editor.markdown import code
from suitecase.evidence.governed import governed
from suitecase.evidence.releases.lock_state import lock_state
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.parsed import ParsedSuite


def locked_case_text(case_id: str, suite: ParsedSuite, folder: Folder, path: Path) -> str | None:
    """Return whether a case is the one that is locked; None if the suite has no lock.

    Args:
        case_id: the id of the case.
        suite: the file with the case.
        folder: its folder.
        path: its path.
    """
    found = governed(suite, folder, path)
    if found is None or found.lock is None or not found.has_cases:
        return None
    state = lock_state(found.suite, path, folder)
    if state is None:
        return None
    locked = state.lock.cases.get(case_id)
    version = code(state.lock.version)
    if locked is None:
        return f"Version {version} does not have this case."
    digests = ", ".join(
        f"{name} {code(it)}"
        for name, it in (
            ("question", locked.question),
            ("expected", locked.expected),
            ("grading", locked.grading),
        )
    )
    drift = next((case for case in state.cases if case.id == case_id), None)
    if drift is None:
        return f"Locked in version {version}: {digests}."
    return (
        f"Not the case that version {version} locked: {drift.in_words} changed. Locked: {digests}."
    )
