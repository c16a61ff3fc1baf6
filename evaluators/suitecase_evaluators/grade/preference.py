"""Compares an answer with another one, by a judge that sees them in both orders."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.answers.records.details import AMBIGUOUS_REPLY
from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import (
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
from suitecase_evaluators.grade.judge.judging import JudgeCall, compared
from suitecase_evaluators.grade.judge.prompts import COMPARISON_TEMPLATE, default_prompt
from suitecase_evaluators.grade.judge.reply import Better, Comparison
from suitecase_evaluators.grade.judge.template import (
    UNKNOWN_MESSAGES,
    names_in,
    render,
    shown_answer,
    shows_what_is_known,
    values_of,
)
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.system.path_kinds import real_path
from suitecase_evaluators.targets.target import Target, TargetError

#: What an answer is compared with if not with those of a results file.
REFERENCE: Final = "reference"
_NO_REFERENCE = (
    "there is no other answer: the case has no `expected_output`; add one, or name a results file "
    "as `against`"
)
_OTHER = "(the answer that it is compared with)"

Outcome = Literal["won", "lost", "tie"]
_SCORES: Mapping[Outcome, float] = {"won": 1.0, "tie": 0.5, "lost": 0.0}
_SAYS: Mapping[Outcome, str] = {
    "won": "better than the other answer",
    "lost": "worse than the other answer",
    "tie": "neither better nor worse than the other answer",
}


class PreferenceConfig(EvaluatorConfig):
    """A judge compares the answer with another one, such as that of an earlier run.

    The judge is asked twice, with the two answers in both orders, since judges tend to prefer one
    place. The score is 1 if the answer is better in both, 0 if it is worse in both, and otherwise
    0.5, a tie. A tie fails the case: with `weight: 0` the evaluator only measures how often the answer
    wins. Without another answer, the case cannot be graded.
    """

    type: Literal["preference"]
    against: Annotated[str, FieldRole.RESULTS] = Field(
        pattern=r"\S",
        description="The other answer: `reference` for the case's expected output, or the path of a results "
        "file from the suite's folder on, for the answer that it has for the case. If that file has "
        "answers of several targets or repeats, the answer of the same target and repeat counts.",
        examples=["reference", "runs/baseline.jsonl"],
    )
    prompt: Annotated[str | None, FieldRole.COMPARISON_PROMPT] = Field(
        default=None,
        pattern=r"\S",
        description="The judge's prompt: the path of a text file, or the text itself. Variables such as `{{ "
        "first_answer }}` and `{{ second_answer }}` are filled in. The format of the reply is requested "
        "separately. Default: a prompt with the question, both answers and the expected outcome.",
        examples=["prompts/which-is-kinder.md"],
    )
    target: Annotated[str | None, FieldRole.TARGET] = Field(
        default=None,
        pattern=r"\S",
        description="The target that judges. Default: the `judge_target` of the case's target, else "
        "that target itself.",
    )
    model: Annotated[str | None, FieldRole.MODEL] = Field(
        default=None,
        pattern=r"\S",
        description="The model to use instead of the judging target's own.",
    )


def _judge_calls(config: PreferenceConfig) -> tuple[JudgeCalls]:
    most = 2 * MOST_ATTEMPTS
    return (JudgeCalls(least=2, most=most, target=config.target, model=config.model),)


def _files(config: PreferenceConfig) -> tuple[str, ...]:
    return () if config.against == REFERENCE else (config.against,)


def _lacks_reference(config: PreferenceConfig, expected: tuple[Message, ...]) -> str | None:
    return _NO_REFERENCE if config.against == REFERENCE and not expected else None


def _prompt(config: PreferenceConfig) -> Prompt:
    def filled(text: str | None, subject: Subject | None) -> str:
        if subject is None:
            return COMPARISON_TEMPLATE if text is None else text
        return _user_prompt(text, subject, (subject.candidate_answer, _OTHER))

    return Prompt(filled=filled, written=config.prompt)


def _as_graded(config: PreferenceConfig, reading: Reading) -> PreferenceConfig:
    if config.prompt is None:
        return config
    return config.model_copy(update={"prompt": reading.prompt(config.prompt)})


@evaluator(
    PreferenceConfig,
    description=Description(
        judge_calls=_judge_calls,
        files=_files,
        prompt=_prompt,
        as_graded=_as_graded,
        lacks_expected=_lacks_reference,
        compares=True,
    ),
)
async def preference(config: PreferenceConfig, subject: Subject, services: Services) -> Score:
    """Ask the judge twice, each answer being the first one once."""
    if not shows_what_is_known(None, subject):
        return Score.failed_to_grade(UNKNOWN_MESSAGES)
    try:
        other = await _other_answer(config.against, subject)
    except _NothingToCompareError as error:
        return Score.failed_to_grade(str(error))
    own = shown_answer(subject)
    try:
        target = services.judge(config.target)
        first = await _asked(config, subject, target, (own, other))
        if first.verdict is None:
            return first.unreadable()
        second = await _asked(config, subject, target, (other, own))
    except TargetError as error:
        return Score.failed_to_grade(error.message)
    if second.verdict is None:
        return second.unreadable(attempts_before=first.attempts)
    outcomes = (_outcome(first.verdict, "first"), _outcome(second.verdict, "second"))
    consistent = outcomes[0] == outcomes[1]
    outcome: Outcome = outcomes[0] if consistent else "tie"
    summary = f"the answer is {_SAYS[outcome]}"
    if not consistent:
        summary = (
            f"a tie: the judge's verdict depends on the order ({outcomes[0]}, then {outcomes[1]})"
        )
    ambiguous = first.verdict.ambiguous or second.verdict.ambiguous
    return Score.graded(
        _SCORES[outcome],
        hits=(summary,) if outcome == "won" else (),
        misses=() if outcome == "won" else (summary,),
        reasoning=f"{summary}. Asked with this answer first: {first.verdict.reasoning} Asked with it "
        f"second: {second.verdict.reasoning}",
        details={
            "outcome": outcome,
            "consistent": consistent,
            "outcomes": list(outcomes),
            **({AMBIGUOUS_REPLY: True} if ambiguous else {}),
        },
        request=first.request,
        attempts=first.attempts + second.attempts,
    )


class _NothingToCompareError(Exception):
    """There is no answer to compare with; the message is for users."""


class _Asked:
    """The judge's reply about the answers in one order."""

    def __init__(self, verdict: Comparison | None, record: Mapping[str, Any]) -> None:
        self.verdict = verdict
        self.attempts: int = record["attempts"]
        self.request: Mapping[str, Any] = record["request"]
        self._problems: list[str] = record["details"].get("reply_problems", [])

    def unreadable(self, attempts_before: int = 0) -> Score:
        """Return the score if no reply could be read: 0, as for every judge, and marked."""
        reason = self._problems[-1] if self._problems else "it said nothing"
        return Score.graded(
            0.0,
            reasoning=f"The judge gave no readable verdict: {reason}.",
            parse_failed=True,
            details={"reply_problems": self._problems},
            request=self.request,
            attempts=attempts_before + self.attempts,
        )


