"""Asking a judge about answers that exist, as a run asks it, and then with each probe."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from suitecase.authoring.judging.labeled_answers import LabeledAnswer
from suitecase.authoring.judging.opinion import Opinion, opinion_of
from suitecase.authoring.judging.probes import Probed, asks, probed
from suitecase.evidence.judge_probes import ORDER
from suitecase.run.case_prompt import FileGoneError, build_prompt
from suitecase.run.grading import CaseServices
from suitecase.run.limits import Limits
from suitecase.run.metered_target import CaseContext, RunContext
from suitecase.run.plan import Plan
from suitecase.run.subject import subject_of
from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import EvaluatorConfig, Subject
from suitecase_evaluators.grade.registry import grade
from suitecase_evaluators.targets.sandbox.confinement import Sandbox
from suitecase_evaluators.targets.scripting.bridges import Bridges
from suitecase_evaluators.targets.target import CallContext, Question, Reply, Target

#: Added to the number of the repeat for a question that is asked again, so that it gets another seed,
#: and is not answered by the cache.
AGAIN = 1_000


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """What a judge says about a labeled answer.

    Attributes:
        labeled: the answer.
        opinion: what the judge says.
        probed: the probes that were tried.
        turned: those of them that turned the verdict.
        failed: how many probes could not be tried, because the judge failed or was not readable.
    """

    labeled: LabeledAnswer
    opinion: Opinion
    probed: tuple[str, ...] = ()
    turned: tuple[str, ...] = ()
    failed: int = 0


@dataclass(slots=True)
class Asking:
    """Asks about each answer, as many at a time as the judge has workers.

    Attributes:
        plan: the suite.
        context: the targets, with what is spent.
        limits: the budget, and errors in a row.
        models: the models that replied, as providers report them.
    """

    plan: Plan
    context: RunContext
    limits: Limits
    models: set[str] = field(default_factory=set)

    async def ask(
        self, answers: Sequence[LabeledAnswer], done: Callable[[int], None] = lambda _: None
    ) -> list[JudgedAnswer]:
        """Return what the judge says about answers, in their order.

        Those that were not asked about are missing: `limits` says why.

        Args:
            answers: the answers.
            done: called after each answer, with their number so far.
        """
        pool = self.context.pool
        places = {
            it.judge: asyncio.Semaphore(pool.workers(it.judge))
            for it in {it.judge: it for it in answers}.values()
        }
        found: dict[int, JudgedAnswer] = {}

        async def one(number: int, answer: LabeledAnswer) -> None:
            async with places[answer.judge]:
                if not await self.limits.begin(answer.judge):
                    return
                before = _Cost()
                found[number] = await self._judged(answer, before)
                self.limits.end(answer.judge, before.usd)
                done(len(found))

        async with asyncio.TaskGroup() as group:
            for number, answer in enumerate(answers):
                group.create_task(one(number, answer))
        return [found[number] for number in sorted(found)]

    async def _judged(self, answer: LabeledAnswer, cost: _Cost) -> JudgedAnswer:
        try:
            subject = await asyncio.to_thread(self._subject, answer)
        except FileGoneError as error:
            return JudgedAnswer(answer, Opinion(error=error.message))
        opinion = await self._opinion(answer, answer.config, subject, cost)
        if opinion.passed is None:
            return JudgedAnswer(answer, opinion)
        tried: list[str] = []
        turned: list[str] = []
        failed = 0
        for name in answer.probes:
            if not asks(name):
                if name == ORDER and opinion.consistent is not None:
                    tried.append(name)
                    turned += [] if opinion.consistent else [name]
                continue
            probe = probed(
                name, answer.config, subject, passed=opinion.passed, number=answer.number
            )
            if probe is None:
                continue
            after = await self._probe(answer, probe, cost)
            if after.passed is None:
                failed += 1
                continue
            tried.append(name)
            turned += [name] if probe.turned(opinion.passed, after.passed) else []
        return JudgedAnswer(answer, opinion, tuple(tried), tuple(turned), failed)

    async def _probe(self, answer: LabeledAnswer, probe: Probed, cost: _Cost) -> Opinion:
        again = AGAIN if probe.again else 0
        return await self._opinion(answer, probe.config, probe.subject, cost, again=again)

    async def _opinion(
        self,
        answer: LabeledAnswer,
        config: EvaluatorConfig,
        subject: Subject,
        cost: _Cost,
        *,
        again: int = 0,
    ) -> Opinion:
        place = self._place(answer, again)
        case = CaseContext(self.context, place)
        services = _Services(CaseServices(case, answer.judge), self.models)
        score = await grade(config, subject, services)
        cost.usd += case.usd
        opinion = opinion_of(config, score)
        name = f"the evaluator `{config.name}` ({config.type})"
        if opinion.error is None:
            self.context.failures.worked(name)
        elif self.context.pool.costs(answer.judge):
            self.context.failures.failed(name, self.context.redactor(opinion.error))
        if opinion.error is None and self.context.pool.costs(answer.judge):
            problems = score.details.get("reply_problems") or ["its reply could not be read"]
            unreadable = self.context.redactor(str(problems[-1])) if score.parse_failed else None
            self.context.failures.judged(
                (score.request or {}).get("target", answer.judge), unreadable
            )
        return opinion

    def _subject(self, answer: LabeledAnswer) -> Subject:
        prompt = build_prompt(
            answer.case,
            self.plan.suite,
            self.plan.folder,
            takes_files=self.context.pool.takes_files(answer.target),
        )
        place = self._place(answer)
        return subject_of(answer.case, self.plan, prompt, answer.reply, place)

    def _place(self, answer: LabeledAnswer, again: int = 0) -> CallContext:
        suite = self.plan.folder.shown(self.plan.suite.path)
        return CallContext(suite, answer.target, answer.repeat + again)


@dataclass(slots=True)
class _Cost:
    """What the questions about an answer cost, as far as targets report it."""

    usd: float = 0.0


@dataclass(frozen=True, slots=True)
class _Services:
    """The services of a run, which also take note of the models that reply."""

    services: CaseServices
    models: set[str]

    def judge(self, name: str | None = None) -> Target:
        """Return the target with this name, or the answer's judge."""
        return _Noting(self.services.judge(name), self.models)

    async def grade(self, config: EvaluatorConfig, subject: Subject) -> Score:
        """Grade an answer by a member of an evaluator."""
        return await grade(config, subject, self)

    @property
    def sandbox(self) -> Sandbox:
        """The sandbox for programs."""
        return self.services.sandbox

    @property
    def bridges(self) -> Bridges:
        """The processes that call functions of scripts."""
        return self.services.bridges


class _Noting(Target):
    """A target that takes note of the model that replied."""

    def __init__(self, target: Target, models: set[str]) -> None:
        super().__init__(target.name)
        self._target = target
        self._models = models

    async def ask(self, question: Question) -> Reply:
        reply = await self._target.ask(question)
        if reply.model is not None:
            self._models.add(reply.model)
        return reply

    async def used(self, reply: Reply) -> None:
        await self._target.used(reply)
