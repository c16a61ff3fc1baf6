"""What `suitecase lock` prints for people."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.cli.releases.locking import Outcome
from suitecase.cli.shown_paths import shown_path
from suitecase.evidence.releases.differences import summary
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
