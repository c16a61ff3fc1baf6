"""Records as they leave the worker: without secrets, and JSON that any parser reads."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

from suitecase.format.workspace_secrets import WorkspaceSecrets
from suitecase.run.record_model import RecordModel, RecordPart
from suitecase.text.taken_names import ChangedNames, kept_apart
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.record_file import LineFilter
from suitecase_evaluators.targets.redactor import Redactor

#: Fields with names and identifiers, by which results are found again. Those of our own runs come from the
#: suite and the targets file, which are not searched for secrets.
_IDENTIFYING = frozenset(
    {
        "schema_version",
        "timestamp",
        "suite_path",
        "dataset",
        "eval_id",
        "case_hash",
        "effective_hash",
        "judge_hash",
        "question_hash",
        "expected_hash",
        "grading_hash",
        "target",
        "name",
        "type",
        "verdict",
        "sandbox",
    }
)
#: The fields of a record that are not redacted as a whole: each evaluator's result has identifiers too.
_NOT_AS_A_WHOLE = _IDENTIFYING | {"evaluator_results"}

#: The suite of a record, in a line of a results file.
_SUITE = re.compile(rb'"suite_path"\s*:\s*"[^"]*"')


def recorded(record: RecordModel, redact: Redactor) -> ResultRecord:
    """Return a record as it leaves the worker: without secrets, and JSON that any parser reads.

    Half surrogates are replaced, and numbers that are not finite are null.
    """
    # Its values are dumped as they are cleaned. Pydantic's mode for JSON breaks at half surrogates.
    return ResultRecord(_clean_record(record.__dict__, redact))


def recorded_elsewhere(record: ResultRecord, redact: Redactor) -> ResultRecord:
    """Return a record from another machine without the secrets of this one."""
    return ResultRecord(_clean_record(record.fields, redact))


def without_secrets_here(*places: Path, names: ChangedNames | None = None) -> LineFilter:
    """Return what removes the secrets of a workspace from lines of results files.

    A run has done that with its own secrets, and results that were made elsewhere may have those of here,
    in names, too. What no record can be made of is an empty line then.

    Args:
        places: the results files, or folders with some.
        names: the names that had secrets so far, where several files are read one by one that are
            compared.
    """
    names = names or ChangedNames()
    secrets = WorkspaceSecrets(*places)
    redact = secrets.redact
    suites: set[bytes] = set()

    def shown(line: bytes) -> bytes:
        suite = _SUITE.search(line)
        if suite is not None and suite[0] not in suites:
            suites.add(suite[0])
            record = ResultRecord.parse(line)
            if record is not None and record.suite_path:
                secrets.add_suite(record.suite_path)
        text = line.decode(errors="replace")
        if not redact.spans(text):
            return line
        record = ResultRecord.parse(line)
        if record is None:
            return line
        try:
            return ResultRecord(_clean_record(record.fields, redact, names)).line()
        except (ValueError, RecursionError):
            return b"\n"

    return shown


def _clean_record(
    fields: Mapping[str, Any], redact: Redactor, names: ChangedNames | None = None
) -> dict[str, Any]:
    """Return the fields of a record without secrets.

    Args:
        names: those that had secrets so far; None where the names are those of a suite of here.
    """
    clean = _clean_fields(fields, redact, _NOT_AS_A_WHOLE)
    row = fields.get("row")
    if "evaluator_results" in fields:
        clean["evaluator_results"] = _clean_results(
            fields["evaluator_results"], redact, names, of_row=bool(row)
        )
    if names is not None:
        clean |= _clean_names(fields, redact, names)
        if isinstance(row, Mapping) and isinstance(case := row.get("case"), str):
            # Targets are compared by it.
            clean["row"]["case"] = names.shown(case, cleaned_value(case, redact))
    return clean


def _clean_names(
    fields: Mapping[str, Any], redact: Redactor, names: ChangedNames
) -> dict[str, Any]:
    return {
        name: names.shown(value, redact.name(value))
        if isinstance(value, str)
        else cleaned_value(value, redact)
        for name, value in fields.items()
        if name in _IDENTIFYING
    }


def _clean_results(
    results: Any, redact: Redactor, names: ChangedNames | None, *, of_row: bool
) -> Any:
    if not isinstance(results, list | tuple):  # of another tool
        return cleaned_value(results, redact)
    own = names or ChangedNames()
    found = []
    for result in results:
        if not isinstance(result, RecordPart | Mapping):
            found.append(cleaned_value(result, redact))
            continue
        fields = result.__dict__ if isinstance(result, RecordPart) else result
        clean = _clean_fields(fields, redact, _IDENTIFYING)
        if names is not None:
            clean |= _clean_names(fields, redact, names)
        # In suites of other tools, it is a template, and may be filled in with anything.
        if of_row and isinstance(name := fields.get("name"), str):
            clean["name"] = own.shown(name, cleaned_value(name, redact))
        found.append(clean)
    return found


def cleaned(fields: Mapping[str, Any], redact: Redactor) -> dict[str, Any]:
    """Return JSON values as `recorded` has them: without secrets, and readable by any parser."""
    return {name: cleaned_value(value, redact) for name, value in fields.items()}


def _clean_fields(
    fields: Mapping[str, Any], redact: Redactor, kept: AbstractSet[str]
) -> dict[str, Any]:
    return {
        # Most fields of a record are null, and nearly all others short: they are not worth a call.
        name: value
        if value is None or type(value) is bool or name in kept
        else cleaned_value(value, redact)
        for name, value in fields.items()
    }


def _clean_object(value: Mapping[Any, Any], redact: Redactor) -> dict[str, Any]:
    names: dict[Any, str] = {it: cleaned_value(str(it), redact) for it in value}
    clean = {names[name]: cleaned_value(it, redact) for name, it in value.items()}
    if len(clean) == len(value):
        return clean
    # Keys that have become alike: none of their values is lost.
    names = kept_apart({str(it): name for it, name in names.items()})
    return {names[str(name)]: cleaned_value(it, redact) for name, it in value.items()}


def cleaned_value(value: Any, redact: Redactor) -> Any:
    """Return a JSON value as `recorded` has it."""
    # Most values are of these types; patterns take several times as long.
    kind = type(value)
    if kind is str:
        text = redact(value)
        return text if text.isascii() else text.encode(errors="replace").decode()
    if value is None or kind is bool:
        return value
    if kind is int:
        return redact.number(value)
    if kind is dict:
        return _clean_object(value, redact) if value else {}
    if kind is list:
        return [cleaned_value(it, redact) for it in value] if value else []
    match value:
        case str():
            return redact(value).encode(errors="replace").decode()
        case float():
            return redact.number(value) if math.isfinite(value) else None
        case Mapping():
            return _clean_object(value, redact)
        case list() | tuple():
            return [cleaned_value(it, redact) for it in value]
        case RecordPart():
            return _clean_fields(value.__dict__, redact, frozenset())
        case _:
            return value
