"""`run --watch`: reruns cases that have changed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from suitecase.cli import EXIT_INTERRUPTED, EXIT_OK, EXIT_UNGRADED
from suitecase.cli.checking.watching import PAUSE, SHARE, watched_files
from suitecase.cli.output.terminal import echo, output_is_closed
from suitecase.cli.running.detail import Detail
from suitecase.cli.running.invocation import Invocation
from suitecase.cli.running.run_output import RunOutput
from suitecase.cli.running.suite_run import SuiteRun
from suitecase.cli.shown_paths import shown_path
from suitecase.cli.suite_argument import SuiteArgument
from suitecase.format.workspace import RESULTS_FOLDER
from suitecase.run.client import Worker
from suitecase.run.protocol import RunRequest
from suitecase.text.plural import dollars

#: Seconds to wait after a change until the file is complete.
SETTLED = 0.1

#: Files as they were last seen: time and size by path.
Seen = dict[str, tuple[int, int]]


@dataclass(slots=True)
class _Suite:
    """A watched suite: its next request, and the files it depends on."""

    argument: SuiteArgument
    request: RunRequest
    files: tuple[str, ...] = ()

    def take(self, run: SuiteRun) -> None:
        """Learn from a run what need not be rerun; from one that did not begin nothing.

        All runs of a watch append to one results file: in it the last record of a case counts.
        """
        if not run.started:
            return
        self.files = run.files
        cases = run.records.cases()
        recorded = {name: it for name, it in run.hashes.items() if name in cases}
        case_ids = self.request.cases
        self.request = replace(
            self.request,
            previous_hashes={**(self.request.previous_hashes or {}), **recorded},
            results_path=run.results_path or self.request.results_path,
            # What a resumed file says counts on; what the suite says may change.
            repeats=run.repeats if self.request.resume_from else self.request.repeats,
            resume_from=None,
            # What failed when the watch began is what is worked at.
            cases=case_ids if self.request.failed_in is None else run.cases,
            failed_in=None,
        )


class Watch:
    """Runs suites on each change, by one worker, until Ctrl-C or until the budget is used up."""

    def __init__(
        self,
        requests: list[tuple[SuiteArgument, RunRequest]],
        form: str,
        detail: Detail,
        budget_usd: float | None,
        fail_on: str | None,
    ) -> None:
        self._suites = [
            _Suite(suite, replace(request, previous_hashes={})) for suite, request in requests
        ]
        self._form = form
        self._detail = detail
        self._budget = budget_usd
        self._fail_on = fail_on
        self._spent = 0.0

    async def run(self) -> int:
        """Watch until the end; return the exit code."""
        worker = Worker()
        try:
            while True:
                before = {path for status in self._suites for path in status.files}
                files = await self._look()
                code = await self._run_once(worker)
                if code is not None:
                    return code
                if output_is_closed():
                    return EXIT_OK  # nobody looks at what further changes come to
                echo("Waiting for changes; Ctrl-C ends.", err=True)
                # What is known only now to belong to a suite counts from now on.
                learned = {path for status in self._suites for path in status.files} - before
                files = {
                    path: status for path, status in (await self._look()).items() if path in learned
                } | files
                changed = await self._change(files)
                echo("", err=True)
                echo(f"{shown_path(Path(changed))} changed.", err=True)
        except asyncio.CancelledError:
            echo("", err=True)
            return EXIT_OK
        finally:
            await worker.close()

    async def _run_once(self, worker: Worker) -> int | None:
        """Run the changed cases; return the exit code if the watch ends."""
        output = RunOutput(self._form, self._detail)
        invocation = Invocation(output, self._fail_on)
        requests = [
            (watched.argument, replace(watched.request, spent_usd=self._spent))
            for watched in self._suites
        ]
        try:
            await invocation.run(requests, worker)
            for suite, run in zip(self._suites, invocation.runs, strict=True):
                suite.take(run)
                self._spent += run.usd
            invocation.end()
            if all(watched.started and not watched.cases for watched in invocation.runs):
                output.say("No case has changed with it; nothing was run.")
        finally:
            output.progress.close()
        if invocation.interrupted:
            return EXIT_INTERRUPTED
        if self._budget is not None and self._spent >= self._budget:
            echo(
                f"the budget of ${self._budget:g} is used up: {dollars(self._spent)} were spent since "
                "this began",
                err=True,
            )
            return EXIT_UNGRADED
        return None

    async def _change(self, previous: Seen) -> str:
        """Wait for a change; return its path."""
        while True:
            started = time.monotonic()
            now = await self._look()
            if now != previous:
                # Some editors empty a file before they write it.
                await asyncio.sleep(SETTLED)
                return min(path for path, _ in now.items() ^ previous.items())
            elapsed = time.monotonic() - started
            await asyncio.sleep(max(PAUSE, elapsed / SHARE))

    async def _look(self) -> Seen:
        return await asyncio.to_thread(_seen, self._suites)


def _seen(suites: Iterable[_Suite]) -> Seen:
    """Return the files around the suites, and those that they name, but for what a run writes."""
    listed = list(suites)
    files = watched_files([item.argument.path for item in listed])
    for path in {path for item in listed for path in item.files}:
        with suppress(OSError):
            status = Path(path).stat()
            files[path] = (status.st_mtime_ns, status.st_size)
    outputs = {item.request.results_path for item in listed}
    return {path: it for path, it in files.items() if path not in outputs and not _is_ours(path)}


def _is_ours(path: str) -> bool:
    """Whether a run writes it: results, or the cache."""
    folder, name = Path(path).parent, Path(path).name
    kept_in = RESULTS_FOLDER.parts
    if folder.parts[-2:] == kept_in or (*folder.parts[-1:], name) == kept_in:
        return True
    return folder.name == kept_in[0] and (name.startswith("cache.sqlite3") or name == ".gitignore")
