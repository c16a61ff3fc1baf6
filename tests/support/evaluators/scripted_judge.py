"""A judge that says what a test tells it to, and what is judged in the tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import EvaluatorConfig, Subject
from suitecase_evaluators.grade.judge.config import LlmJudgeConfig
from suitecase_evaluators.grade.judge.llm_judge import LLM_JUDGE
from suitecase_evaluators.grade.registry import grade
from suitecase_evaluators.targets.sandbox.confinement import Sandbox
from suitecase_evaluators.targets.scripting.bridges import Bridges
from suitecase_evaluators.targets.target import Question, Reply, Target, TargetError


class ScriptedJudge(Target):
    """Answers from a list, in order; an error in the list is raised. It keeps what it was asked."""

    def __init__(self, *replies: str | Reply | TargetError, name: str = "scripted") -> None:
        super().__init__(name)
        self._replies = list(replies)
        self.asked: list[Question] = []

    async def ask(self, question: Question) -> Reply:
        self.asked.append(question)
        reply = self._replies.pop(0)
        if isinstance(reply, TargetError):
            raise reply
        return Reply(text=reply) if isinstance(reply, str) else reply


class Judges:
    """The services of a runner that has these judges; the first is the case's own."""

    def __init__(self, *targets: Target) -> None:
        self._targets = {it.name: it for it in targets}
        self._own = targets[0] if targets else None
        self.sandbox = Sandbox()
        self.bridges = Bridges()

    def judge(self, name: str | None = None) -> Target:
        found = self._own if name is None else self._targets.get(name)
        if found is None:
            raise TargetError(f"there is no target `{name}`", kind="configuration")
        return found

    async def grade(self, config: EvaluatorConfig, subject: Subject) -> Score:
        return await grade(config, subject, self)


def subject(**changes: Any) -> Subject:
    fields: dict[str, Any] = {
        "eval_id": "case-1",
        "question": "What is the capital of France?",
        "expected_outcome": "Names Paris.",
        "candidate_answer": "It is Paris.",
        "reference_answer": "Paris is the capital of France.",
        "input_messages": (Message(role="user", content="What is the capital of France?"),),
        "expected_messages": (Message(role="assistant", content="Paris."),),
        "output_messages": (Message(role="assistant", content="It is Paris."),),
        "folder": Path(),
    }
    return Subject(**(fields | changes))


def config(**fields: Any) -> LlmJudgeConfig:
    return LlmJudgeConfig.model_validate({"name": "quality", "type": "llm_judge"} | fields)


async def judged(judge: Target, of: Subject | None = None, /, **fields: Any) -> Score:
    """Return what an `llm_judge` with these fields makes of an answer."""
    return await LLM_JUDGE.evaluate(config(**fields), of or subject(), Judges(judge))


def verdict(score: float = 0.9, **changes: Any) -> str:
    """Return a free-form reply."""
    whole = {"reasoning": "Right.", "hits": ["names Paris"], "misses": [], "score": score}
    return json.dumps(whole | changes)


def checks(*entries: dict[str, Any], overall: str = "All in all fine.") -> str:
    """Return a reply about rubric items."""
    return json.dumps({"checks": list(entries), "overall_reasoning": overall})


def satisfied(name: str, value: Any = True, reasoning: str = "seen") -> dict[str, Any]:
    return {"id": name, "reasoning": reasoning, "satisfied": value}


def scored(name: str, value: Any, reasoning: str = "seen") -> dict[str, Any]:
    return {"id": name, "reasoning": reasoning, "score": value}
