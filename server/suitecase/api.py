"""What Python programs use of Suitecase: checking a file, and running a suite."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from suitecase.checking.analysis import Analysis
from suitecase.checking.check import check_text
from suitecase.checking.options import CheckOptions
from suitecase.checking.rules.rule_names import named_rules
from suitecase.figures.decision import Decision, exit_code_of
from suitecase.format.rule import Edit, Finding, Fix, Related, Rule, Severity
from suitecase.format.settings import FailLevel
from suitecase.format.workspace import Unreadable, Workspace, find_root, read_text
from suitecase.text.lines import Place
from suitecase.text.working_directory import working_directory
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.status import Status
from suitecase_evaluators.system.path_kinds import real_path

if TYPE_CHECKING:
    from suitecase.run.protocol import RunRequest

__all__ = [
    "Analysis",
    "Decision",
    "Edit",
    "Finding",
    "Fix",
    "Place",
    "Related",
    "ResultRecord",
    "Rule",
    "RunFailedError",
    "RunRefusedError",
    "RunResult",
    "Severity",
    "UnreadableFileError",
    "check",
    "run_suite",
]


class UnreadableFileError(Exception):
    """A file cannot be read, and why."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


class RunRefusedError(Exception):
    """A suite has errors, so nothing was run.

    `findings` are its errors, each with `file`, `line`, `column`, `code` and `message`.
    """

    def __init__(self, findings: Sequence[Mapping[str, Any]]) -> None:
        number = len(findings)
        super().__init__(f"the suite has {number} error{'' if number == 1 else 's'}")
        self.findings = tuple(findings)


