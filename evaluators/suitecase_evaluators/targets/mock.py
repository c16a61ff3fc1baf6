"""The target that answers with what the file says."""

from __future__ import annotations

import asyncio
from collections import Counter

from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.answers.records.answered_by import AnsweredBy
from suitecase_evaluators.targets import word_overlap
from suitecase_evaluators.targets.config.canned import MockConfig
from suitecase_evaluators.targets.config.placeholder import as_number
from suitecase_evaluators.targets.context import TargetContext
from suitecase_evaluators.targets.target import Question, Reply, Target, TargetError


class MockTarget(Target):
    """Canned answers, an echo, or a comparison of words; whatever model is asked for."""

    def __init__(self, config: MockConfig) -> None:
        super().__init__(config.name)
        self._response = config.response
        self._delay_ms = as_number(config.delay_ms) or 0.0
        self._asked: Counter[str] = Counter()

    async def ask(self, question: Question) -> Reply:
        """Answer at once, or after the configured delay.

        Raises:
            TargetError: the canned responses have none for this case.
        """
        text, answered_by = self._text(question)
        if self._delay_ms:
            await asyncio.sleep(self._delay_ms / 1000)
        return Reply(
            text=text,
            output_messages=(Message(role="assistant", content=text),),
            answered_by=answered_by,
        )

    def _text(self, question: Question) -> tuple[str, AnsweredBy]:
        response = self._response
        if response is None:
            return _echo_or_judge(question)
        if isinstance(response, dict):
            if question.eval_id not in response:
                known = ", ".join(f"`{it}`" for it in response)
                raise TargetError(
                    f"target `{self.name}` has no response for the case `{question.eval_id}`; "
                    f"it has responses for {known}",
                    kind="configuration",
                )
            response = response[question.eval_id]
        if isinstance(response, str):
            return response, "canned"
        place = self._asked[question.eval_id]
        self._asked[question.eval_id] += 1
        return response[min(place, len(response) - 1)], "canned"


def _echo_or_judge(question: Question) -> tuple[str, AnsweredBy]:
    if question.judging is not None:
        return word_overlap.judge(question.judging), "embedded"
    questions = [turn.text for turn in question.turns if turn.role == "user"]
    return questions[-1] if questions else "", "echo"


def make(config: MockConfig, context: TargetContext) -> MockTarget:
    """Return the target of an entry."""
    return MockTarget(config)
