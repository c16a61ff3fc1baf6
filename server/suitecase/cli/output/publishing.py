"""What `suitecase publish` says."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from suitecase.authoring.releasing.condition import Condition, exit_code_of
from suitecase.authoring.releasing.release import Release
from suitecase.cli.output.printing import json_text
from suitecase.cli.shown_paths import shown_path
from suitecase.text.encoders.terminal import Block, encoded_line
from suitecase.text.plural import counted

SCHEMA_VERSION = 1
#: The column in which reasons start, and the width of a line that has its place behind them.
_KIND = 11


def published_text(
    release: Release,
    conditions: Sequence[Condition],
    folder: Path | None,
    files: Sequence[str],
    *,
    draft: bool,
) -> Block:
    """Return the outcome for people."""
    lines: list[str] = []
    if folder is not None:
        what = "Draft" if draft else "Published"
        lines.append(
            f"{what}: {shown_path(folder)}/ ({release.name}, {counted(len(files), 'file')})"
        )
        if conditions:
            lines.append(f"It is marked as a draft, for {_reasons(conditions)}:")
    else:
        lines.append(f"Not published, for {_reasons(conditions)}:")
    for condition in conditions:
        undecided = " (undecided)" if condition.undecided else ""
        lines.append(f"  {condition.kind:<{_KIND}}{condition.text}{undecided}")
        lines.append(f"  {'':<{_KIND}}{_place(condition)}")
    if folder is None:
        lines.append("`--draft` writes the bundle all the same, marked as a draft on each page.")
    return Block("\n".join(map(encoded_line, lines)))


def published_json(
    release: Release,
    conditions: Sequence[Condition],
    folder: Path | None,
    files: Sequence[str],
    *,
    draft: bool,
) -> str:
    """Return the outcome for programs."""
    found: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "results": shown_path(release.run.path),
        "suite": release.asked.suite_path,
        "dataset": release.asked.dataset,
        "version": release.version,
        "folder": None if folder is None else shown_path(folder),
        "files": list(files),
        "draft": draft,
        "conditions": [
            {
                "kind": condition.kind.value,
                "text": condition.text,
                "file": shown_path(condition.path),
                "line": condition.line,
                "undecided": condition.undecided,
            }
            for condition in conditions
        ],
        "exit_code": 0 if folder is not None else exit_code_of(conditions),
    }
    return json_text(found, indent=2)


def _reasons(conditions: Sequence[Condition]) -> str:
    return counted(len(conditions), "reason")


def _place(condition: Condition) -> str:
    line = "" if condition.line is None else f":{condition.line}"
    return f"{shown_path(condition.path)}{line}"
