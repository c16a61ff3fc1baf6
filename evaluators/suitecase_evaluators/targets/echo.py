"""The target that answers with its prompt, as the provider `echo` of promptfoo does."""

from __future__ import annotations

import time

from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.targets.config.canned import EchoConfig
from suitecase_evaluators.targets.context import TargetContext
from suitecase_evaluators.targets.target import Question, Reply, Target


class EchoTarget(Target):
    """Repeats the prompt as it was sent, whatever messages it has."""

    async def ask(self, question: Question) -> Reply:
        """Answer at once, at no cost; how long that took is reported, for assertions on it."""
        start = time.perf_counter()
        text = question.row_prompt
        return Reply(
            text=text,
            output_messages=(Message(role="assistant", content=text),),
            answered_by="echo",
            cost_usd=0.0,
            duration_ms=(time.perf_counter() - start) * 1000,
        )


def make(config: EchoConfig, context: TargetContext) -> EchoTarget:
    """Return the target of a provider."""
    return EchoTarget(config.name)
