"""One judgement: asks a target until its reply can be read, and makes a score of what it says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from suitecase_evaluators.evaluator import MEMBER_OF, Subject
from suitecase_evaluators.judge.prompts import (
    COMPARISON_SYSTEM_PROMPT,
    FREE_FORM_SYSTEM_PROMPT,
    rubric_system_prompt,
    rubric_text,
)
from suitecase_evaluators.judge.reply import (
    Comparison,
    Unreadable,
    read_checks,
    read_comparison,
    read_free_form,
)
from suitecase_evaluators.judge.reply_schema import (
    checks_schema,
    comparison_schema,
    free_form_schema,
)
from suitecase_evaluators.judge.scoring import free_form_score, rubric_score, unreadable_score
from suitecase_evaluators.judge.template import shown_answer
from suitecase_evaluators.rubric import Rubric
from suitecase_evaluators.score import Score
from suitecase_evaluators.targets.target import (
    CUT_OFF,
    Criterion,
    Judging,
    Question,
    Reply,
    Target,
    TargetError,
    Turn,
)

#: How often a judge is asked until its reply can be read.
MOST_ATTEMPTS = 3
#: Of each reply of a judge this many characters are recorded, and shown to it when asked again.
KEPT_OF_REPLY = 8_000
#: A judge whose reply was cut off may write this many times as much when it is asked again, up to
#: this many tokens; a limit that is higher to begin with is kept.
RAISED_BY = 2
MOST_RAISED = 32_768

#: The details of a score that say how the judge was asked, not what it found.
HOW_JUDGED = frozenset({"replies", "reply_problems", "raised_max_output_tokens", "aggregator"})

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


async def judge_free_form(
    call: JudgeCall, subject: Subject, target: Target, criterion: Criterion
) -> Score:
    """Ask for a score from 0 to 1 with hits and misses.

    A judge that could not be reached gives a score of the verdict `error`; one whose replies could
    not be read in three attempts a score of 0 with `parse_failed`.

    Args:
        criterion: what is judged, for targets that judge without a model.
    """
    question = _question(
        call, subject, FREE_FORM_SYSTEM_PROMPT, (criterion,), schema=free_form_schema()
    )
    dialogue = Dialogue(
        target, question, lambda reply, cut_off: read_free_form(reply, cut_off=cut_off)
    )
    try:
        verdict = await dialogue.verdict()
    except TargetError as error:
        return Score.failed_to_grade(error.message, **dialogue.record())
    if verdict is None:
        return unreadable_score(dialogue.problems[-1].reason, dialogue.record())
    return free_form_score(verdict, dialogue.record())


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
    criteria = tuple(Criterion(it.id or "", rubric_text(it), it.mode, it.ranges) for it in rubrics)
    question = _question(
        call, subject, rubric_system_prompt(rubrics), criteria, schema=checks_schema(rubrics)
    )
    dialogue = Dialogue(
        target, question, lambda reply, cut_off: read_checks(reply, rubrics, cut_off=cut_off)
    )
    try:
        verdict = await dialogue.verdict()
    except TargetError as error:
        return Score.failed_to_grade(error.message, **dialogue.record())
    if verdict is None:
        usable = [it.usable for it in dialogue.problems if it.usable.by_id]
        if not usable:
            return unreadable_score(dialogue.problems[-1].reason, dialogue.record(), rubrics)
        verdict = usable[-1]
    return rubric_score(verdict, rubrics, dialogue.record())


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
        ),
        response_schema=schema,
        model=call.model,
        temperature=0.0 if call.temperature is None else call.temperature,
        max_output_tokens=call.max_output_tokens,
    )


class Dialogue(Generic[T]):
    """The attempts at one judgement, and what is kept of them."""

    def __init__(
        self, target: Target, question: Question, read: Callable[[str, bool], T | Unreadable]
    ) -> None:
        self._target = target
        self._question = question
        self._read = read
        self._attempts = 0
        self._replies: list[str] = []
        #: The limits that followed from replies that were cut off, in tokens.
        self._raised: list[int] = []
        #: Why the replies so far could not be used.
        self.problems: list[Unreadable] = []

    async def verdict(self) -> T | None:
        """Ask until a reply can be read; None where none could.

        Raises:
            TargetError: the target could not answer.
        """
        question = self._question
        while self._attempts < MOST_ATTEMPTS:
            self._attempts += 1
            reply = await self._reply(question)
            self._replies.append(kept_reply(reply.text))
            cut_off = reply.finish_reason == CUT_OFF
            found = self._read(reply.text, cut_off)
            if not isinstance(found, Unreadable):
                return found
            if cut_off:
                limit = raised_limit(question, reply)
                found = replace(found, reason=_cut_off(reply))
                if limit is not None and self._attempts < MOST_ATTEMPTS:
                    self._raised.append(limit)
            self.problems.append(found)
            question = replace(
                self._question,
                attempt=self._attempts + 1,
                max_output_tokens=self._raised[-1]
                if self._raised
                else self._question.max_output_tokens,
                turns=(*self._question.turns, *_asked_again(reply.text, found.reason)),
            )
        return None

    async def _reply(self, question: Question) -> Reply:
        """Ask; where a raised limit is what the provider does not take, ask with the one before.

        Raises:
            TargetError: the target could not answer.
        """
        try:
            return await self._target.ask(question)
        except TargetError as error:
            if error.kind != "rejected" or not self._raised:
                raise
            self._raised.pop()
            limit = self._raised[-1] if self._raised else self._question.max_output_tokens
            return await self._target.ask(replace(question, max_output_tokens=limit))

    def record(self) -> dict[str, Any]:
        """Return what a score keeps of the asking, as fields of `Score`."""
        system, user = self._question.turns
        details: dict[str, Any] = {"replies": list(self._replies)}
        if self.problems:
            details["reply_problems"] = [it.reason for it in self.problems]
        if self._raised:
            details["raised_max_output_tokens"] = list(self._raised)
        return {
            "request": {
                "user_prompt": user.text,
                "system_prompt": system.text,
                "target": self._target.name,
            },
            "attempts": self._attempts,
            "details": details,
        }


def raised_limit(question: Question, reply: Reply) -> int | None:
    """Return the most tokens of the next reply after one that was cut off.

    None where nobody knows at how many tokens it was cut off, or where that is as many as anyone
    should write for a verdict.
    """
    output_tokens = reply.token_usage.output if reply.token_usage is not None else 0
    limit = question.max_output_tokens or output_tokens
    raised = min(limit * RAISED_BY, MOST_RAISED)
    return raised if raised > limit > 0 else None


def _cut_off(reply: Reply) -> str:
    tokens = f" after {reply.token_usage.output:,} tokens" if reply.token_usage else ""
    return f"it was cut off{tokens} before it was complete"


def _asked_again(reply: str, reason: str) -> tuple[Turn, Turn]:
    return (
        # Providers refuse an empty turn.
        Turn("assistant", kept_reply(reply) if reply.strip() else "(an empty reply)"),
        Turn(
            "user",
            f"Your reply could not be used: {reason}. Reply again with the JSON object alone, "
            "complete and in the form asked for. Keep what you said; only the form was wrong.",
        ),
    )


def kept_reply(reply: str) -> str:
    """Return a reply as it is recorded: half surrogates replaced, and cut where it is long."""
    left_out = len(reply) - KEPT_OF_REPLY
    text = reply[:KEPT_OF_REPLY].encode(errors="replace").decode()
    return text if left_out <= 0 else f"{text}... ({left_out} more characters left out)"
