"""What files with the evals of an Agent Skill are called."""

from __future__ import annotations

#: Names of such files; a name with a folder is that of a file in it.
NAMES = ("evals/evals.json",)
