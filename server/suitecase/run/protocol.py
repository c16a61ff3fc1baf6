"""The protocol between a worker process and its client: JSON lines in both directions.

The client writes requests to the worker's standard input::

    {"request": "run", "id": 1, "suite_path": ..., "workspace_root": ..., "text": ..., ...}
    {"request": "cancel", "id": 1}
    {"request": "stop"}

The worker writes events to its standard output, each with the id of its run. Each run has exactly
one last event: `finished`, `estimated`, `refused` or `failed`. A cancelled run finishes, and its
summary lists the cases that were not graded. End of input means stop.

The events of a run: a `case_not_run` for each selected case with errors; `started`; a `case_kept`
for each record kept from the resumed file; then, for each repeat of a case, `case_started` (unless
the request has `starts: false`) and `case_finished`; a `gates_decided` if the suite has gates; `warned` at any time. A dry run has `case_not_run` and its last event, `estimated`.

During a run the worker sends the heartbeat `{"event": "alive"}`, which belongs to no run. A worker
without a heartbeat counts as hung.

Nothing else is ever written to the worker's standard output; its standard error is for logs.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from suitecase.run.failures import DEFAULT_MAX_ERRORS
from suitecase_evaluators.answers.records.record import ResultRecord

#: An option of the worker: run with low priority.
BACKGROUND = "--background"
#: An option of the worker: its client's process id; the worker ends with the client.
STARTER = "--starter="
#: The heartbeat, and its interval.
ALIVE = {"event": "alive"}
ALIVE_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """What to run.

    Attributes:
        suite_path: absolute path of the suite; file references resolve from its folder.
        workspace_root: absolute path of the workspace's root.
        text: the suite's text if it differs from the file, such as an editor's unsaved buffer.
        open_texts: texts of other unsaved files by absolute path. Programs see the files on disk.
        cases: the ids of the cases to run; None for all.
        target: overrides the target of the suite and its cases.
        results_path: absolute path of a file to append records to, or of a folder (an existing one,
            or with a trailing slash) for a new file named after the suite and the time; None writes
            no file.
        filters: patterns (`*`, `?`, `[...]`), one of which the id of a case has to match; empty for
            all.
        tags: tags, one of which a case has to have; empty for all.
        failed_in: absolute path of a results file, or of a folder, whose newest file of this suite
            is used: only cases whose last record there is not a pass are run.
        limit: the number of cases to run at most, of those that are selected; None for all.
        planned_elsewhere: how many answers the run has with its other targets, which are requests of their
            own with the same results file.
        failed_target: for `failed_in`, the target whose records count; None for any.
        resume_from: absolute path of a results file to resume, or of a folder, whose newest
            unfinished file of this suite is used. It replaces `results_path`.
        resume_or_start: runs all cases if `resume_from` is a folder without results of this suite.
        replay_from: absolute path of a results file whose answers and judges' replies are used
            instead of calling targets.
        dry_run: calls nothing, and returns an estimate.
        repeats: how often each case runs; None means as in the resumed or replayed results file, else
            as the suite says, else once.
        cache: `off`; `read` uses cached answers and stores new ones; `refresh` calls all targets
            and stores the answers.
        budget_usd: starts no further case after calls have cost so much.
        spent_usd: the part of the budget that was spent before this run.
        spent_unpriced: whether more was spent before this run, whose amount is unknown.
        max_errors: starts no further case after so many consecutive errors of a target or
            evaluator; 0 for no limit.
        failing: consecutive errors before this run, as in the summary of `finished`.
        concurrency: the number of concurrent calls per target; overrides the targets' settings.
        workers: the number of processes that grade; None for what the number of cases, of concurrent
            calls and of processors is worth.
        timeout_seconds: the time limit of a case, from its first call to its last grade, excluding
            time spent waiting for a busy target.
        cluster: the address of the scheduler of a Dask cluster whose workers grade; None for this
            machine. Only the command line sets it: a run on a cluster is never implied.
        cluster_files: absolute paths of files and folders that are sent to the cluster besides
            those that the suite names.
        previous_hashes: the effective hash of each case of a previous run: unchanged cases are left
            out, and `started` has `hashes` and `files`. None leaves none out.
        starts: whether `case_started` is sent; many cases run in less time without it.
        keep_going: runs the other cases if some have errors or their target is unavailable. Without
            it, a request for some cases leaves out those with errors, a request for all is refused,
            and an unavailable target always ends the run.
        require_sandbox: the minimum sandbox level of every program; the configuration may require
            more. None requires nothing.
        gates: gates in addition to those of the suite, such as `pass_rate >= 90%`.
        baseline: absolute path of a results file that the gates on a `change` compare with.
        sandbox: settings under `[sandbox]` that override the user's own configuration; paths in
            them are absolute.
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
    planned_elsewhere: int = 0
    failed_target: str | None = None
    limit: int | None = None
    resume_from: str | None = None
    resume_or_start: bool = False
    replay_from: str | None = None
    dry_run: bool = False
    repeats: int | None = None
    cache: Literal["off", "read", "refresh"] = "off"
    budget_usd: float | None = None
    spent_usd: float = 0.0
    spent_unpriced: bool = False
    max_errors: int = DEFAULT_MAX_ERRORS
    failing: dict[str, int] = field(default_factory=dict)
    concurrency: int | None = None
    workers: int | None = None
    timeout_seconds: float | None = None
    cluster: str | None = None
    cluster_files: tuple[str, ...] = ()
    previous_hashes: dict[str, str] | None = None
    starts: bool = True
    keep_going: bool = False
    require_sandbox: str | None = None
    gates: tuple[str, ...] = ()
    baseline: str | None = None
    sandbox: dict[str, Any] = field(default_factory=dict)

    @property
    def takes_some(self) -> bool:
        """Whether cases with errors are left out, rather than the run refused."""
        chosen = any(it is not None for it in (self.cases, self.failed_in, self.limit))
        return self.keep_going or chosen or bool(self.filters or self.tags)

    def to_json(self, run_id: int) -> dict[str, Any]:
        return {"request": "run", "id": run_id, **asdict(self)}

    @classmethod
    def from_json(cls, line: dict[str, Any]) -> RunRequest:
        """Return the request of a line.

        Raises:
            ValueError: it is not a request to run, such as one of a different version.
        """
        values = {key: value for key, value in line.items() if key not in ("request", "id")}
        for name in ("cases", "filters", "tags", "cluster_files", "gates"):
            listed = values.get(name)
            if listed is not None:
                if not (isinstance(listed, list) and all(isinstance(item, str) for item in listed)):
                    raise ValueError(f"`{name}` is not a list of texts")
                values[name] = tuple(listed)
        texts = values.get("open_texts", {})
        if not (isinstance(texts, dict) and all(isinstance(text, str) for text in texts.values())):
            raise ValueError("`open_texts` is not a mapping of texts")
        try:
            return cls(**values)
        except TypeError as error:
            raise ValueError(str(error)) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseNotRun:
    """A selected case that is not run, while others are.

    Attributes:
        case: its id; None if it has none or does not parse.
        line: the line of the suite it starts on, from 1.
        kind: `unsound` if it has errors, `environment` if something outside is missing.
        message: why, for users.
        findings: its errors, as in `refused`.
        test: the name of its test, if it is a row of another tool's suite.
    """

    case: str | None
    line: int
    kind: Literal["unsound", "environment"]
    message: str
    findings: list[dict[str, Any]] = field(default_factory=list)
    test: str | None = None
    event: Literal["case_not_run"] = "case_not_run"

    @property
    def why(self) -> str:
        """The rule and place of the first error; without errors, what is missing."""
        if not self.findings:
            return self.message
        first, *rest = self.findings
        more = f" and {len(rest)} more" if rest else ""
        return f"{first['code']} at {first['file']}:{first['line']}:{first['column']}{more}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """These cases will be run, in this order, each `repeats` times.

    `results_path` is the file that records are appended to, if any. `notes` say which cases were
    selected and what is resumed, for users. For a run with a budget, `earlier_usd` is the cost of
    the resumed records, which counts towards it. For a request with `previous_hashes`, `hashes` has
    the effective hash of each of these cases, and `files` the absolute paths of the files that all
    cases depend on. `tests` has the name of each case's test, if they are rows of another tool's suite.
    """

    cases: tuple[str, ...]
    results_path: str | None = None
    repeats: int = 1
    notes: tuple[str, ...] = ()
    hashes: dict[str, str] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    earlier_usd: float = 0.0
    tests: dict[str, str] = field(default_factory=dict)
    event: Literal["started"] = "started"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseStarted:
    """A case's target is being called, for this repeat."""

    case: str
    repeat: int = 1
    event: Literal["case_started"] = "case_started"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFinished:
    """A case was graded, or could not be.

    `record` is its record, as in the results file. `seconds` is how long it took, from the call of its
    target on.
    """

    record: ResultRecord
    seconds: float | None = None
    event: Literal["case_finished"] = "case_finished"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseKept:
    """A case was graded before and is not rerun: its record in the resumed file."""

    record: ResultRecord
    event: Literal["case_kept"] = "case_kept"


