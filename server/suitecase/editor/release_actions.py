"""Actions on a locked suite: raising its version, and removing a case with an entry that says why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from suitecase.editor.refactoring.meaning import reread_whole
from suitecase.evidence.governed import GovernedSuite, governed
from suitecase.evidence.releases.lock_file import LockFile
from suitecase.evidence.releases.lock_state import lock_of, written_version
from suitecase.evidence.releases.versions import is_later
from suitecase.evidence.rules.deprecation_entries import entry_added
from suitecase.format.rewriting.lines import line_end, line_start
from suitecase.format.rule import Edit
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.node import Scalar, Span

_LAST_NUMBER = re.compile(r"\d{1,9}(?![^\d\n]*\d)")


def release_actions(
    suite: ParsedSuite, selection: Span, folder: Folder, path: Path
) -> Iterator[tuple[str, tuple[Edit, ...]]]:
    """Yield the titles and edits of what can be done at a selection of a suite with a lock.

    Args:
        suite: the suite.
        selection: a span of the document.
        folder: its folder.
        path: its path.
    """
    found = governed(suite, folder, path) if suite.kind == "suite" else None
    lock = lock_of(path, folder) if found is not None and found.lock is not None else None
    if found is None or not isinstance(lock, LockFile) or found.model is None:
        return
    yield from _raised(found, selection, lock)
    number = suite.document.case_at(selection.start)
    if number is not None:
        yield from _removed(found, number, lock)


def _raised(
    suite: GovernedSuite, selection: Span, lock: LockFile
) -> Iterator[tuple[str, tuple[Edit, ...]]]:
    found = _raise(suite, lock)
    if found is not None and selection.start <= found[1].span.end:
        version, edit = found
        if line_start(suite.file.document.text, edit.span.start) <= selection.end:
            yield f"Raise `version` to `{version}`", (edit,)


def _raise(suite: GovernedSuite, lock: LockFile) -> tuple[str, Edit] | None:
    """Return the next version with its edit; None unless the suite has the locked version."""
    value = suite.head.node.get("version") if suite.head.node is not None else None
    if not isinstance(value, Scalar) or value.text != lock.version:
        return None
    version = next_version(value.text)
    if version is None:
        return None
    edit = Edit(suite.head_span(value.span), f'"{version}"')
    is_read = written_version(reread_whole(suite.suite, (edit,))) == version
    return (version, edit) if is_read else None


def next_version(version: str) -> str | None:
    """Return the version after one: `2026.3` after `2026.2`; None if it has no number."""
    number = _LAST_NUMBER.search(version)
    if number is None:
        return None
    width = len(number[0])
    following = (
        version[: number.start()] + f"{int(number[0]) + 1:0{width}}" + version[number.end() :]
    )
    return following if is_later(following, version) else None


def _removed(
    suite: GovernedSuite, number: int, lock: LockFile
) -> Iterator[tuple[str, tuple[Edit, ...]]]:
    case = suite.suite.cases[number]
    if case.id is None or case.node is None or len(suite.suite.cases) < 2:
        return
    name = case.id.text
    ids = [it.id.text if it.id is not None else None for it in suite.suite.cases]
    if name not in lock.cases or ids.count(name) > 1:
        return
    fix = entry_added(suite, name, lock.version)
    if fix is None:
        return
    text = suite.suite.document.text
    span = suite.case_span(number, case.node.span)
    end = line_end(text, span.end) if text[span.end - 1] != "\n" else span.end
    raised = _raise(suite, lock)
    if raised is None and written_version(suite.suite) == lock.version:
        return
    edits = (*fix.edits, Edit(Span(line_start(text, span.start), end), ""))
    title = f"Remove `{name}`, with an entry under `governance.deprecated`"
    if raised is not None:
        edits = (raised[1], *edits)
        title += f", and raise `version` to `{raised[0]}`"
    after = reread_whole(suite.suite, edits)
    model = after.head.model
    entries = (model.governance.deprecated if model and model.governance else None) or []
    del ids[number]
    kept = [it.id.text if it.id is not None else None for it in after.cases] == ids
    if kept and any(entry.id == name for entry in entries):
        yield title, edits
