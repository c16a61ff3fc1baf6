"""Targets files in today's spelling."""

from __future__ import annotations

from suitecase.suite.spelling.notes import Notes
from suitecase.suite.spelling.respelling import Respelling
from suitecase.suite.spelling.tree import each, inside, text_of
from suitecase.syntax.node import Mapping

_KEYS = {"grader_target": "judge_target"}
#: What a command line had for a name in newer formats.
_CLI_KEYS = {**_KEYS, "command": "command_template"}


class TargetSpeller:
    """Rewrites the targets of a file, noting what it did."""

    def __init__(self) -> None:
        self._notes = Notes()

    @property
    def respelled(self) -> list[Respelling]:
        """What was respelled, in the order it was found."""
        return self._notes.respelled

    def targets(self, root: Mapping) -> Mapping:
        """Rewrite a targets file."""
        return inside(root, "targets", lambda listed: each(listed, self._target))

    def _target(self, target: Mapping) -> Mapping:
        keys = _CLI_KEYS if text_of(target.get("provider")) == "cli" else _KEYS
        return self._notes.keys(target, keys, "a target")