@dataclass(frozen=True, slots=True, kw_only=True)
class GatesDecided:
    """What the gates of the suite came to, before `finished`.

    `decisions` are as `suitecase.figures.decision.Decision` has them as JSON. If none is decided,
    `not_decided` says why, for users; `partial` if only a part of the suite is run. `file` is the absolute path of the file
    with the gates: the suite, or the sidecar of a data set.
    """

    decisions: list[dict[str, Any]] = field(default_factory=list)
    not_decided: str | None = None
    partial: bool = False
    file: str | None = None
    event: Literal["gates_decided"] = "gates_decided"


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned:
    """A warning for users; the run goes on."""

    message: str
    event: Literal["warned"] = "warned"


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimited:
    """A target is not called for some seconds, since it allows no more requests."""

    target: str
    seconds: float
    event: Literal["rate_limited"] = "rate_limited"

    @property
    def text(self) -> str:
        """The wait, for people."""
        return f"waiting {max(round(self.seconds), 1):,} s for the rate limit of `{self.target}`"


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimated:
    """The estimate of a dry run, as described in `run.estimate`.

    For a request with `previous_hashes` it also has `hashes` and `files`, as in `started`.
    `earlier_usd` is the cost of the records that would be resumed.
    """

    estimate: dict[str, Any]
    earlier_usd: float = 0.0
    event: Literal["estimated"] = "estimated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The run is over.

    `summary` has the number of cases by verdict under `verdicts` and by what they are shown as under
    `statuses`, `mean_score` (of what was graded; None if nothing was or several targets answered),
    `targets` with all three for each target, `remarks` for users
    (no model was called, cases without criteria), `judge_parse_failures` and `judge_errors` (judges
    whose replies could not be parsed completely, and that could not be called, including members
    of composites), `cut_off_answers`, `redacted_answers`, `clamped_scores` and `ambiguous_replies` (see `doubts`),
    `empty_answers`, the usage of answers and judges under `tokens` and
    `cost_usd`, and `not_run`, the ids of cases with fewer records than repeats, since the run was
    cancelled or stopped early. A run with repeats has `repeats`: by case `runs`, `passed`, `rehearsed`, and the
    `mean`, `lowest`, `highest` and `deviation` of its scores. If models or programs were called, it
    has `spending`: `asked` and `cached` (numbers of calls), `cost_usd`, and `unpriced` (calls with
    unknown cost). `stopped` says why a run stopped early, if it did, and `failing` has the
    consecutive errors of each target and evaluator at its end.
    """

    summary: dict[str, Any]
    event: Literal["finished"] = "finished"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The suite has errors, so nothing was run.

    `findings` are the errors, each with `file` (absolute), `line`, `column` (from 1), `code` and
    `message`. `sound` is the number of selected cases without errors, and `cases` has the others, as
    in `case_not_run`.
    """

    findings: list[dict[str, Any]]
    sound: int = 0
    cases: list[dict[str, Any]] = field(default_factory=list)
    event: Literal["refused"] = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The run could not start or go on.

    `kind` is `usage` if something in the request does not exist (a case id), `unchosen` if no case
    matches (a tag), `unpriced` if a budget cannot be enforced, `environment` if something outside
    is missing (a key, a file), and `bug` for a bug in suitecase, with a `trace` to report.
    `spending` is as in `finished`, if there were calls before the failure. `not_runnable` says that
    the file is not a suite that can be run, such as a targets file or a suite of another tool. `of_all`
    says that an option is wrong, so that no other suite is run with it either.
    """

    message: str
    kind: Literal["usage", "unchosen", "unpriced", "environment", "bug"]
    trace: str | None = None
    spending: dict[str, Any] | None = None
    not_runnable: bool = False
    of_all: bool = False
    event: Literal["failed"] = "failed"


Event = (
    CaseNotRun
    | Started
    | CaseStarted
    | CaseFinished
    | CaseKept
    | GatesDecided
    | Warned
    | RateLimited
    | Finished
    | Estimated
    | Refused
    | Failed
)
#: Each run has exactly one of these, at its end.
LAST_EVENTS = (Finished, Estimated, Refused, Failed)
