"""What goes between a worker process and whoever started it: a JSON object a line, both ways.

The starter writes requests to the worker's standard input::

    {"request": "run", "id": 1, "suite_path": ..., "workspace_root": ..., "text": ..., ...}
    {"request": "cancel", "id": 1}
    {"request": "stop"}

The worker writes events to its standard output, each with the id of the run it belongs to. For
each run there is exactly one last event: `finished`, `estimated`, `refused` or `failed`. A run
that is cancelled finishes; cases that were not graded are named in the summary. End of input means
stop.

What goes on in a run: a `case_not_run` for each case that was asked for and has errors; `started`; a `case_kept` for each record of the file that is resumed and
counts; then, for each case and repeat that is asked, `case_started` and `case_finished`; a
`warned` at any time. Of a dry run there are the cases that are not run, and its last event,
`estimated`.

While a run goes on, the worker says `{"event": "alive"}` every so often, which belongs to no run:
the starter takes silence for a worker that hangs.

Nothing else is ever written to the worker's standard output; its standard error is for people.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

from suitecase.run.failures import DEFAULT_MAX_ERRORS
from suitecase_evaluators.records.record import ResultRecord

#: An option of the worker: what it runs waits for what somebody does at the machine.
BACKGROUND = "--background"
#: An option of the worker: the process id of its starter, with which it ends.
STARTER = "--starter="
#: What the worker says while it is at work, and after how many seconds it says it again.
ALIVE = {"event": "alive"}
ALIVE_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """What to run.

    Attributes:
        suite_path: absolute path of the suite; file references resolve from its folder.
        workspace_root: absolute path of the workspace's root.
        text: the suite's text where it is not what the file holds; an editor's unsaved buffer.
        open_texts: texts of other files, by their absolute paths, that count before what is on the
            disk; an editor's unsaved buffers. What programs run and read lies on the disk.
        cases: the ids of the cases to run; None for all.
        target: asks this target instead of the one the suite names.
        results_path: absolute path of a file that records are appended to, or of a folder (it is
            one, or the path ends with a slash) in which a file named after the suite and the time
            is made; None writes none.
        filters: patterns (`*`, `?`, `[...]`) of which the id of a case has to match one; none means
            all.
        tags: of which a case has to have one; none means all.
        failed_in: absolute path of a results file, or of a folder whose newest file of this suite
            is meant: only cases whose last record there is no pass are run.
        resume_from: absolute path of a results file that is continued, or of a folder whose newest
            file of this suite is meant that is not finished. It takes the place of `results_path`.
        replay_from: absolute path of a results file that takes the place of all targets: answers and
            judge replies are those of its records.
        dry_run: asks nobody, and says what would be asked.
        repeats: how often each case is asked; None means once, or as often as the results file
            that is resumed says.
        cache: `off`; `read` answers of the cache and keep new ones; `refresh` asks everything and
            keeps the answers.
        budget_usd: begins no further case when questions have cost so much.
        spent_usd: what of the budget was spent before this run.
        max_errors: begins no further case when one target or evaluator failed so often in a row;
            0 for no limit.
        failing: how often each failed in a row before this run, as `finished` told it.
        concurrency: how many questions may be under way at each target, whatever it says itself.
        timeout_seconds: how long one case may take, from its first question to its last grade;
            time in which it waits for its turn at a target does not count.
        previous_hashes: by case, the effective hash of what was run before: cases that have it are left out.
            With it `started` tells `hashes` and `files`. None leaves none out.
        keep_going: runs what can be run where a case has errors, or its target is not to be had
            here. Without it a request for some of the cases leaves those with errors out, and one
            for all of them is refused; what is missing here always ends the run.
        require_sandbox: the level that every program has to be held at, or more; the configuration
            may require more yet. None requires nothing.
        sandbox: settings under `[sandbox]` that go before those of the user's own configuration;
            paths in them are absolute.
    """

    suite_path: str
    workspace_root: str
    text: str | None = None
    open_texts: dict[str, str] = field(default_factory=dict)
    cases: tuple[str, ...] | None = None
    target: str | None = None
    results_path: str | None = None
    filters: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    failed_in: str | None = None
    resume_from: str | None = None
    replay_from: str | None = None
    dry_run: bool = False
    repeats: int | None = None
    cache: Literal["off", "read", "refresh"] = "off"
    budget_usd: float | None = None
    spent_usd: float = 0.0
    max_errors: int = DEFAULT_MAX_ERRORS
    failing: dict[str, int] = field(default_factory=dict)
    concurrency: int | None = None
    timeout_seconds: float | None = None
    previous_hashes: dict[str, str] | None = None
    keep_going: bool = False
    require_sandbox: str | None = None
    sandbox: dict[str, Any] = field(default_factory=dict)

    @property
    def takes_some(self) -> bool:
        """Whether cases with errors are left out, and the others run."""
        chosen = self.cases is not None or self.failed_in is not None
        return self.keep_going or chosen or bool(self.filters or self.tags)

    def to_json(self, run_id: int) -> dict[str, Any]:
        return {"request": "run", "id": run_id, **asdict(self)}

    @classmethod
    def from_json(cls, line: dict[str, Any]) -> RunRequest:
        """Return the request of a line.

        Raises:
            ValueError: it is not a request to run; the starter is of another version.
        """
        values = {key: value for key, value in line.items() if key not in ("request", "id")}
        for name in ("cases", "filters", "tags"):
            listed = values.get(name)
            if listed is not None:
                if not (isinstance(listed, list) and all(isinstance(it, str) for it in listed)):
                    raise ValueError(f"`{name}` is not a list of texts")
                values[name] = tuple(listed)
        texts = values.get("open_texts", {})
        if not (isinstance(texts, dict) and all(isinstance(it, str) for it in texts.values())):
            raise ValueError("`open_texts` is not a mapping of texts")
        try:
            return cls(**values)
        except TypeError as error:
            raise ValueError(str(error)) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseNotRun:
    """A case that was asked for is not run, and others are.

    Attributes:
        case: its id; None where it has none, or its text does not parse.
        line: the line of the suite it starts on, counted from 1.
        kind: `unsound` where it has errors, `environment` where something outside is missing.
        message: why, for people.
        findings: its errors, as in `refused`; empty where it has none.
    """

    case: str | None
    line: int
    kind: Literal["unsound", "environment"]
    message: str
    findings: list[dict[str, Any]] = field(default_factory=list)
    event: Literal["case_not_run"] = "case_not_run"

    @property
    def why(self) -> str:
        """The rule that found its first error, and where; of one without errors what is missing."""
        if not self.findings:
            return self.message
        first, *rest = self.findings
        more = f" and {len(rest)} more" if rest else ""
        return f"{first['code']} at {first['file']}:{first['line']}:{first['column']}{more}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """These cases are sound and will be run, in this order, each `repeats` times.

    `results_path` is the file their records are appended to, None where none is written. `notes`
    tell people which cases were chosen, and what is resumed. Of a run with a budget `earlier_usd` is
    what the records that are resumed cost, which counts towards it. For a request with `previous_hashes`, `hashes`
    has the effective hash of each of these cases, and `files` has the absolute paths of the files
    that those of all cases depend on.
    """

    cases: tuple[str, ...]
    results_path: str | None = None
    repeats: int = 1
    notes: tuple[str, ...] = ()
    hashes: dict[str, str] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    earlier_usd: float = 0.0
    event: Literal["started"] = "started"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseStarted:
    """A case's target is being asked, for the `repeat`-th time."""

    case: str
    repeat: int = 1
    event: Literal["case_started"] = "case_started"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFinished:
    """A case is graded, or could not be: its record, as in the results file."""

    record: ResultRecord
    event: Literal["case_finished"] = "case_finished"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseKept:
    """A case was graded before, and is not rerun: its record in the file that is resumed."""

    record: ResultRecord
    event: Literal["case_kept"] = "case_kept"


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned:
    """Something around the run is not as it should be; the run goes on."""

    message: str
    event: Literal["warned"] = "warned"


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimated:
    """What a run would ask; nobody was asked. `estimate` is described in `run.estimate`.

    For a request with `previous_hashes` it has `hashes` and `files` besides, as in `started`. `earlier_usd`
    is what the records that would be resumed cost.
    """

    estimate: dict[str, Any]
    earlier_usd: float = 0.0
    event: Literal["estimated"] = "estimated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The run is over.

    `summary` has a number per verdict under `verdicts`, `mean_score` (None where nothing was graded,
    or several targets answered), `targets` with both for each target that answered, `remarks` for
    people (no model was called, cases without anything to be graded by), `judge_parse_failures` and
    `judge_errors` (judges that could not be read in full, and that could not be asked, members of
    composites included), `clamped_scores` and `ambiguous_replies` (see `doubts`),
    `mean_score_without_judge_failures`, what answers and judges used under
    `tokens` and `cost_usd`, and `not_run`, the ids of cases that have fewer records than repeats:
    the run was cancelled, or ended early. Of a run with repeats it has `repeats`: by case `runs`, `passed`, and of the scores `mean`,
    `lowest`, `highest` and `deviation`. Where models or programs were asked it has `spending`:
    `asked` questions, `cached` ones, `cost_usd`, and `unpriced`, the questions asked whose cost
    is unknown. `stopped` says why a run was ended before its end, None where it was not, and
    `failing` how often each target and evaluator failed in a row at its end.
    """

    summary: dict[str, Any]
    event: Literal["finished"] = "finished"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The suite has errors, so nothing was run.

    `findings` are the errors alone, each with `file` (absolute), `line`, `column` (from 1), `code`
    and `message`. `sound` is how many of the cases that were asked for have none.
    """

    findings: list[dict[str, Any]]
    sound: int = 0
    event: Literal["refused"] = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The run could not start or go on.

    `kind` is `usage` where what was asked for is not there (a case id), `unchosen` where no case is
    what was asked for (a tag), `unpriced` where a budget cannot be kept, `environment` where something outside is missing (a key, a file),
    and `bug` where it is our fault; a bug's `trace` is for a report. `spending` is as in
    `finished`, where questions were asked before it failed.
    """

    message: str
    kind: Literal["usage", "unchosen", "unpriced", "environment", "bug"]
    trace: str | None = None
    spending: dict[str, Any] | None = None
    event: Literal["failed"] = "failed"


Event = (
    CaseNotRun
    | Started
    | CaseStarted
    | CaseFinished
    | CaseKept
    | Warned
    | Finished
    | Estimated
    | Refused
    | Failed
)
#: Each run has exactly one of these, at its end.
LAST_EVENTS = (Finished, Estimated, Refused, Failed)
_EVENTS: dict[str, type[Event]] = {
    "case_not_run": CaseNotRun,
    "started": Started,
    "case_started": CaseStarted,
    "case_finished": CaseFinished,
    "case_kept": CaseKept,
    "warned": Warned,
    "finished": Finished,
    "estimated": Estimated,
    "refused": Refused,
    "failed": Failed,
}


def event_to_json(event: Event, run_id: int) -> dict[str, Any]:
    """Return an event as the object of its line."""
    # Not `asdict`, which copies whole records.
    values = {it.name: getattr(event, it.name) for it in fields(event)}
    if isinstance(event, CaseFinished | CaseKept):
        values["record"] = event.record.fields
    return {"id": run_id, **values}


def event_from_json(line: dict[str, Any]) -> Event:
    """Return the event of a line.

    Raises:
        ValueError: it is not an event; the worker is of another version, or something else wrote.
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


@dataclass(slots=True, eq=False)
class WorkerFailure(Exception):  # noqa: N818 - it is a failure of ours, as `RuleFailure` is
    """The worker process died, hung, or wrote something that is not an event.

    Attributes:
        killed: somebody else ended it, such as a system that is short of memory.
    """

    message: str
    detail: str = field(default="")
    killed: bool = False

    def __str__(self) -> str:
        return self.message
