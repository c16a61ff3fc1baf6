"""Writes the output of `promptfoo eval` as a results file."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import BinaryIO

from suitecase.format.workspace_secrets import remember_configuration
from suitecase.formats.other_results import UnreadableResultsError
from suitecase.formats.promptfoo.running.outputs.naming import Survey
from suitecase.formats.promptfoo.running.outputs.reading import Head, Row, is_output, read_output
from suitecase.formats.promptfoo.running.outputs.records import record_of
from suitecase.text.taken_names import ChangedNames
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.targets.secret_variables import secrets_of

#: A setting in an error: for a program, promptfoo writes its whole environment.
_SETTING = re.compile(r"""(?<!\w)(\w++)\\*+["']:\s*+\\*+["']([^"'\\]++)""")

__all__ = ["is_output", "write_records"]


def write_records(path: Path, file: BinaryIO) -> None:
    """Write each row as a line of a results file; see `formats.other_results.ReadsResults`."""
    survey = Survey()
    rows = 0

    def look_at(row: Row) -> None:
        nonlocal rows
        rows += 1
        survey.add(row)

    head = read_output(path, look_at)
    if not rows:
        raise UnreadableResultsError(f"{path}: no results: the output of promptfoo has no rows")
    names = survey.names(head)
    redactor = _redactor(head)
    dataset = _dataset(path, head)

    changed = ChangedNames()
    seen: set[tuple[str, str]] = set()

    def write(row: Row) -> None:
        for setting in set(_SETTING.findall(str(row.get("error")))) - seen:
            seen.add(setting)
            if any(secrets_of(dict([setting]))):
                redactor.remember_environment(dict([setting]))
        fields = record_of(row, names, dataset, head.timestamp, redactor, changed)
        file.write(json.dumps(fields).encode() + b"\n")

    read_output(path, write)


def _dataset(path: Path, head: Head) -> str:
    description = head.config.get("description")
    return description if isinstance(description, str) and description.strip() else path.stem


def _redactor(head: Head) -> Redactor:
    """Return the redactor of secrets of the environment and of the configuration."""
    redactor = Redactor()
    redactor.remember_environment(os.environ)
    remember_configuration(redactor, head.config, os.environ)
    return redactor