async def _asked(
    config: PreferenceConfig, subject: Subject, target: Target, answers: tuple[str, str]
) -> _Asked:
    prompt = _user_prompt(config.prompt, subject, answers)
    call = JudgeCall(evaluator=config.name, user_prompt=prompt, model=config.model)
    # The replies themselves are recorded with what was asked, so that each can be replayed.
    return _Asked(*await compared(call, subject, target, answers))


def _outcome(verdict: Comparison, place: Better) -> Outcome:
    if verdict.better == "tie":
        return "tie"
    return "won" if verdict.better == place else "lost"


def _user_prompt(prompt: str | None, subject: Subject, answers: tuple[str, str]) -> str:
    named = {"first_answer": answers[0], "second_answer": answers[1]}
    if prompt is None:
        return default_prompt(COMPARISON_TEMPLATE, subject, answers=named)
    return render(prompt, {**values_of(subject, used=names_in(prompt)), **named})


async def _other_answer(against: str, subject: Subject) -> str:
    """Return what the answer is compared with.

    Raises:
        _NothingToCompareError: there is none.
    """
    if against == REFERENCE:
        if not subject.expected_messages:
            raise _NothingToCompareError(_NO_REFERENCE)
        return subject.reference_answer
    where = f"`against`: the results file {against}"
    root = (subject.folders or (subject.folder,))[-1]
    # Nothing of these is needed to check a suite.
    import asyncio

    from suitecase_evaluators.targets.recorded_run import UnusableRecordError

    try:
        return await asyncio.to_thread(_recorded_answer, subject.folder / against, root, subject)
    except UnusableRecordError as error:
        raise _NothingToCompareError(f"{where} {error.message}") from error
    except OSError as error:
        raise _NothingToCompareError(
            f"{where} cannot be read: {error.strerror or error}; the path is relative to the suite"
        ) from error


def _recorded_answer(path: Path, root: Path, subject: Subject) -> str:
    from suitecase_evaluators.targets.earlier_answers import earlier_answer
    from suitecase_evaluators.targets.recorded_run import UnusableRecordError

    if not real_path(path).is_relative_to(real_path(root)):
        raise UnusableRecordError("is outside the workspace")
    return earlier_answer(path, subject.eval_id, subject.call_context)
