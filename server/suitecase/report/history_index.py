"""The index of a results folder: what each file says about its run, so that it need not be read."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from suitecase.report.past_run import PastRun
from suitecase.text.writing.files import ANYTHING, Change, write_file
from suitecase_evaluators.answers.records.status import Status

#: Another version of the index is not read. Raise it if `PastRun` gets other fields, or if what is
#: counted or said changes.
VERSION = 3
NAME = ".history.json"
#: A larger file is not an index of ours.
_LARGEST = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """What is known about a file: its run, or why it is not one.

    Attributes:
        size: of the file that was read, in bytes; -1 if it could not be read.
        modified: when that file was modified, in nanoseconds.
    """

    size: int = -1
    modified: int = -1
    run: PastRun | None = None
    why: str = ""

    def is_of(self, status: os.stat_result) -> bool:
        """Whether the file is still the one that was read."""
        return (self.size, self.modified) == (status.st_size, status.st_mtime_ns)


def read_index(folder: Path) -> dict[str, IndexedFile]:
    """Return the known files of a folder by name; none if the index is missing or unusable."""
    path = folder / NAME
    try:
        if path.stat().st_size > _LARGEST:
            return {}
        whole = json.loads(path.read_bytes())
        if whole["version"] != VERSION:
            return {}
        return {name: _read(folder / name, it) for name, it in whole["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def write_index(folder: Path, files: Mapping[str, IndexedFile]) -> None:
    """Write the index of a folder, if that is possible: without it, files are read again."""
    whole = {"version": VERSION, "files": {name: _written(it) for name, it in files.items()}}
    path = folder / NAME
    content = json.dumps(whole, ensure_ascii=True).encode()
    with suppress(OSError):
        write_file(Change(path=path, content=content, before=ANYTHING, within=folder))


def _written(file: IndexedFile) -> dict[str, Any]:
    run = None
    if file.run is not None:
        run = {it.name: getattr(file.run, it.name) for it in fields(PastRun)}
        del run["path"], run["live"]
        for name in ("began", "ended"):
            run[name] = run[name].isoformat() if run[name] else None
    return {"size": file.size, "modified": file.modified, "run": run, "why": file.why}


def _read(path: Path, file: Mapping[str, Any]) -> IndexedFile:
    run = file["run"]
    return IndexedFile(
        size=int(file["size"]),
        modified=int(file["modified"]),
        run=None if run is None else _read_run(path, run),
        why=str(file["why"]),
    )


def _read_run(path: Path, run: Mapping[str, Any]) -> PastRun:
    """Return a run as it was written.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: somebody else has written it.
    """
    return PastRun(
        path=path,
        suites=_names(run["suites"]),
        datasets=_names(run["datasets"]),
        targets=_names(run["targets"]),
        models=_names(run["models"]),
        began=_moment(run["began"]),
        ended=_moment(run["ended"]),
        cases=int(run["cases"]),
        answers=int(run["answers"]),
        planned=None if run["planned"] is None else int(run["planned"]),
        statuses={Status(name): int(number) for name, number in run["statuses"].items()},
        mean_score=_number(run["mean_score"]),
        cost_usd=_number(run["cost_usd"]),
        remark=None if run["remark"] is None else str(run["remark"]),
        no_model=bool(run["no_model"]),
        independent=bool(run["independent"]),
        case_ids=str(run["case_ids"]),
        case_texts=str(run["case_texts"]),
        inputs=str(run["inputs"]),
        truncated=bool(run["truncated"]),
        run_id=None if run["run_id"] is None else str(run["run_id"]),
    )


def _names(values: Any) -> tuple[str, ...]:
    return tuple(str(it) for it in values)


def _moment(value: Any) -> datetime | None:
    return None if value is None else datetime.fromisoformat(value)


def _number(value: Any) -> float | None:
    return None if value is None else float(value)
