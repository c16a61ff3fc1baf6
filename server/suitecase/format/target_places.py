"""Where targets files are."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from suitecase.format.workspace import Workspace
from suitecase_evaluators.system.path_kinds import may_be_file

#: Searched in each folder from the suite's up to the root of the workspace; the first one counts.
PLACES = (
    "targets.yaml",
    "targets.yml",
    ".suitecase/targets.yaml",
    ".suitecase/targets.yml",
    ".agentv/targets.yaml",
    ".agentv/targets.yml",
)
#: The same for the providers of AgentV.
PROVIDER_PLACES = (".agentv/providers.yaml", ".agentv/providers.yml")


def is_targets_file(path: Path) -> bool:
    """Whether a file has the name of a targets file, which searches for suites find, too."""
    return path.name in {Path(place).name for place in PLACES}


def first_of(places: Iterable[str], workspace: Workspace, folder: Path) -> Path | None:
    """Return the first file that is at one of some places in a folder, or else in one above it.

    One that nobody may look at counts: reading it says so, and another one must not take its place.
    """
    for up in workspace.folders_up(folder):
        for place in places:
            if may_be_file(up / place):
                return up / place
    return None
