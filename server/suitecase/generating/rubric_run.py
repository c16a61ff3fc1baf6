"""Asking for rubrics: which cases, of whom, and what came of each."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from dataclasses import replace as changed

from suitecase.generating.rubric_proposal import (
    ProposedRubric,
    proposal_question,
    read_proposal,
)
from suitecase.generating.rubric_writing import has_rubrics
from suitecase.run.case_prompt import FileGoneError, build_prompt
from suitecase.run.jobs import Job
from suitecase.run.metered_target import CaseContext, RunContext, Spending
from suitecase.run.plan import Plan
from suitecase.run.sandboxing import SandboxSetup, lowered, require
from suitecase.run.target_pool import TargetPool
from suitecase.suite.parsed import ParsedSuite
from suitecase.suite.resolve import EffectiveCase
from suitecase.suite.target_files import EMBEDDED
from suitecase_evaluators.judge.judging import Dialogue
from suitecase_evaluators.judge.reply import Unreadable
from suitecase_evaluators.sandbox.level import Level
from suitecase_evaluators.targets.redactor import REDACTED, Redactor
from suitecase_evaluators.targets.target import TargetError


@dataclass(frozen=True, slots=True)
class Wanted:
    """A case that rubrics are to be proposed for, and the target that is asked."""

    case: EffectiveCase
    target: str


@dataclass(frozen=True, slots=True)
class Choice:
    """The cases to ask about, and those that are left as they are, with why, by id."""

    wanted: tuple[Wanted, ...]
    left: dict[str, str]


@dataclass(slots=True)
class Proposals:
    """What came of asking, by the id of the case.

    `unusable` are cases whose replies could not be used, `unasked` those that could not be asked,
    each with why.
    """

    rubrics: dict[str, tuple[ProposedRubric, ...]] = field(default_factory=dict)
    unusable: dict[str, str] = field(default_factory=dict)
    unasked: dict[str, str] = field(default_factory=dict)
    spending: Spending = field(default_factory=Spending)
    interrupted: bool = False


def cannot_propose(pool: TargetPool, name: str) -> str | None:
    """Return why a target can propose nothing; None where it may.

    Raises:
        TargetError: there is no such target.
    """
    config = pool.config(name)
    why = config.writes_nothing_new
    if why is None:
        return None
    return f"the target `{name}` {why}: it cannot propose rubrics. Name a model with --target"


def pool_of(plan: Plan, held: SandboxSetup, redactor: Redactor) -> TargetPool:
    """Return the targets of a suite."""
    return TargetPool(
        plan.targets,
        folder=plan.folder.path,
        environ=os.environ,
        redactor=redactor,
        sandbox=held.sandbox,
    )


def chosen(
    plan: Plan, suite: ParsedSuite, pool: TargetPool, target: str | None, *, replace: bool
) -> Choice:
    """Return the cases to ask about, each with whom.

    Args:
        suite: the same suite as it is written.
        target: who is asked; None asks who judges the case's answers.
        replace: cases that have `rubrics` are asked about too.

    Raises:
        TargetError: there is no target of a name.
    """
    wanted: list[Wanted] = []
    left: dict[str, str] = {}
    for case in plan.cases:
        number = suite.case_named(case.id)
        where = has_rubrics(suite.cases[number]) if number is not None else None
        if where is not None and not (replace and where == "`rubrics`"):
            hint = "; --replace proposes new ones" if where == "`rubrics`" else ""
            left[case.id] = f"it has rubrics, in {where}{hint}"
            continue
        wanted.append(Wanted(case, target or pool.judge_of(case.target or EMBEDDED)))
    return Choice(tuple(wanted), left)


def set_up(wanted: Sequence[Wanted], pool: TargetPool, level: Level) -> list[str]:
    """Make every target that will be asked: what is missing is said before anything is asked.

    Returns:
        what to say of programs that ask to be held less than they are.

    Raises:
        TargetError: something is missing.
        SandboxError: a target is a program, and would be held less than `level`.
    """
    jobs = [Job(changed(it.case, evaluators=()), it.target) for it in wanted]
    require(level, jobs, pool)
    for it in wanted:
        pool.target(it.target)
    return lowered(jobs, pool)


async def propose(
    wanted: Sequence[Wanted],
    plan: Plan,
    pool: TargetPool,
    redactor: Redactor,
) -> Proposals:
    """Ask about each case; what goes wrong with one holds up none of the others."""
    made = Proposals()
    context = RunContext(pool, redactor)
    made.spending = context.spending

    async def one(it: Wanted) -> None:
        name = it.case.id
        try:
            told = await asyncio.to_thread(
                build_prompt, it.case, plan.suite, plan.folder, takes_files=False
            )
            question = proposal_question(told, it.case.case.expected_outcome, plan.suite.prompt)
            dialogue = Dialogue(
                CaseContext(context).target(it.target), question, read_without_secrets
            )
            found = await dialogue.verdict()
        except (TargetError, FileGoneError) as error:
            made.unasked[name] = redactor(error.message)
        else:
            if found is None:
                made.unusable[name] = redactor(dialogue.problems[-1].reason)
            else:
                made.rubrics[name] = found

    def read_without_secrets(reply: str, cut_off: bool) -> tuple[ProposedRubric, ...] | Unreadable:
        found = read_proposal(reply, cut_off=cut_off)
        if not isinstance(found, Unreadable):
            texts = [text for it in found for text in (it.id, it.expected_outcome)]
            # The reply may have come without its secrets already.
            if any(REDACTED in redactor(it) for it in texts):
                return Unreadable("an item holds a secret of the environment")
        return found

    try:
        async with asyncio.TaskGroup() as group:
            for it in wanted:
                group.create_task(one(it))
    except asyncio.CancelledError:
        # Ctrl-C: what was proposed was paid for, and is kept.
        made.interrupted = True
    finally:
        await pool.close()
    return made
