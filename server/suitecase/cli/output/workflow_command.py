"""Workflow commands of GitHub Actions: a line of output that the runner shows as an annotation.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from suitecase.cli.runner_log import of_ours
from suitecase.format.rule import Severity
from suitecase.text.encoders.visible import visible

Command = Literal["error", "warning", "notice"]
#: What findings and marks are shown as.
COMMANDS: dict[Severity, Command] = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "notice",
}


def workflow_command(command: Command, message: str, properties: Mapping[str, str]) -> str:
    """Return the line of a command; properties are such as `file`, `line` and `title`."""
    parameters = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return of_ours(f"::{command}{' ' if parameters else ''}{parameters}::{_data(message)}")


def _data(text: str) -> str:
    return visible(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
