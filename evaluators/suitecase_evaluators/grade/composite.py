"""Grades an answer by several evaluators and makes one score of theirs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator
from pydantic_core import PydanticCustomError

from suitecase_evaluators.answers.sandbox_level import SANDBOX_OF_SCRIPTS, WantedLevel, lowest
from suitecase_evaluators.answers.score import Score, Verdict, shown_score, verdict_for
from suitecase_evaluators.grade.code_judge import judged_by
from suitecase_evaluators.grade.combine import case_score
from suitecase_evaluators.grade.evaluator import (
    MEMBER_OF,
    Description,
    EvaluatorConfig,
    JudgeCalls,
    Prompt,
    Reading,
    Services,
    Subject,
    evaluator,
)
from suitecase_evaluators.grade.judge.attempts import MOST_ATTEMPTS
from suitecase_evaluators.grade.judge.judging import JudgeCall, judge_free_form
from suitecase_evaluators.grade.judge.template import (
    UNKNOWN_MESSAGES,
    render,
    shows_what_is_known,
    values_of,
)
from suitecase_evaluators.grade.member_results import member_record, without_judging
from suitecase_evaluators.grade.registry import EvaluatorEntry
from suitecase_evaluators.grade.script_contract import script_input
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.schema.model import Model
from suitecase_evaluators.schema.type_tag import type_tag
from suitecase_evaluators.targets.program import ProgramError
from suitecase_evaluators.targets.sandbox.command import Command
from suitecase_evaluators.targets.target import Criterion, TargetError

#: The placeholder for the results of members in a preview of the prompt.
_RESULTS = "(what the members found, as JSON)"
Members = Sequence[tuple[EvaluatorConfig, Score]]


class WeightedAverage(Model):
    """The mean of the members' scores, by weight."""

    type: Literal["weighted_average"]
    weights: Annotated[dict[str, Annotated[float, Field(ge=0)]] | None, FieldRole.WEIGHTS] = Field(
        default=None,
        description="The weight of each member, by name. A member that is not listed has its own `weight`, "
        "which is 1 by default.",
    )


class CodeAggregator(Model):
    """A script makes the score. It reads what a `code_judge` reads, and the members' `results`."""

    type: Literal["code_judge"]
    path: Annotated[str, FieldRole.COMMAND] = Field(
        pattern=r"\S",
        description="The command line of the script, run by the shell. It reads what a "
        "`code_judge` reads, with `results` beside it: a list of the members' `name`, `type`, "
        "`score`, `weight`, `verdict`, `hits`, `misses`, `reasoning` and `details`. What judges "
        "were asked and replied is not in it. It answers as a `code_judge` does. Where a member "
        "could not grade, the script is not run. Relative paths count from `cwd`.",
    )
    cwd: Annotated[str | None, FieldRole.FOLDER] = Field(
        default=None,
        pattern=r"\S",
        description="The folder that the script runs in, searched for in the suite's folder and in each one"
        " above it, up to the root of the workspace. Default: the suite's folder.",
    )
    sandbox: Annotated[WantedLevel | None, FieldRole.SANDBOX] = Field(
        default=None,
        description=SANDBOX_OF_SCRIPTS,
    )


class JudgeAggregator(Model):
    """The judge reads the members' results and gives the score."""

    type: Literal["llm_judge"]
    prompt: Annotated[str, FieldRole.AGGREGATION_PROMPT] = Field(
        pattern=r"\S",
        description="The judge's prompt: the path of a text file, or the text itself. `{{ "
        "EVALUATOR_RESULTS_JSON }}` is replaced by the members' results, without the prompts "
        "and replies of their judges; the variables of an `llm_judge` prompt work too.",
    )


