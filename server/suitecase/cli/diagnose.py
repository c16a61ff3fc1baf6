"""`suitecase diagnose`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import click

from suitecase.cli import EXIT_OK
from suitecase.cli.options import PathArgument, SingleValueCommand, text_or_json
from suitecase.cli.output.printing import json_text
from suitecase.cli.output.terminal import echo


@click.command("diagnose", cls=SingleValueCommand)
@click.argument(
    "folder",
    metavar="[FOLDER]",
    type=PathArgument(exists=True, file_okay=False),
    default=Path(),
)
@text_or_json
def command(folder: Path, form: Literal["text", "json"]) -> int:
    """Print what a bug report needs: versions, the system, and numbers about the suites in a folder.

    It has no text of a suite, no path, no name of a case or target, and no value of a variable. Nothing is
    sent anywhere, no model is called and no program is started. FOLDER is checked as `suitecase check` does.
    Default: the working directory.

    Exit codes: 0, or 4 for a bug in suitecase.
    """
    facts = _facts(folder)
    if form == "json":
        echo(json_text({"schema_version": 1, **facts}, indent=2))
    else:
        for line in _lines(facts):
            echo(line)
    return EXIT_OK


def _facts(folder: Path) -> dict[str, Any]:
    from suitecase.cli.diagnosis import installation
    from suitecase.cli.diagnosis.workspace import workspace_facts

    workspace = workspace_facts(folder)
    return {
        "system": installation.system(),
        "packages": installation.packages(),
        "evaluator_packages": installation.evaluator_packages(),
        "variables_set": installation.variables(),
        "files": dict(workspace.files.most_common()),
        "cases": workspace.cases,
        "configurations": workspace.configurations,
        "providers_of_targets": dict(workspace.providers.most_common()),
        "findings": dict(workspace.findings.most_common()),
        "unread_files": dict(workspace.unread.most_common()),
        "failed_rules": dict(workspace.bugs.most_common()),
    }


def _lines(facts: Mapping[str, Any]) -> Iterable[str]:
    """Yield the facts as YAML, which reads well in an issue."""
    for name, value in facts.items():
        title = name.replace("_", " ")
        if isinstance(value, dict) and value:
            yield f"{title}:"
            yield from (f"  {key}: {it}" for key, it in value.items())
        elif isinstance(value, list) and value:
            yield f"{title}: {', '.join(value)}"
        else:
            yield f"{title}: {value or 'none'}"
