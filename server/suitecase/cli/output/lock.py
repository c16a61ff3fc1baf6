"""What `suitecase lock` prints, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from suitecase.cli.output.printing import json_text
from suitecase.cli.releases.locking import Outcome
from suitecase.cli.shown_paths import shown_path
from suitecase.evidence.releases.differences import Difference, summary
from suitecase.text.plural import counted


def lock_text(outcome: Outcome) -> Iterator[str]:
    """Yield the lines that say what was locked, or why not."""
    lock, before = outcome.lock, outcome.before
    shown = shown_path(outcome.lock_path)
    for difference in outcome.differences:
        path, line = outcome.place(difference)
        yield f"{shown_path(path)}:{line}: {difference.message}"
    locked = before.lock.version if before is not None else None
    if outcome.differences:
        what = counted(len(outcome.differences), "difference")
        yield f"{what} from version {locked}; {shown} is unchanged"
    elif outcome.written:
        since = summary(before) if before is not None and not before.is_current else ""
        yield f"{_content(outcome)}{f'. Since {locked}: {since}' if since else ''}"
        yield f"Written: {shown}"
    elif before is not None and not before.is_current:
        yield f"{lock.dataset} {lock.version} is not locked: {shown} is of {locked}" + (
            f". Since then: {it}" if (it := summary(before)) else ""
        )
    else:
        yield f"{_content(outcome)}: as locked in {shown}"


def _content(outcome: Outcome) -> str:
    lock = outcome.lock
    parts = [counted(len(lock.cases), "case")]
    for listed, noun in ((lock.graders, "evaluator"), (lock.judges, "judge"), (lock.files, "file")):
        if listed:
            parts.append(counted(len(listed), noun))
    return f"{lock.dataset} {lock.version}: {', '.join(parts)}"


def lock_json(outcome: Outcome) -> str:
    """Return what was locked, or why not, as JSON."""
    lock, before = outcome.lock, outcome.before
    since = None
    if before is not None:
        since = {
            "version": before.lock.version,
            "changed": [{"id": case.id, "parts": list(case.changed)} for case in before.cases],
            "added": [case_id for _, case_id in before.added],
            "removed": list(before.removed),
            "undocumented": list(before.undocumented),
            "keys": list(before.keys),
            "files": list(before.files),
            "judges": [judge.name for judge in before.judges],
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
        "differences": [_difference(outcome, difference) for difference in outcome.differences],
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
