"""Calibrating judges from their labels to the texts of their files."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from suitecase.authoring.judging.asking import Asking, JudgedAnswer
from suitecase.authoring.judging.calibrating import calibration_of, calls_of, estimated_questions
from suitecase.authoring.judging.choice import ChosenJudge, chosen_judge, names_of_judges
from suitecase.authoring.judging.labeled_answers import LabeledAnswer
from suitecase.evidence.calibration_file import Calibration
from suitecase.formats.suitecase.effective_suite import EffectiveEvaluator
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.run.jobs import Job
from suitecase.run.limits import Limits
from suitecase.run.metered_target import RunContext
from suitecase.run.plan import Plan
from suitecase.run.protocol import RunRequest
from suitecase.run.sandboxing import lowered, require, required, sandbox_of
from suitecase.run.setting_up import require_prices_of
from suitecase.run.target_pool import TargetPool
from suitecase_evaluators.targets.redactor import Redactor


@dataclass(frozen=True, slots=True)
class CalibratedJudge:
    """A judge that was asked about all labeled answers.

    Attributes:
        judge: the judge.
        calibration: what its file is to say.
        failed_probes: how many questions of probes had no readable reply.
        usd: what the questions cost, as far as targets report it.
    """

    judge: ChosenJudge
    calibration: Calibration
    failed_probes: int
    usd: float


@dataclass(frozen=True, slots=True)
class IncompleteCalibration:
    """A judge that was not asked about all labeled answers, so that nothing is written.

    Attributes:
        judge: the judge.
        answered: how many answers it graded.
        reason: why it did not grade the others.
    """

    judge: ChosenJudge
    answered: int
    reason: str


class CalibrationSession:
    """The judges of one suite, and what they are asked with.

    Attributes:
        warnings: what users should know.
        judges: those that `choose` found.
        context: the targets, with what is spent.
    """

    def __init__(self, plan: Plan, suite: ParsedSuite, request: RunRequest) -> None:
        """
        Args:
            plan: the suite.
            suite: the same suite as it is written.
            request: the budget and other limits.

        Raises:
            SandboxError: the settings of the sandbox are unknown.
        """
        self.plan = plan
        self.suite = suite
        self.request = request
        self.redactor = Redactor()
        self.judges: list[ChosenJudge] = []
        sandboxed = sandbox_of(plan.configuration, Path(request.workspace_root), request.sandbox)
        self.warnings = list(sandboxed.ignored)
        self._level = required(request.require_sandbox, sandboxed)
        self.pool = TargetPool(
            plan.targets,
            folder=plan.folder.path,
            environ=os.environ,
            redactor=self.redactor,
            workers=request.concurrency,
            sandbox=sandboxed.sandbox,
        )
        self.context = RunContext(
            self.pool, self.redactor, request.cache, warn=self.warnings.append
        )

    def choose(self, names: Sequence[str], results: Sequence[Path], *, probes: bool) -> None:
        """Find the judges and their labeled answers.

        Raises:
            NothingToCalibrateError: there is nothing to calibrate.
            OSError: a results file cannot be read.
            TargetError: a target does not exist.
        """
        wanted = names_of_judges(self.plan.suite.head, names)
        self.judges = [
            chosen_judge(it, self.plan, self.suite, self.pool, results, probes=probes)
            for it in wanted
        ]

    def prepare(self) -> None:
        """Make sure that every judge can be asked, before the first question.

        Raises:
            SandboxError: a program would not reach the level that is required.
            TargetError: a target cannot be set up.
            UnknownPriceError: there is a budget, and the price of a model is unknown.
        """
        answers = self._answers
        jobs = [_job(answer) for answer in answers]
        require(self._level, jobs, self.pool)
        self.warnings += lowered(jobs, self.pool)
        calls = calls_of(answers)
        if self.request.budget_usd is not None:
            require_prices_of(calls, self.pool)
        if not self.request.dry_run:
            for name, _ in calls:
                self.pool.target(name)
            self.context.open_cache(Path(self.request.workspace_root))

    def estimate(self, judge: ChosenJudge) -> list[dict[str, Any]]:
        """Return the questions that a judge would be asked, as the estimate of a run has them."""
        return estimated_questions(judge.labeled.answers, self.plan, self.pool)

    async def calibrate(
        self, judge: ChosenJudge, done: Callable[[int], None] = lambda _: None
    ) -> CalibratedJudge | IncompleteCalibration:
        """Ask a judge about all labeled answers.

        Args:
            judge: one of `judges`.
            done: called after each answer, with their number so far.
        """
        answers = judge.labeled.answers
        limits = Limits(self.request, self.context)
        before = self.context.spending.usd
        asking = Asking(self.plan, self.context, limits)
        judged = await asking.ask(answers, done)
        failed = [it for it in judged if it.opinion.error is not None]
        if len(judged) < len(answers) or failed:
            reason = limits.stop_reason() or _reason(failed, self.redactor)
            return IncompleteCalibration(judge, len(judged) - len(failed), reason)
        models = {self.redactor(model) for model in asking.models}
        calibration = calibration_of(
            judge.people, judged, judge.parts, models, self.plan.folder, self.pool
        )
        return CalibratedJudge(
            judge,
            calibration,
            sum(it.failed for it in judged),
            self.context.spending.usd - before,
        )

    @property
    def _answers(self) -> list[LabeledAnswer]:
        return [answer for judge in self.judges for answer in judge.labeled.answers]

    async def close(self) -> None:
        """Close targets and cache; safe to call twice."""
        await self.pool.close()
        self.context.close()


def _job(answer: LabeledAnswer) -> Job:
    """Return a job that starts no program but those of the judge."""
    own = (EffectiveEvaluator(answer.config, "suite", None),)
    return Job(replace(answer.case, evaluators=own), answer.judge)


def _reason(failed: Sequence[JudgedAnswer], redactor: Redactor) -> str:
    """Return why answers were not graded, by the first of them."""
    first = failed[0]
    return f"`{first.labeled.case.id}`: {redactor(first.opinion.error or '')}"
