"""Proposing rubrics: select cases and targets, and collect the proposals."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as changed

from suitecase.authoring.generating.rubric_proposal import (
    ProposedRubric,
    proposal_question,
    read_proposal,
)
from suitecase.authoring.generating.rubric_writing import has_rubrics
from suitecase.format.target_files import EMBEDDED
from suitecase.formats.suitecase.effective_suite import EffectiveCase
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.run.case_prompt import FileGoneError, build_prompt
from suitecase.run.jobs import Job
from suitecase.run.metered_target import CaseContext, RunContext, Spending
from suitecase.run.plan import Plan
from suitecase.run.sandboxing import SandboxSetup, lowered, require
from suitecase.run.target_pool import TargetPool
from suitecase_evaluators.answers.sandbox_level import Level
from suitecase_evaluators.grade.judge.dialogue import Dialogue
from suitecase_evaluators.grade.judge.reply import Unreadable
from suitecase_evaluators.targets.redactor import REDACTED, Redactor
from suitecase_evaluators.targets.target import TargetError


@dataclass(frozen=True, slots=True)
class ProposalRequest:
    """A case to propose rubrics for, and the target to call."""

    case: EffectiveCase
    target: str


@dataclass(frozen=True, slots=True)
class Choice:
    """The cases to propose rubrics for.

    `skipped` has the ids of those that have some or are not to get any, `not_added` those that none
    can be added to, each with the reason.
    """

    requests: tuple[ProposalRequest, ...]
    skipped: dict[str, str]
    not_added: Mapping[str, str] = field(default_factory=dict)

    def without(self, not_added: Mapping[str, str]) -> Choice:
        """Return the choice without the cases that no rubrics can be added to."""
        requests = tuple(request for request in self.requests if request.case.id not in not_added)
        return changed(self, requests=requests, not_added=not_added)


@dataclass(slots=True)
class Proposals:
    """The proposals by the id of the case.

    `unusable` has the cases whose replies could not be used, `failed` those whose target could not
    be called, each with the reason.
    """

    rubrics: dict[str, tuple[ProposedRubric, ...]] = field(default_factory=dict)
    unusable: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    spending: Spending = field(default_factory=Spending)
    interrupted: bool = False


def cannot_propose(pool: TargetPool, name: str) -> str | None:
    """Return why a target cannot propose rubrics; None if it can.

    Raises:
        TargetError: there is no such target.
    """
    config = pool.config(name)
    why = config.writes_nothing_new
    if why is None:
        return None
    return f"the target `{name}` {why}: it cannot propose rubrics. Name a model with --target"


def pool_of(plan: Plan, sandboxed: SandboxSetup, redactor: Redactor) -> TargetPool:
    """Return the targets of a suite."""
    return TargetPool(
        plan.targets,
        folder=plan.folder.path,
        environ=os.environ,
        redactor=redactor,
        sandbox=sandboxed.sandbox,
    )


def chosen(
    plan: Plan, suite: ParsedSuite, pool: TargetPool, target: str | None, *, replace: bool
) -> Choice:
    """Select the cases to propose rubrics for, and their targets.

    Args:
        suite: the same suite, parsed.
        target: the target to call; None for the judge of each case.
        replace: include cases that have `rubrics`.

    Raises:
        TargetError: a target does not exist.
    """
    requests: list[ProposalRequest] = []
    skipped: dict[str, str] = {}
    for case in plan.cases:
        number = suite.case_named(case.id)
        where = has_rubrics(suite.cases[number]) if number is not None else None
        if where is not None and not (replace and where == "`rubrics`"):
            hint = "; --replace proposes new ones" if where == "`rubrics`" else ""
            skipped[case.id] = f"it has rubrics, in {where}{hint}"
            continue
        requests.append(ProposalRequest(case, target or pool.judge_of(case.target or EMBEDDED)))
    return Choice(tuple(requests), skipped)


def set_up(requests: Sequence[ProposalRequest], pool: TargetPool, level: Level) -> list[str]:
    """Create every target that will be called, so that errors are reported before the first call.

    Returns:
        warnings about programs that request a lower sandbox level than they get.

    Raises:
        TargetError: a target is unavailable.
        SandboxError: a target is a program that would not reach `level`.
    """
    jobs = [Job(changed(request.case, evaluators=()), request.target) for request in requests]
    require(level, jobs, pool)
    for request in requests:
        pool.target(request.target)
    return lowered(jobs, pool)


async def propose(
    requests: Sequence[ProposalRequest],
    plan: Plan,
    pool: TargetPool,
    redactor: Redactor,
) -> Proposals:
    """Propose rubrics for each case; an error in one does not affect the others."""
    proposals = Proposals()
    context = RunContext(pool, redactor)
    proposals.spending = context.spending

    async def one(request: ProposalRequest) -> None:
        name = request.case.id
        try:
            prompt = await asyncio.to_thread(
                build_prompt, request.case, plan.suite, plan.folder, takes_files=False
            )
            question = proposal_question(
                prompt, request.case.case.expected_outcome, plan.suite.prompt
            )
            dialogue = Dialogue(
                CaseContext(context).target(request.target), question, read_without_secrets
            )
            rubrics = await dialogue.verdict()
        except (TargetError, FileGoneError) as error:
            proposals.failed[name] = redactor(error.message)
        else:
            if rubrics is None:
                reason = redactor(dialogue.problems[-1].reason)
                proposals.unusable[name] = (
                    f"none of {len(dialogue.problems)} replies could be used; in the last one, {reason}"
                )
            else:
                proposals.rubrics[name] = rubrics

    def read_without_secrets(reply: str, cut_off: bool) -> tuple[ProposedRubric, ...] | Unreadable:
        parsed = read_proposal(reply, cut_off=cut_off)
        if not isinstance(parsed, Unreadable):
            texts = [text for it in parsed for text in (it.id, it.expected_outcome)]
            # Secrets in the reply may have been redacted already.
            if any(REDACTED in redactor(text) for text in texts):
                return Unreadable("an item contains a secret of the environment")
        return parsed

    try:
        async with asyncio.TaskGroup() as group:
            for entry in requests:
                group.create_task(one(entry))
    except asyncio.CancelledError:
        # Ctrl-C: proposals so far are kept, since they cost money.
        proposals.interrupted = True
    finally:
        await pool.close()
    return proposals