class CompositeConfig(EvaluatorConfig):
    """Several evaluators grade the answer, and an aggregator combines their scores.

    A member whose gate fails makes the composite fail. A member with nothing to grade by does not
    count. If a member could not grade, the composite cannot either, whichever aggregator it has: a
    score would leave out an unknown part.
    """

    type: Literal["composite"]
    evaluators: Annotated[list[EvaluatorEntry], FieldRole.MEMBERS] = Field(
        min_length=1,
        description="The members: evaluators of any type, including composites, each with its own name, "
        "prompt and rubrics.",
    )
    aggregator: Annotated[
        Annotated[WeightedAverage, Tag("<weighted_average>")]
        | Annotated[CodeAggregator, Tag("<code_judge>")]
        | Annotated[JudgeAggregator, Tag("<llm_judge>")],
        Discriminator(type_tag),
    ] = Field(
        description="How the members' scores are combined: `weighted_average`, `code_judge` (a script "
        "decides) or `llm_judge` (the judge decides)."
    )

    @property
    def members(self) -> list[EvaluatorConfig]:
        """The members with the weights they count by: those the aggregator gives go before theirs."""
        aggregator = self.aggregator
        weights = aggregator.weights if isinstance(aggregator, WeightedAverage) else None
        return [
            evaluator.model_copy(update={"weight": weights[evaluator.name]})
            if weights and evaluator.name in weights
            else evaluator
            for evaluator in self.evaluators
        ]

    @model_validator(mode="after")
    def _names_fit(self) -> CompositeConfig:
        names = [it.name for it in self.evaluators]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise PydanticCustomError(
                "composite_member_twice",
                "two members are named `{name}`, so their results could not be told apart",
                {"name": twice},
            )
        weights = self.aggregator.weights if isinstance(self.aggregator, WeightedAverage) else None
        stray = next((weight for weight in weights or () if weight not in names), None)
        if stray is not None:
            raise PydanticCustomError(
                "composite_weight_unknown",
                "`weights` names `{name}`, which is not a member; the members are {members}",
                {
                    "name": stray,
                    "members": ", ".join(f"`{name}`" for name in names),
                    "place": ("aggregator", "weights", stray),
                },
            )
        return self


def _judge_calls(config: CompositeConfig) -> tuple[JudgeCalls, ...]:
    judged = isinstance(config.aggregator, JudgeAggregator)
    return (JudgeCalls(least=1, most=MOST_ATTEMPTS),) if judged else ()


def _commands(config: CompositeConfig) -> tuple[Command, ...]:
    match config.aggregator:
        case CodeAggregator(path=path, cwd=cwd, sandbox=wanted):
            return (Command(line=path, cwd=cwd, sandbox=wanted),)
        case _:
            return ()


def _prompt(config: CompositeConfig) -> Prompt | None:
    if not isinstance(config.aggregator, JudgeAggregator):
        return None

    def filled(text: str | None, subject: Subject | None) -> str:
        values = {} if subject is None else values_of(subject)
        return render(text or "", {**values, "EVALUATOR_RESULTS_JSON": _RESULTS})

    return Prompt(filled=filled, written=config.aggregator.prompt)


def _as_graded(config: CompositeConfig, reading: Reading) -> CompositeConfig:
    aggregator = config.aggregator
    if isinstance(aggregator, JudgeAggregator):
        text = reading.prompt(aggregator.prompt)
        aggregator = aggregator.model_copy(update={"prompt": text})
    members = [reading.member(member) for member in config.members]
    return config.model_copy(update={"evaluators": members, "aggregator": aggregator})


@evaluator(
    CompositeConfig,
    description=Description(
        judge_calls=_judge_calls,
        members=lambda config: config.evaluators,
        commands=_commands,
        prompt=_prompt,
        as_graded=_as_graded,
    ),
)
async def composite(config: CompositeConfig, subject: Subject, services: Services) -> Score:
    """Let each member grade, side by side, then aggregate."""
    import asyncio

    configs = config.members
    within = MEMBER_OF.set((*MEMBER_OF.get(), config.name))
    try:
        async with asyncio.TaskGroup() as group:
            grading = [group.create_task(services.grade(it, subject)) for it in configs]
    finally:
        MEMBER_OF.reset(within)
    members = [(it, task.result()) for it, task in zip(configs, grading, strict=True)]
    records = [member_record(it, score) for it, score in members]
    details: dict[str, Any] = {"members": records}
    attempts = sum(score.attempts for _, score in members)
    parse_failed = any(score.parse_failed for _, score in members)
    if not any(score.verdict.graded for _, score in members):
        level = lowest(*(score.sandbox for _, score in members))
        return replace(
            _ungraded(members),
            details=details,
            attempts=attempts,
            sandbox=level,
            refused=_refused(members),
        )
    try:
        score = await _aggregated(config, members, records, subject, services)
    except (TargetError, ProgramError) as error:
        # What the members found is kept all the same.
        score = Score.failed_to_grade(error.message)
    if not isinstance(config.aggregator, WeightedAverage):
        # Judges that fail are counted, and what the aggregator's did is not a member's.
        details["aggregator"] = {
            "attempts": score.attempts,
            "parse_failed": score.parse_failed,
            "error": score.error,
        }
    return replace(
        _gated(score, members),
        details={**score.details, **details},
        attempts=attempts + score.attempts,
        parse_failed=parse_failed or score.parse_failed,
        sandbox=lowest(score.sandbox, *(it.sandbox for _, it in members)),
        refused=_refused(members),
    )


