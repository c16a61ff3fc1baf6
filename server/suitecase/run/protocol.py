"""What goes between a worker process and whoever started it: a JSON object a line, both ways.

The starter writes requests to the worker's standard input::

    {"request": "run", "id": 1, "suite_path": ..., "workspace_root": ..., "text": ..., ...}
    {"request": "cancel", "id": 1}
    {"request": "stop"}

The worker writes events to its standard output, each with the id of the run it belongs to. For
each run there is exactly one last event: `finished`, `refused` or `failed`. A run that is
cancelled finishes; cases that were not graded are named in the summary. End of input means stop.
Nothing else is ever written to the worker's standard output; its standard error is for people.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """What to run.

    Attributes:
        suite_path: absolute path of the suite; file references resolve from its folder.
        workspace_root: absolute path of the workspace's root.
        text: the suite's text where it is not what the file holds; an editor's unsaved buffer.
        cases: the ids of the cases to run; None for all.
        target: asks this target instead of the one the suite names.
        results_path: absolute path of a file that records are appended to, or of a folder (it is
            one, or the path ends with a slash) in which a file named after the suite and the time
            is made; None writes none.
    """

    suite_path: str
    workspace_root: str
    text: str | None = None
    cases: tuple[str, ...] | None = None
    target: str | None = None
    results_path: str | None = None

    def to_json(self, run_id: int) -> dict[str, Any]:
        return {"request": "run", "id": run_id, **asdict(self)}

    @classmethod
    def from_json(cls, line: dict[str, Any]) -> RunRequest:
        """Return the request of a line.

        Raises:
            ValueError: it is no request to run; the starter is of another version.
        """
        values = {key: value for key, value in line.items() if key not in ("request", "id")}
        cases = values.get("cases")
        if cases is not None:
            if not (isinstance(cases, list) and all(isinstance(it, str) for it in cases)):
                raise ValueError("`cases` is no list of texts")
            values["cases"] = tuple(cases)
        try:
            return cls(**values)
        except TypeError as error:
            raise ValueError(str(error)) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """The suite is sound and these cases will be run, in this order.

    `results_path` is the file their records are appended to, None where none is written.
    """

    cases: tuple[str, ...]
    results_path: str | None = None
    event: Literal["started"] = "started"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseStarted:
    """A case's target is being asked."""

    case: str
    event: Literal["case_started"] = "case_started"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFinished:
    """A case is graded, or could not be: its record, as in the results file."""

    record: dict[str, Any]
    event: Literal["case_finished"] = "case_finished"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The run is over.

    `summary` has a number per verdict under `verdicts`, `mean_score` (None where nothing was
    graded), `judge_parse_failures`, and `not_run`, the ids of cases a cancellation left out.
    """

    summary: dict[str, Any]
    event: Literal["finished"] = "finished"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The suite has errors, so nothing was run.

    `findings` are the errors alone, each with `file` (absolute), `line`, `column` (from 1), `code`
    and `message`.
    """

    findings: list[dict[str, Any]]
    event: Literal["refused"] = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The run could not start or go on.

    `kind` is `usage` where what was asked for is not there (a case id), `environment` where
    something outside is missing (a key, a file), and `bug` where it is our fault; a bug's `trace`
    is for a report.
    """

    message: str
    kind: Literal["usage", "environment", "bug"]
    trace: str | None = None
    event: Literal["failed"] = "failed"


Event = Started | CaseStarted | CaseFinished | Finished | Refused | Failed
_EVENTS: dict[str, type[Event]] = {
    "started": Started,
    "case_started": CaseStarted,
    "case_finished": CaseFinished,
    "finished": Finished,
    "refused": Refused,
    "failed": Failed,
}


def event_to_json(event: Event, run_id: int) -> dict[str, Any]:
    """Return an event as the object of its line."""
    return {"id": run_id, **asdict(event)}


def event_from_json(line: dict[str, Any]) -> Event:
    """Return the event of a line.

    Raises:
        ValueError: it is no event; the worker is of another version, or something else wrote.
    """
    values = {key: value for key, value in line.items() if key != "id"}
    kind = _EVENTS.get(str(values.get("event")))
    if kind is None:
        raise ValueError(f"no event: {str(line)[:200]}")
    if "cases" in values:
        values["cases"] = tuple(values["cases"])
    try:
        return kind(**values)
    except TypeError as error:
        raise ValueError(str(error)) from error


@dataclass(slots=True, eq=False)
class WorkerFailure(Exception):  # noqa: N818 - it is a failure of ours, as `RuleFailure` is
    """The worker process died, hung, or wrote something that is no event."""

    message: str
    detail: str = field(default="")

    def __str__(self) -> str:
        return self.message
