"""Where targets files are."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from suitecase.suite.path_kinds import is_file
from suitecase.suite.workspace import Workspace

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


def first_of(places: Iterable[str], workspace: Workspace, folder: Path) -> Path | None:
    """Return the first file that is at one of some places in a folder, or else in one above it."""
    for up in workspace.folders_up(folder):
        for place in places:
            if is_file(up / place):
                return up / place
    return None