def _refused(members: Members) -> bool | None:
    """Return whether the answer is a refusal, if a member looks at that."""
    found = [score.refused for _, score in members if score.refused is not None]
    return any(found) if found else None


async def _aggregated(
    config: CompositeConfig,
    members: Members,
    records: list[dict[str, Any]],
    subject: Subject,
    services: Services,
) -> Score:
    """Return what the aggregator makes of the members' results, which `records` has for records.

    Raises:
        TargetError: there is no judge.
        ProgramError: the script cannot be started.
    """
    match config.aggregator:
        case WeightedAverage():
            return _weighted_average(members)
        case _ if any(score.verdict is Verdict.ERROR for _, score in members):
            return _incomplete(members)
        case CodeAggregator(path=path, cwd=cwd, sandbox=wanted):
            return await judged_by(
                path,
                cwd,
                subject.folders or (subject.folder,),
                script_input(subject, None, results=without_judging(records)),
                sandbox=services.sandbox,
                wanted=wanted,
            )
        case JudgeAggregator(prompt=prompt):
            return await _judged(config.name, prompt, subject, services, without_judging(records))


def _broken(members: Members) -> str:
    return "; ".join(f"`{it.name}`: {score.error}" for it, score in members if score.error)


def _incomplete(members: Members) -> Score:
    """Return the score where a member could not grade, of which an aggregator is not asked.

    A gate that failed decides all the same: nothing else could turn that around.
    """
    message = "; ".join(f"{it.name}: {_said(score)}" for it, score in members)
    if any(score.gate_failed for _, score in members):
        return Score.graded(0.0, gate_failed=True, reasoning=message)
    return Score.failed_to_grade(
        f"some members failed to grade; {_broken(members)}", reasoning=message
    )


def _ungraded(members: Members) -> Score:
    """Return the score where no member graded."""
    broken = _broken(members)
    if broken:
        return Score.failed_to_grade(f"no member could grade; {broken}")
    return Score.not_evaluated("no member had anything to grade by")


def _weighted_average(members: Members) -> Score:
    combined = case_score([(it.weight, score) for it, score in members])
    message = "; ".join(f"{it.name}: {_said(score)}" for it, score in members)
    if combined.verdict is Verdict.ERROR:
        return Score.failed_to_grade(
            f"some members failed to grade; {_broken(members)}",
            reasoning=message,
            details={"score_without_failed_members": combined.score},
        )
    if combined.score is None:
        return Score.not_evaluated("every member that graded has weight 0")
    return Score(
        score=combined.score,
        verdict=combined.verdict,
        gate_failed=combined.gate_failed,
        hits=tuple(f"[{it.name}] {text}" for it, score in members for text in score.hits),
        misses=tuple(f"[{it.name}] {text}" for it, score in members for text in score.misses),
        reasoning=message,
    )


def _said(score: Score) -> str:
    summary = score.verdict.value if score.score is None else shown_score(score.score)
    if score.parse_failed:
        summary = "the judge failed"
    text = score.error or score.reasoning
    return f"{summary} ({text})" if text else summary


async def _judged(
    name: str, prompt: str, subject: Subject, services: Services, results: list[dict[str, Any]]
) -> Score:
    """Let the judge decide.

    Raises:
        TargetError: there is no judge.
    """
    if not shows_what_is_known(prompt, subject):
        return Score.failed_to_grade(UNKNOWN_MESSAGES)
    listing = json.dumps(results, ensure_ascii=False, indent=2)
    call = JudgeCall(
        evaluator=name,
        user_prompt=render(prompt, {**values_of(subject), "EVALUATOR_RESULTS_JSON": listing}),
    )
    criterion = Criterion("results", subject.expected_outcome, "free")
    return await judge_free_form(call, subject, services.judge(), criterion)


def _gated(score: Score, members: Members) -> Score:
    """Fail a score of which a member's gate failed."""
    failed = [it.name for it, result in members if result.gate_failed]
    if not failed or score.score is None:
        return score
    note = f"what {', '.join(f'`{it}`' for it in failed)} requires is not met"
    return replace(
        score,
        gate_failed=True,
        verdict=verdict_for(score.score, gate_failed=True),
        reasoning="; ".join(filter(None, (note, score.reasoning))),
    )
