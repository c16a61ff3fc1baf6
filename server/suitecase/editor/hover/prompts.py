"""Hovers on judge prompts as they will be sent, and on their variables, for the case at the cursor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel

from suitecase.editor.answering import Answering
from suitecase.editor.markdown import code, cut_text, fenced
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.effective_suite import EffectiveSuite, UnsoundSuiteError
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.formats.suitecase.prompts import prompt_text
from suitecase.formats.suitecase.resolve import judge_of_rubrics, resolve
from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.grade.evaluator import EvaluatorConfig, Subject
from suitecase_evaluators.grade.judge.prompts import rubric_list
from suitecase_evaluators.grade.judge.template import (
    AGGREGATOR_VARIABLES,
    COMPARISON_VARIABLES,
    VARIABLES,
    values_of,
)
from suitecase_evaluators.grade.registry import description_of

#: The maximum length of each filled-in text, and of the whole prompt.
_OF_TEXT = 400
_OF_PROMPT = 6_000
#: The variables of which nobody knows the value before the case is graded.
_WITHOUT_VALUE = {**AGGREGATOR_VARIABLES, **COMPARISON_VARIABLES}
_RESULTS = "(what the members found, as JSON)"


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """What judges see of a case: its question as text, and the expected messages."""

    question: str
    expected_messages: tuple[Message, ...]


#: Renders the question of the only case of a suite, or returns why it cannot.
RenderPrompt = Callable[[EffectiveSuite, Folder], RenderedPrompt | str]


@dataclass(frozen=True, slots=True)
class CaseOfPrompt:
    """The case whose values fill a prompt; `number` is None for the head."""

    suite: ParsedSuite
    number: int | None
    path: Path
    folder: Folder
    render: RenderPrompt
    answering: Answering

    def subject(self) -> Subject | str:
        """Return the values of the variables, each text truncated; or why they are unavailable."""
        if self.number is None:
            return "It is filled in for each case."
        try:
            suite = resolve(self.suite, self.path, self.folder, only=(self.number,))
        except UnsoundSuiteError:
            return "It is filled in once the case has no errors."
        rendered = self.render(suite, self.folder)
        if isinstance(rendered, str):
            return f"It cannot be filled in: {rendered}."
        (case,) = suite.cases
        answer = f"(the answer of {self.answering.target})"
        expected = tuple(map(_cut_message, rendered.expected_messages))
        return Subject(
            eval_id=case.id,
            question=_cut(rendered.question),
            expected_outcome=_cut(case.case.expected_outcome),
            candidate_answer=answer,
            reference_answer=expected[-1].text if expected else "",
            input_messages=tuple(map(_cut_message, case.input_messages)),
            expected_messages=expected,
            output_messages=(Message(role="assistant", content=answer),),
            system_prompt=_cut(suite.prompt),
            folder=self.path.parent,
        )


def prompt_at(prompt_case: CaseOfPrompt, path: tuple[str | int, ...]) -> str | None:
    """Return the prompt of the judge at a place, as it will be sent; None if there is no judge.

    Args:
        prompt_case: the case or the head of the place.
        path: of a `prompt`, a `type` of an evaluator or of an aggregator, `criteria`, or the
            `rubrics` of a case.
    """
    config = _judge_at(prompt_case, path)
    if config is None:
        return None
    subject = prompt_case.subject()
    description = description_of(config)
    prompt = description.prompt(config)
    if prompt is None:
        return None
    judges = (
        judge_call.target for judge_call in description.judge_calls(config) if judge_call.target
    )
    judge = next(judges, prompt_case.answering.judge)
    title = f"What {code(judge)} is asked to judge by"
    note = subject if isinstance(subject, str) else ""
    if prompt.by_program:
        return f"**{title}** is written by a program when the case is graded."
    template = (
        None if prompt.written is None else prompt_text(prompt.written, prompt_case.folder)[0]
    )
    if not isinstance(template, str | None):
        return None
    text = prompt.filled(template, None if isinstance(subject, str) else subject)
    return "\n\n".join(
        filter(None, [f"**{title}**", note, fenced(cut_text(text.strip(), _OF_PROMPT))])
    )


def variable_text(
    name: str, prompt_case: CaseOfPrompt | None, path: tuple[str | int, ...]
) -> str | None:
    """Return the meaning of a prompt variable, and its value; None if it is unknown."""
    meaning = {**VARIABLES, **_WITHOUT_VALUE}.get(name)
    if meaning is None:
        return None
    title = f"**`{{{{ {name} }}}}`** · variable of judge prompts\n\n{meaning}"
    subject = prompt_case.subject() if prompt_case is not None else ""
    if prompt_case is None or isinstance(subject, str) or name in _WITHOUT_VALUE:
        return title
    config = _judge_at(prompt_case, path)
    prompt = None if config is None else description_of(config).prompt(config)
    rubrics = () if prompt is None else prompt.rubrics
    value = values_of(subject, rubrics=rubric_list(rubrics)).get(name, "")
    value_text = (
        fenced(cut_text(value, _OF_PROMPT)) if value.strip() else "It is empty in this case."
    )
    return f"{title}\n\n{value_text}"


def _judge_at(prompt_case: CaseOfPrompt, path: tuple[str | int, ...]) -> EvaluatorConfig | None:
    """Return the evaluator that contains a place."""
    part = (
        prompt_case.suite.head
        if prompt_case.number is None
        else prompt_case.suite.cases[prompt_case.number]
    )
    if part.model is None:
        return None
    if path == ("rubrics",):
        rubrics = getattr(part.model, "rubrics", None)
        return judge_of_rubrics(rubrics) if rubrics else None
    node: object = part.model
    config: EvaluatorConfig | None = None
    for step in path:
        if isinstance(step, int):
            node = node[step] if isinstance(node, list) and step < len(node) else None
        else:
            node = getattr(node, step, None) if isinstance(node, BaseModel) else None
        if isinstance(node, EvaluatorConfig):
            config = node
    return config


def _cut(text: str) -> str:
    return cut_text(text, _OF_TEXT)


def _cut_message(message: Message) -> Message:
    return Message(role=message.role, content=_cut(message.text), name=message.name)
