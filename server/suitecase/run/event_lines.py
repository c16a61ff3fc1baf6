"""The events of a run as lines of JSON, which a worker writes and its client reads."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from suitecase.run.protocol import (
    CaseFinished,
    CaseKept,
    CaseNotRun,
    CaseStarted,
    Estimated,
    Event,
    Failed,
    Finished,
    GatesDecided,
    RateLimited,
    Refused,
    Started,
    Warned,
)
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.text.written_number import encoded

_EVENTS: dict[str, type[Event]] = {
    "case_not_run": CaseNotRun,
    "started": Started,
    "case_started": CaseStarted,
    "case_finished": CaseFinished,
    "case_kept": CaseKept,
    "gates_decided": GatesDecided,
    "warned": Warned,
    "rate_limited": RateLimited,
    "finished": Finished,
    "estimated": Estimated,
    "refused": Refused,
    "failed": Failed,
}


def event_line(event: Event, run_id: int) -> bytes:
    """Return an event as a line of JSON; a record in it is the line that a results file has."""
    if isinstance(event, CaseFinished | CaseKept):
        try:
            record = event.record.line().rstrip(b"\n")
        except ValueError:  # NaN, in a record of another tool
            record = encoded(event.record.fields).encode()
        seconds = event.seconds if isinstance(event, CaseFinished) else None
        took = b"" if seconds is None else b', "seconds": %.6f' % seconds
        name = event.event.encode()
        return b'{"id": %d, "event": "%b"%b, "record": %b}\n' % (run_id, name, took, record)
    if isinstance(event, CaseStarted):  # there are as many as of records
        case = json.dumps(event.case).encode()
        return b'{"id": %d, "case": %b, "repeat": %d, "event": "case_started"}\n' % (
            run_id,
            case,
            event.repeat,
        )
    values = {field.name: getattr(event, field.name) for field in fields(event)}
    return json.dumps({"id": run_id, **values}).encode() + b"\n"


def event_from_json(line: dict[str, Any]) -> Event:
    """Return the event of a line.

    Raises:
        ValueError: it is not an event, such as one of a different version.
    """
    values = {key: value for key, value in line.items() if key != "id"}
    kind = _EVENTS.get(str(values.get("event")))
    if kind is None:
        raise ValueError(f"not an event: {str(line)[:200]}")
    for name in ("cases", "notes", "files"):
        if name in values:
            values[name] = tuple(values[name])
    if isinstance(values.get("record"), dict):
        values["record"] = ResultRecord(values["record"])
    try:
        return kind(**values)
    except TypeError as error:
        raise ValueError(str(error)) from error
