"""Where targets files are."""

from __future__ import annotations

#: Searched in each folder from the suite's up to the root of the workspace; the first one counts.
PLACES = (
    "targets.yaml",
    "targets.yml",
    ".suitecase/targets.yaml",
    ".suitecase/targets.yml",
    ".agentv/targets.yaml",
    ".agentv/targets.yml",
)
