"""The figures of a file that is checked: a data set's are checked with its sidecar."""

from __future__ import annotations

from pathlib import Path

from suitecase.figures.gates.grading import head_grading, profile_of
from suitecase.figures.gates.names import SuiteFigures, has_figures, suite_figures
from suitecase.format.reading import dataset_with
from suitecase.format.workspace import Workspace
from suitecase.formats.suitecase.parsed import ParsedSuite


def figures_to_check(
    suite: ParsedSuite, workspace: Workspace, path: Path | None
) -> SuiteFigures | None:
    """Return the figures that the file of a suite defines; None if it defines none.

    Args:
        suite: the file: a suite, a data set or a sidecar.
        workspace: reads the data set of a sidecar.
        path: the path of the file.
    """
    if suite.kind == "dataset" or not has_figures(suite):
        return None
    if suite.kind == "suite":
        return suite_figures(suite)
    cases = dataset_with(path, suite.document.text, workspace) if path is not None else None
    if cases is None:
        return None
    profiles = cases.case_index.values(profile_of)
    return SuiteFigures(suite.head, head_grading(suite.head, appends=cases.appends), profiles)
