"""The cases that a targets file may have answers for."""

from __future__ import annotations

from suitecase.ide.index.occurrence import Kind
from suitecase.ide.index.summary import Summary
from suitecase.ide.navigation.workspace_view import WorkspaceView


def answered_cases(surroundings: WorkspaceView, targets: Summary) -> tuple[str, ...]:
    """Return the ids of the cases whose suites take their targets from a file, each once.

    Raises:
        GivenUpError: nobody waits for the answer any more.
    """
    ids: dict[str, None] = {}
    for summary in surroundings.all():
        if summary.kind in ("suite", "dataset") and (
            surroundings.targets_for(summary) == targets.path
        ):
            cases = (it.occurrence for it in summary if it.occurrence.kind is Kind.CASE)
            ids.update(dict.fromkeys(it.name for it in cases if it.defines))
    return tuple(ids)
