"""Links that lead out of the workspace, told where they may have been meant for suites."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from suitecase.cli.findings import shown_path

_MOST_NAMED = 5


def links_passed_over(links: Sequence[Path]) -> str:
    """Return a line that says which links were not read."""
    names = ", ".join(shown_path(it) for it in links[:_MOST_NAMED])
    more = f" and {len(links) - _MOST_NAMED} more" if len(links) > _MOST_NAMED else ""
    what = "1 link leads" if len(links) == 1 else f"{len(links)} links lead"
    verb = "is" if len(links) == 1 else "are"
    return f"{what} out of the workspace and {verb} not read: {names}{more}"
