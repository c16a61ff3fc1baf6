"""The prompt of a judge as it will be sent, and its variables, for the case under the cursor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel

from suitecase.ide.answering import Answering
from suitecase.ide.markdown import code, cut_text, fenced
from suitecase.suite.parsed import ParsedSuite
from suitecase.suite.prompts import prompt_text
from suitecase.suite.resolve import RUBRIC, EffectiveSuite, UnsoundSuiteError, resolve
from suitecase.suite.workspace import Folder
from suitecase_evaluators.evaluator import EvaluatorConfig, Subject
from suitecase_evaluators.judge.config import LlmJudgeConfig
from suitecase_evaluators.judge.prompts import rubric_list
from suitecase_evaluators.judge.template import (
    AGGREGATOR_VARIABLES,
    VARIABLES,
    values_of,
)
from suitecase_evaluators.message import Message
from suitecase_evaluators.registry import description_of

#: Of each text that is filled in so many characters are shown, and of the prompt as a whole.
_OF_TEXT = 400
_OF_PROMPT = 6_000
_RESULTS = "(what the members found, as JSON)"


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """What judges see of a case: its question as text, and what is expected."""

    question: str
    expected_messages: tuple[Message, ...]


#: Returns what judges see of the only case of a suite, or why that cannot be had.
Telling = Callable[[EffectiveSuite, Folder], RenderedPrompt | str]


@dataclass(frozen=True, slots=True)
class CaseOfPrompt:
    """The case that fills a prompt in; `number` is None for what the head says of all cases."""

    suite: ParsedSuite
    number: int | None
    path: Path
    folder: Folder
    telling: Telling
    answering: Answering

    def subject(self) -> Subject | str:
        """Return what fills the variables in, each text cut; or why that cannot be had."""
        if self.number is None:
            return "It is filled in for each case."
        try:
            suite = resolve(self.suite, self.path, self.folder, only=(self.number,))
        except UnsoundSuiteError:
            return "It is filled in once the case has no errors."
        told = self.telling(suite, self.folder)
        if isinstance(told, str):
            return f"It cannot be filled in: {told}."
        (case,) = suite.cases
        answer = f"(the answer of {self.answering.target})"
        expected = tuple(map(_cut_message, told.expected_messages))
        return Subject(
            eval_id=case.id,
            question=_cut(told.question),
            expected_outcome=_cut(case.case.expected_outcome),
            candidate_answer=answer,
            reference_answer=expected[-1].text if expected else "",
            input_messages=tuple(map(_cut_message, case.input_messages)),
            expected_messages=expected,
            output_messages=(Message(role="assistant", content=answer),),
            system_prompt=_cut(suite.prompt),
            folder=self.path.parent,
        )


def prompt_at(here: CaseOfPrompt, path: tuple[str | int, ...]) -> str | None:
    """Return the prompt of the judge that a place belongs to, as it will be sent; None without one.

    Args:
        here: the case or the head the place is in.
        path: of a `prompt`, a `type` of an evaluator or of an aggregator, `criteria`, or the
            `rubrics` of a case.
    """
    config = _judge_at(here, path)
    if config is None:
        return None
    subject = here.subject()
    description = description_of(config)
    prompt = description.prompt(config)
    if prompt is None:
        return None
    named = (it.target for it in description.judge_calls(config) if it.target)
    judge = next(named, here.answering.judge)
    title = f"What {code(judge)} is asked to judge by"
    note = subject if isinstance(subject, str) else ""
    if prompt.by_program:
        return f"**{title}** is written by a program when the case is graded."
    written = None if prompt.written is None else prompt_text(prompt.written, here.folder)[0]
    if not isinstance(written, str | None):
        return None
    text = prompt.filled(written, None if isinstance(subject, str) else subject)
    return "\n\n".join(
        filter(None, [f"**{title}**", note, fenced(cut_text(text.strip(), _OF_PROMPT))])
    )


def variable_text(name: str, here: CaseOfPrompt | None, path: tuple[str | int, ...]) -> str | None:
    """Return what a variable of a prompt means, and what it is filled with; None for no variable."""
    meaning = VARIABLES.get(name) or AGGREGATOR_VARIABLES.get(name)
    if meaning is None:
        return None
    title = f"**`{{{{ {name} }}}}`** · variable of judge prompts\n\n{meaning}"
    subject = here.subject() if here is not None else ""
    if here is None or isinstance(subject, str) or name in AGGREGATOR_VARIABLES:
        return title
    config = _judge_at(here, path)
    prompt = None if config is None else description_of(config).prompt(config)
    rubrics = () if prompt is None else prompt.rubrics
    value = values_of(subject, rubrics=rubric_list(rubrics)).get(name, "")
    shown = fenced(cut_text(value, _OF_PROMPT)) if value.strip() else "It is empty in this case."
    return f"{title}\n\n{shown}"


def _judge_at(here: CaseOfPrompt, path: tuple[str | int, ...]) -> EvaluatorConfig | None:
    """Return the evaluator of which a place is part."""
    part = here.suite.head if here.number is None else here.suite.cases[here.number]
    if part.model is None:
        return None
    if path == ("rubrics",):
        rubrics = getattr(part.model, "rubrics", None)
        return LlmJudgeConfig(name=RUBRIC, type="llm_judge", rubrics=rubrics) if rubrics else None
    found: object = part.model
    config: EvaluatorConfig | None = None
    for step in path:
        if isinstance(step, int):
            found = found[step] if isinstance(found, list) and step < len(found) else None
        else:
            found = getattr(found, step, None) if isinstance(found, BaseModel) else None
        if isinstance(found, EvaluatorConfig):
            config = found
    return config


def _cut(text: str) -> str:
    return cut_text(text, _OF_TEXT)


def _cut_message(message: Message) -> Message:
    return Message(role=message.role, content=_cut(message.text), name=message.name)
