"""One judgement: asks a target, once or for several votes, and makes a score of what it says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from suitecase_evaluators.answers.rubric import Rubric
from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import MEMBER_OF, Subject
from suitecase_evaluators.grade.judge.dialogue import Dialogue
from suitecase_evaluators.grade.judge.prompts import (
    COMPARISON_SYSTEM_PROMPT,
    FREE_FORM_SYSTEM_PROMPT,
    rubric_system_prompt,
    rubric_text,
)
from suitecase_evaluators.grade.judge.quotes import quotable_texts
from suitecase_evaluators.grade.judge.reply import (
    Checks,
    Comparison,
    FreeForm,
    Unreadable,
    read_checks,
    read_comparison,
    read_free_form,
)
from suitecase_evaluators.grade.judge.reply_schema import (
    checks_schema,
    comparison_schema,
    free_form_schema,
)
from suitecase_evaluators.grade.judge.scoring import free_form_score, rubric_score, unreadable_score
from suitecase_evaluators.grade.judge.template import shown_answer
from suitecase_evaluators.grade.judge.votes import (
    VOTES,
    Ballot,
    ballots_of_checks,
    ballots_of_scores,
    is_decided,
    majority_verdict,
    median_verdict,
    with_confidence,
)
from suitecase_evaluators.targets.recorded_judge import FINISH_REASONS, NOT_RETRIED, OUTPUT_TOKENS
from suitecase_evaluators.targets.target import (
    Criterion,
    Judging,
    Question,
    Target,
    TargetError,
    Turn,
)

#: The details of a score that say how the judge was asked, not what it found.
HOW_JUDGED = frozenset(
    {
        "replies", "reply_problems", "raised_max_output_tokens", FINISH_REASONS, OUTPUT_TOKENS, NOT_RETRIED,
        "aggregator", VOTES,
    }
)  # fmt: skip

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCall:
    """What a judge is asked, apart from the form of its reply."""

    #: The name of the evaluator that asks.
    evaluator: str
    #: The rendered prompt.
    user_prompt: str
    #: None asks the target's own model.
    model: str | None = None
    #: None means 0, so that scores repeat.
    temperature: float | None = None
    #: None leaves it to the target.
    max_output_tokens: int | None = None
    #: How often the judge is asked, for the majority of its verdicts.
    votes: int = 1
    #: Whether rubric items that are met need a quote of the answer.
    quotes: bool = False


async def judge_free_form(
    call: JudgeCall, subject: Subject, target: Target, criterion: Criterion
) -> Score:
    """Ask for a score from 0 to 1 with hits and misses.

    A judge that could not be reached gives a score of the verdict `error`; one whose replies could
    not be read in any attempt a score of 0 with `parse_failed`; and one that kept to another scale
    the nearest score, with `parse_failed` and the score as it was given.

    Args:
        criterion: what is judged, for targets that judge without a model.
    """
    question = _question(
        call, subject, FREE_FORM_SYSTEM_PROMPT, (criterion,), schema=free_form_schema()
    )
    poll = Poll(
        call.votes,
        target,
        question,
        lambda reply, cut_off: read_free_form(reply, cut_off=cut_off),
    )
    try:
        votes = await poll.verdicts()
    except TargetError as error:
        return Score.failed_to_grade(error.message, **poll.record())
    on_scale = is_decided(votes)
    if not on_scale:
        votes = [_nearest_at_last(dialogue) for dialogue in poll.dialogues]
    if not is_decided(votes):
        return unreadable_score(poll.problems[-1].reason, poll.record())
    ballots = ballots_of_scores(votes)
    score = free_form_score(median_verdict(votes), poll.record(ballots), parse_failed=not on_scale)
    return with_confidence(score, ballots)


def _nearest_at_last(dialogue: Dialogue[FreeForm]) -> FreeForm | None:
    """Return the verdict of a dialogue, else that of its last reply if only its scale is wrong."""
    if dialogue.found is not None or not dialogue.problems:
        return dialogue.found
    found: FreeForm | None = dialogue.problems[-1].off_scale
    return found


async def judge_rubrics(
    call: JudgeCall, subject: Subject, target: Target, rubrics: Sequence[Rubric]
) -> Score:
    """Ask about each rubric item in one call, checklist and range items alike.

    Where every reply leaves items out, the last one that says something usable counts; in it the
    missing items count 0 and fail their gates, and `parse_failed` marks it. Errors as in
    `judge_free_form`.

    Args:
        rubrics: not empty, with an id each, no id twice.
    """
    criteria = tuple(
        Criterion(rubric.id or "", rubric_text(rubric), rubric.mode, rubric.ranges)
        for rubric in rubrics
    )
    question = _question(
        call,
        subject,
        rubric_system_prompt(rubrics, quotes=call.quotes),
        criteria,
        schema=checks_schema(rubrics, quotes=call.quotes),
    )
    quotable = quotable_texts(subject) if call.quotes else None
    poll = Poll(
        call.votes,
        target,
        question,
        lambda reply, cut_off: read_checks(reply, rubrics, cut_off=cut_off, quotable=quotable),
    )
    try:
        await poll.verdicts()
    except TargetError as error:
        return Score.failed_to_grade(error.message, **poll.record())
    votes = [_read_at_last(dialogue) for dialogue in poll.dialogues]
    if not is_decided(votes):
        return unreadable_score(poll.problems[-1].reason, poll.record(), rubrics)
    ballots = ballots_of_checks(votes, rubrics)
    verdict = majority_verdict(votes, rubrics)
    score = rubric_score(verdict, rubrics, poll.record(ballots), quotes=call.quotes)
    return with_confidence(score, ballots)


def _read_at_last(dialogue: Dialogue[Checks]) -> Checks | None:
    """Return the verdict of a dialogue, else the last one of which something can be used."""
    if dialogue.found is not None:
        return dialogue.found
    usable = [problem.usable for problem in dialogue.problems if problem.usable.by_id]
    return usable[-1] if usable else None


async def compared(
    call: JudgeCall, subject: Subject, target: Target, answers: tuple[str, str]
) -> tuple[Comparison | None, dict[str, Any]]:
    """Ask which of two answers is better.

    Args:
        answers: the first and the second one.

    Returns:
        the verdict, None if no reply could be read, and what a score keeps of the asking.

    Raises:
        TargetError: the target could not answer.
    """
    criterion = Criterion("better", subject.expected_outcome, "compare")
    question = _question(
        call, subject, COMPARISON_SYSTEM_PROMPT, (criterion,), schema=comparison_schema()
    )
    if question.judging is not None:
        judging = replace(question.judging, candidate_answer=answers[0], second_answer=answers[1])
        question = replace(question, judging=judging)
    dialogue = Dialogue(
        target, question, lambda reply, cut_off: read_comparison(reply, cut_off=cut_off)
    )
    return await dialogue.verdict(), dialogue.record()


def _question(
    call: JudgeCall,
    subject: Subject,
    system_prompt: str,
    criteria: tuple[Criterion, ...],
    *,
    schema: Mapping[str, Any],
) -> Question:
    return Question(
        eval_id=subject.eval_id,
        turns=(Turn("system", system_prompt), Turn("user", call.user_prompt)),
        judging=Judging(
            evaluator=call.evaluator,
            criteria=criteria,
            candidate_answer=shown_answer(subject),
            reference_answer=subject.reference_answer,
            within=MEMBER_OF.get(),
            quotes=call.quotes,
        ),
        response_schema=schema,
        model=call.model,
        temperature=0.0 if call.temperature is None else call.temperature,
        max_output_tokens=call.max_output_tokens,
        seed=subject.seed if call.votes > 1 else None,
        call_context=subject.call_context,
    )


class Poll(Generic[T]):
    """The votes of a judge on one answer, each a dialogue of its own; mostly it is one."""

    def __init__(
        self,
        votes: int,
        target: Target,
        question: Question,
        read: Callable[[str, bool], T | Unreadable],
    ) -> None:
        seed = question.seed
        others = (
            replace(question, vote=number, seed=None if seed is None else seed + number - 1)
            for number in range(2, votes + 1)
        )
        self.dialogues = [Dialogue(target, other, read) for other in (question, *others)]

    async def verdicts(self) -> list[T | None]:
        """Ask for all votes side by side; None for one of which no reply could be read.

        Raises:
            TargetError: the target could not answer one of them.
        """
        if len(self.dialogues) == 1:
            return [await self.dialogues[0].verdict()]
        # Nothing of it is needed to check a suite.
        import asyncio

        found = await asyncio.gather(
            *(dialogue.verdict() for dialogue in self.dialogues), return_exceptions=True
        )
        verdicts: list[T | None] = []
        for it in found:
            if isinstance(it, BaseException):
                raise it
            verdicts.append(it)
        return verdicts

    @property
    def problems(self) -> list[Unreadable]:
        """Why replies could not be used."""
        return [problem for dialogue in self.dialogues for problem in dialogue.problems]

    def record(self, ballots: Sequence[Ballot | None] = ()) -> dict[str, Any]:
        """Return what a score keeps of the asking, as fields of `Score`.

        The replies to several votes are recorded with what was asked, so that each can be replayed.
        """
        first, *others = (dialogue.record() for dialogue in self.dialogues)
        if not others:
            return first
        problems = [problem.reason for problem in self.problems]
        votes = [None if ballot is None else ballot.recorded() for ballot in ballots]
        details: dict[str, Any] = {VOTES: votes} if votes else {}
        if problems:
            details["reply_problems"] = problems
        attempts = sum(other["attempts"] for other in (first, *others))
        return {**first, "attempts": attempts, "details": details}
