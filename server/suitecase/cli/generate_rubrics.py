"""The implementation of `suitecase generate rubrics`."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from suitecase.authoring.generating.rubric_proposal import ProposedRubric
from suitecase.authoring.generating.rubric_run import (
    Choice,
    Proposals,
    cannot_propose,
    chosen,
    pool_of,
    propose,
    set_up,
)
from suitecase.authoring.generating.rubric_writing import Parsed, with_rubrics
from suitecase.cli import (
    EXIT_BUG,
    EXIT_FINDINGS,
    EXIT_INTERRUPTED,
    EXIT_OK,
    EXIT_UNGRADED,
    EXIT_USAGE,
    report_bug,
)
from suitecase.cli.first_steps import why_not_read
from suitecase.cli.output.terminal import echo
from suitecase.cli.running.refusal import errors
from suitecase.cli.suite_argument import SuiteArgument
from suitecase.cli.text_diff import text_diff
from suitecase.cli.writing import code_of_unwritten, why_not_written, write_text
from suitecase.format.dialect import DialectFile, only_read
from suitecase.format.other_file import OtherFile
from suitecase.format.reading import parse_document
from suitecase.format.workspace import Unreadable, Workspace, find_root, read_text
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.run.plan import Plan
from suitecase.run.planning import plan
from suitecase.run.protocol import Failed, Refused, RunRequest
from suitecase.run.sandboxing import SandboxError, required, sandbox_of
from suitecase.run.target_pool import TargetPool, UnknownTargetError
from suitecase.text.encoders.terminal import Block
from suitecase.text.plural import counted, dollars
from suitecase.text.working_directory import working_directory
from suitecase_evaluators.grade.judge.attempts import MOST_ATTEMPTS
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.targets.target import TargetError


@dataclass(frozen=True, slots=True)
class Generation:
    """One invocation of the command."""

    argument: SuiteArgument
    target: str | None
    replace: bool
    dry_run: bool
    diff: bool
    require_sandbox: str | None = None
    sandbox: Mapping[str, Any] = field(default_factory=dict)

    def run(self) -> int:
        """Propose rubrics and write them; return the exit code."""
        path = self.argument.path
        root = find_root(path, working_directory())
        text = read_text(path)
        if isinstance(text, Unreadable):
            reason = why_not_read(self.argument.path, text.reason)
            raise click.UsageError(f"{self.argument.shown}: {reason}")
        suite = parse_document(path, text, Workspace(root))
        if isinstance(suite, DialectFile):
            raise click.UsageError(f"{self.argument.shown}: {only_read(suite)}")
        if isinstance(suite, OtherFile):
            raise click.UsageError(f"{self.argument.shown}: {suite.what}")
        planned = plan(
            RunRequest(
                suite_path=str(path),
                workspace_root=str(root),
                cases=self.argument.cases or None,
                text=text,
                target=self.target,
            )
        )
        if isinstance(planned, Refused) or (isinstance(planned, Plan) and planned.not_run):
            findings = (
                planned.findings
                if isinstance(planned, Refused)
                else [error for it in planned.not_run for error in it.findings]
            )
            for line in errors(self.argument, findings):
                echo(line, err=True)
            echo(f"{self.argument.shown} has errors, so no target was called", err=True)
            return EXIT_USAGE
        if isinstance(planned, Failed):
            return self._failed(planned)
        if not isinstance(suite, ParsedSuite):
            raise TypeError(f"{path} is no longer a suite")
        return asyncio.run(self._asked(planned, suite, root, text))

    def _failed(self, failed: Failed) -> int:
        echo(failed.message, err=True)
        if failed.kind == "bug":
            report_bug(failed.trace or failed.message)
            return EXIT_BUG
        return EXIT_UNGRADED if failed.kind == "environment" else EXIT_USAGE

    async def _asked(self, planned: Plan, suite: ParsedSuite, root: Path, text: str) -> int:
        redactor = Redactor()
        try:
            sandboxed = sandbox_of(planned.configuration, root, self.sandbox)
            pool = pool_of(planned, sandboxed, redactor)
            choice = chosen(planned, suite, pool, self.target, replace=self.replace)
            for name, why in choice.skipped.items():
                echo(f"{self._case(name)}: unchanged: {why}", err=True)
            choice = choice.without(self._not_added(suite, root, text, choice))
            for name, why in choice.not_added.items():
                echo(f"{self._case(name)}: not written, so no model is asked: {why}", err=True)
            if not choice.requests:
                echo(f"{self.argument.shown}: nothing to propose", err=True)
                return EXIT_FINDINGS if choice.not_added else EXIT_OK
            targets = Counter(request.target for request in choice.requests)
            for name in targets:
                problem = cannot_propose(pool, name)
                if problem is not None:
                    echo(f"{self.argument.shown}: {problem}", err=True)
                    return EXIT_USAGE
            if self.dry_run:
                self._tell_estimate(choice, targets)
                return EXIT_OK
            level = required(self.require_sandbox, sandboxed)
            for message in (*sandboxed.ignored, *set_up(choice.requests, pool, level)):
                echo(f"warning: {message}", err=True)
        except (TargetError, SandboxError) as error:
            echo(f"{self.argument.shown}: {redactor(error.message)}", err=True)
            misspelt = isinstance(error, UnknownTargetError) and error.name == self.target
            usage = misspelt or isinstance(error, SandboxError)
            return EXIT_USAGE if usage else EXIT_UNGRADED
        return await self._proposed(planned, suite, root, choice, pool, redactor)

    def _not_added(
        self, suite: ParsedSuite, root: Path, text: str, choice: Choice
    ) -> Mapping[str, str]:
        """Return the cases that no rubrics could be added to, with the reason, before a model is paid."""
        example = ProposedRubric(id="item", expected_outcome="An item.").as_written()
        return with_rubrics(
            text,
            self.argument.path,
            root,
            {request.case.id: [example] for request in choice.requests},
            asked_about=_sources(suite),
            replace=self.replace,
        ).refused

    def _tell_estimate(self, choice: Choice, targets: Mapping[str, int]) -> None:
        for request in choice.requests:
            echo(f"{self._case(request.case.id)}: would call `{request.target}`")
        for name, number in targets.items():
            echo(
                f"`{name}` would get {counted(number, 'call')}, at most "
                f"{number * MOST_ATTEMPTS:,} if replies cannot be used. Nothing was called."
            )

    async def _proposed(
        self,
        planned: Plan,
        suite: ParsedSuite,
        root: Path,
        choice: Choice,
        pool: TargetPool,
        redactor: Redactor,
    ) -> int:
        proposals = await propose(choice.requests, planned, pool, redactor)
        for name, why in proposals.failed.items():
            echo(f"{self._case(name)}: the call failed: {why}", err=True)
        for name, why in proposals.unusable.items():
            echo(
                f"{self._case(name)}: no rubrics: {why}",
                err=True,
            )
        result = self._written(suite, root, proposals)
        if isinstance(result, int):
            return result
        for name, why in result.refused.items():
            echo(f"{self._case(name)}: not written: {why}", err=True)
        self._sum_up(choice, proposals, result)
        if proposals.interrupted:
            return EXIT_INTERRUPTED
        if proposals.failed:
            return EXIT_UNGRADED
        lacking = choice.not_added or proposals.unusable or result.refused
        return EXIT_FINDINGS if lacking else EXIT_OK

    def _written(self, suite: ParsedSuite, root: Path, proposed: Proposals) -> Parsed | int:
        """Insert the proposals into the current file; return the exit code if that fails."""
        path = self.argument.path
        now = read_text(path)
        if isinstance(now, Unreadable):
            echo(f"{self.argument.shown}: nothing was written: {now.reason}", err=True)
            return EXIT_USAGE
        asked_about = _sources(suite)
        proposals = {
            name: [rubric.as_written() for rubric in rubrics]
            for name, rubrics in proposed.rubrics.items()
        }
        order = {name: number for number, name in enumerate(asked_about)}
        proposals = dict(sorted(proposals.items(), key=lambda it: order[it[0]]))
        result = with_rubrics(
            now, path, root, proposals, asked_about=asked_about, replace=self.replace
        )
        if self.diff:
            echo(Block(text_diff(now, result.text, self.argument.shown)), nl=False)
        elif result.text != now:
            try:
                write_text(path, result.text, now)
            except OSError as error:
                reason = why_not_written(error)
                echo(f"{self.argument.shown} cannot be written: {reason}", err=True)
                return code_of_unwritten(error)
        return result

    def _sum_up(self, choice: Choice, proposals: Proposals, result: Parsed) -> None:
        for name in result.cases:
            number = counted(len(proposals.rubrics[name]), "rubric")
            verb = "would get" if self.diff else "got"
            echo(f"{self._case(name)}: {verb} {number}", err=self.diff)
        spending = proposals.spending
        cost = f" for {dollars(spending.usd)}" if spending.usd else ""
        if spending.unpriced and spending.usd:
            cost += f", without {counted(spending.unpriced, 'call')} of unknown cost"
        calls = f"; {counted(spending.questions, 'call')}{cost}" if spending.questions else ""
        done = "rubrics proposed, not written," if self.diff else "rubrics written"
        echo(
            f"{self.argument.shown}: {done} for {len(result.cases):,} of "
            f"{counted(len(choice.requests) + len(choice.not_added), 'case')}{calls}",
            err=self.diff,
        )

    def _case(self, name: str) -> str:
        return f"{self.argument.shown}::{name}"


def _sources(suite: ParsedSuite) -> dict[str, str]:
    """Return the text of each case by its id."""
    return {case.id.text: case.source for case in suite.cases if case.id is not None}
