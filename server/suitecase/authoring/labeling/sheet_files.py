"""The files with sheets for raters, as texts by name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from suitecase.authoring.labeling.argilla import argilla_records
from suitecase.authoring.labeling.csv_sheet import csv_sheet
from suitecase.authoring.labeling.label_studio import label_studio_config, label_studio_tasks
from suitecase.authoring.labeling.sheets import SheetRow

SheetFormat = Literal["csv", "label-studio", "argilla"]

#: The order of the rows of a file that all raters of a project share.
EVERYBODY = ""
_NOT_IN_NAMES = re.compile(r"[^\w.@+-]+")


def sheet_files(
    sheets: Mapping[str, Sequence[SheetRow]],
    evaluator: str,
    form: SheetFormat,
    *,
    adjudicates: bool = False,
) -> dict[str, str]:
    """Return the files with the sheets of an evaluator.

    Args:
        sheets: the rows for each rater; those of `EVERYBODY` are in a file that names no rater.
        evaluator: its name.
        form: the format.
        adjudicates: whether the sheets are for people who adjudicate.
    """
    stem = file_name(evaluator) + (".adjudication" if adjudicates else "")
    files: dict[str, str] = {}
    for rater, rows in sheets.items():
        name = f"{stem}.{file_name(rater)}" if rater else stem
        match form:
            case "csv":
                files[f"{name}.csv"] = csv_sheet(rows, rater, adjudicates=adjudicates)
            case "label-studio":
                files[f"{name}.label-studio.json"] = label_studio_tasks(rows)
                files[f"{stem}.label-studio.xml"] = label_studio_config(rows)
            case "argilla":
                files[f"{name}.argilla.json"] = argilla_records(rows)
    return files


def file_name(name: str) -> str:
    """Return a part of a file name for a name, the same for the same name on every system."""
    return _NOT_IN_NAMES.sub("-", name).strip(".") or "-"
