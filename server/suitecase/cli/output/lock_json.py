"""What `suitecase lock` prints for programs."""

from __future__ import annotations

from typing import Any

from suitecase.cli.output.printing import json_text
from suitecase.cli.releases.locking import Outcome
from suitecase.cli.shown_paths import shown_path
from suitecase.evidence.releases.differences import Difference


def lock_json(outcome: Outcome) -> str:
    """Return what was locked, or why not, as JSON."""
    lock, before = outcome.lock, outcome.before
    since = None
    if before is not None:
        since = {
            "version": before.lock.version,
            "changed": [{"id": it.id, "parts": list(it.changed)} for it in before.cases],
            "added": [case_id for _, case_id in before.added],
            "removed": list(before.removed),
            "undocumented": list(before.undocumented),
            "keys": list(before.keys),
            "files": list(before.files),
            "judges": [it.name for it in before.judges],
        }
    result: dict[str, Any] = {
        "suite": shown_path(outcome.path),
        "lock": shown_path(outcome.lock_path),
        "dataset": lock.dataset,
        "version": lock.version,
        "current": outcome.written or outcome.is_current,
        "written": outcome.written,
        "cases": len(lock.cases),
        "since": since,
        "differences": [_difference(outcome, it) for it in outcome.differences],
    }
    return json_text(result, indent=2)


def _difference(outcome: Outcome, difference: Difference) -> dict[str, Any]:
    path, line = outcome.place(difference)
    return {
        "kind": difference.kind,
        "name": difference.name,
        "parts": list(difference.parts),
        "file": shown_path(path),
        "line": line,
        "message": difference.message,
    }