class RunFailedError(Exception):
    """A run could not start or go on.

    `kind` is `usage`, `unchosen`, `unpriced`, `environment` or `bug`, as in the messages of the
    command line.
    """

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class RunResult:
    """What came of a run.

    Attributes:
        records: a record for each case and repeat, as in a results file.
        summary: verdicts, means and costs.
        results_path: the file that the records were appended to, if there is one.
        not_run: the cases that were asked for and were not run, or not as often as asked for, each
            with the reason; the id is None where a reason concerns all of them.
        warnings: what was not as it should be around the run.
        gates: what was decided about each gate of the suite. Empty if it has none, or if only some of
            its cases were asked for.
    """

    records: tuple[ResultRecord, ...]
    summary: Mapping[str, Any]
    results_path: Path | None = None
    not_run: tuple[tuple[str | None, str], ...] = ()
    warnings: tuple[str, ...] = ()
    gates: tuple[Decision, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the gates hold; without gates, whether every case that was asked for passed.

        A run without a model passes by what its stand-ins say; the `status` of its records and the
        outcomes of its gates are `rehearsed` then.
        """
        if self.gates:
            return exit_code_of(self.gates) == 0
        all_pass = all(record.status in (Status.PASS, Status.REHEARSED) for record in self.records)
        return bool(self.records) and all_pass and not self.not_run


def check(
    path: str | os.PathLike[str],
    *,
    text: str | None = None,
    root: str | os.PathLike[str] | None = None,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    use_config: bool = True,
    use_baseline: bool = True,
    fail_level: FailLevel | None = None,
) -> Analysis:
    """Check a suite, a data set or a targets file, as `suitecase check` does.

    Files are read, and nothing else: nothing is asked, nothing is executed.

    Args:
        path: the file.
        text: its text, where that is not the one on the disk.
        root: the root of its workspace; by default found as the command line finds it.
        select: only these rules: codes, starts of codes or names.
        ignore: leave out these rules; errors that cannot be graded are always reported.
        use_config: whether `suitecase.toml` is read.
        use_baseline: whether the baseline that it names is applied.
        fail_level: how bad a finding has to be for `Analysis.fails`; by default as configured.

    Raises:
        UnreadableFileError: the file cannot be read.
        ValueError: a rule is unknown.
    """
    for name in (*(select or ()), *ignore):
        if not named_rules(name):
            raise ValueError(f"unknown rule {name!r}")
    file = _absolute(path)
    read = read_text(file) if text is None else text
    if isinstance(read, Unreadable):
        raise UnreadableFileError(file, read.reason)
    options = CheckOptions(
        select=tuple(select) if select is not None else None,
        ignore=tuple(ignore),
        use_config=use_config,
        use_baseline=use_baseline,
        fail_level=fail_level,
    )
    return check_text(file, read, Workspace(_root(file, root)), options)


def run_suite(
    path: str | os.PathLike[str],
    *,
    cases: Sequence[str] | None = None,
    target: str | None = None,
    repeats: int | None = None,
    results_path: str | os.PathLike[str] | None = None,
    replay_from: str | os.PathLike[str] | None = None,
    cache: Literal["off", "read", "refresh"] = "off",
    budget_usd: float | None = None,
    keep_going: bool = False,
    root: str | os.PathLike[str] | None = None,
) -> RunResult:
    """Run a suite in a process of its own, as `suitecase run` does, and wait for its end.

    It asks models and starts the programs that the suite names. In a program with an event loop,
    call it in a thread.

    Args:
        path: the suite.
        cases: the ids of the cases; None for all.
        target: asks this target instead of the one that the suite names.
        repeats: how often each case is asked. Default: as the suite says, else once.
        results_path: a file that records are appended to; None writes none.
        replay_from: a results file whose answers take the place of all targets.
        cache: `read` takes answers from the cache, `refresh` asks again and keeps the answers.
        budget_usd: begins no further case when questions have cost so much.
        keep_going: runs what has no errors where other cases have some.
        root: the root of the workspace; by default found as the command line finds it.

    Raises:
        RunRefusedError: the suite has errors.
        RunFailedError: it could not be run.
    """
    from suitecase.run.protocol import RunRequest

    file = _absolute(path)
    request = RunRequest(
        suite_path=str(file),
        workspace_root=str(_root(file, root)),
        cases=tuple(cases) if cases is not None else None,
        target=target,
        repeats=repeats,
        results_path=str(_absolute(results_path)) if results_path is not None else None,
        replay_from=str(_absolute(replay_from)) if replay_from is not None else None,
        cache=cache,
        budget_usd=budget_usd,
        keep_going=keep_going,
    )
    return asyncio.run(_run(request))


async def _run(request: RunRequest) -> RunResult:
    from contextlib import aclosing

    from suitecase.run import protocol
    from suitecase.run.client import Worker
    from suitecase.run.worker_failure import WorkerFailure

    records: list[ResultRecord] = []
    not_run: list[tuple[str | None, str]] = []
    warnings: list[str] = []
    summary: Mapping[str, Any] = {}
    results_path: Path | None = None
    gates: tuple[Decision, ...] = ()
    worker = Worker()
    try:
        async with aclosing(worker.run(request)) as events:
            async for event in events:
                match event:
                    case protocol.Started(results_path=str(path)):
                        results_path = Path(path)
                    case protocol.CaseFinished(record=record) | protocol.CaseKept(record=record):
                        records.append(record)
                    case protocol.CaseNotRun(case=case, message=message):
                        not_run.append((case, message))
                    case protocol.Warned(message=message):
                        warnings.append(message)
                    case protocol.GatesDecided(decisions=decisions):
                        gates = tuple(map(Decision.from_json, decisions))
                    case protocol.Finished(summary=found):
                        summary = found
                        why = found.get("stopped") or "the run ended before it"
                        not_run += [(case, why) for case in found["not_run"]]
                    case protocol.Refused(findings=findings):
                        raise RunRefusedError(findings)
                    case protocol.Failed(message=message, kind=kind):
                        raise RunFailedError(message, kind)
                    case _:
                        pass
    except WorkerFailure as failure:
        raise RunFailedError(str(failure), "bug") from failure
    finally:
        await worker.close()
    return RunResult(tuple(records), summary, results_path, tuple(not_run), tuple(warnings), gates)


def _absolute(path: str | os.PathLike[str]) -> Path:
    file = working_directory() / Path(path)
    return real_path(file.parent) / file.name


def _root(file: Path, root: str | os.PathLike[str] | None) -> Path:
    return real_path(Path(root)) if root is not None else find_root(file, working_directory())
