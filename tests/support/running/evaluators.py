"""Runs an evaluator as a suite's entry has it: the way in that every test of this folder takes."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import EvaluatorConfig, Subject
from suitecase_evaluators.grade.registry import EvaluatorEntry, grade
from suitecase_evaluators.targets.sandbox.confinement import Sandbox
from suitecase_evaluators.targets.scripting.bridges import Bridges
from suitecase_evaluators.targets.target import Question, Reply, Target, TargetError

ENTRY: TypeAdapter[EvaluatorConfig] = TypeAdapter(EvaluatorEntry)


class CannedJudge(Target):
    """A judge that always says the same, and remembers what it was asked."""

    def __init__(self, reply: str = '{"reasoning": "fine", "score": 0.9}') -> None:
        super().__init__("canned")
        self.reply = reply
        self.asked: list[Question] = []

    async def ask(self, question: Question) -> Reply:
        self.asked.append(question)
        return Reply(text=self.reply)


@dataclass
class Judges:
    """The services of a case whose judge is this one; without one there is none to be had."""

    target: Target | None = None
    names: list[str | None] = field(default_factory=list)
    sandbox: Sandbox = field(default_factory=Sandbox)
    bridges: Bridges = field(default_factory=Bridges)

    def judge(self, name: str | None = None) -> Target:
        self.names.append(name)
        if self.target is None:
            raise TargetError("no judge is configured; name one under `judge_target`")
        return self.target

    async def grade(self, config: EvaluatorConfig, subject: Subject) -> Score:
        return await grade(config, subject, self)


def answer(text: str = "", **rest: Any) -> Subject:
    """Return an answer of this text."""
    return Subject(
        **{
            "eval_id": "case-1",
            "question": "What is the capital of France?",
            "expected_outcome": "Names Paris.",
            "candidate_answer": text,
            **rest,
        }
    )


def expecting(content: Any, text: str, **rest: Any) -> Subject:
    """Return an answer of this text where a message of that content is expected."""
    return answer(text, expected_messages=(Message(role="assistant", content=content),), **rest)


def entry(type_: str, **fields: Any) -> dict[str, Any]:
    """Return an entry as a suite has it."""
    return {"name": type_, "type": type_, **fields}


async def graded(written: dict[str, Any], subject: Subject, judge: Target | None = None) -> Score:
    """Return what the evaluator of an entry says."""
    return await grade(ENTRY.validate_python(written), subject, Judges(judge))


def script(folder: Path, text: str, name: str = "judge.py") -> list[str]:
    """Write a Python script; return how to run it from its folder."""
    (folder / name).write_text(text)
    return [sys.executable, name]


def answering(folder: Path, reply: dict[str, Any], name: str = "judge.py") -> list[str]:
    """Write a script that answers this object."""
    return script(folder, f"print({json.dumps(json.dumps(reply))})", name)
