"""The prompt of a judge as it will be sent, and its variables, for the case under the cursor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel

from suitecase.ide.answering import Answering
from suitecase.ide.markdown import code, cut_text, fenced
from suitecase.suite.prompts import prompt_text
from suitecase.suite.resolve import RUBRIC, EffectiveSuite, UnsoundSuiteError, resolve
from suitecase.suite.workspace import Folder
from suitecase.suite.written import WrittenSuite
from suitecase_evaluators.composite import CompositeConfig, JudgeAggregator
from suitecase_evaluators.criteria import CriteriaConfig
from suitecase_evaluators.evaluator import EvaluatorConfig, Subject
from suitecase_evaluators.judge.config import LlmJudgeConfig, PromptScript
from suitecase_evaluators.judge.llm_judge import filled_prompt
from suitecase_evaluators.judge.prompts import (
    CRITERIA_TEMPLATE,
    FREE_FORM_TEMPLATE,
    RUBRIC_TEMPLATE,
    default_prompt,
    rubric_list,
)
from suitecase_evaluators.judge.template import (
    AGGREGATOR_VARIABLES,
    VARIABLES,
    render,
    values_of,
)
from suitecase_evaluators.message import Message
from suitecase_evaluators.rubric import Rubric, named

#: Of each text that is filled in so many characters are shown, and of the prompt as a whole.
_OF_TEXT = 400
_OF_PROMPT = 6_000
_RESULTS = "(what the members found, as JSON)"


@dataclass(frozen=True, slots=True)
class Told:
    """What judges see of a case: its question as text, and what is expected."""

    question: str
    expected_messages: tuple[Message, ...]


#: Returns what judges see of the only case of a suite, or why that cannot be had.
Telling = Callable[[EffectiveSuite, Folder], Told | str]


@dataclass(frozen=True, slots=True)
class CaseOfPrompt:
    """The case that fills a prompt in; `number` is None for what the head says of all cases."""

    suite: WrittenSuite
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
    text = _text(config, here.folder, subject)
    if text is None:
        return None
    judge = here.answering.judge
    if isinstance(config, LlmJudgeConfig) and config.target:
        judge = config.target
    title = f"What {code(judge)} is asked to judge by"
    note = subject if isinstance(subject, str) else ""
    if isinstance(config, LlmJudgeConfig) and isinstance(config.prompt, PromptScript):
        return f"**{title}** is written by a program when the case is graded."
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
    rubrics = _rubrics(config) if config is not None else ()
    value = values_of(subject, rubrics=rubric_list(rubrics)).get(name, "")
    shown = fenced(cut_text(value, _OF_PROMPT)) if value.strip() else "It is empty in this case."
    return f"{title}\n\n{shown}"


def _judge_at(here: CaseOfPrompt, path: tuple[str | int, ...]) -> EvaluatorConfig | None:
    """Return the evaluator that asks a judge, of which a place is part."""
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
    asks = isinstance(config, LlmJudgeConfig | CriteriaConfig | CompositeConfig)
    return config if asks else None


def _rubrics(config: EvaluatorConfig) -> tuple[Rubric, ...]:
    return named(config.rubrics or ()) if isinstance(config, LlmJudgeConfig) else ()


def _text(config: EvaluatorConfig, folder: Folder, subject: Subject | str) -> str | None:
    """Return the prompt of an evaluator, with its variables where there is no case."""
    match config:
        case LlmJudgeConfig(prompt=PromptScript()):
            return ""
        case LlmJudgeConfig(prompt=prompt):
            text = _read(prompt, folder) if isinstance(prompt, str) else None
            if prompt is not None and text is None:
                return None
            rubrics = _rubrics(config)
            if not isinstance(subject, str):
                return filled_prompt(text, subject, rubrics)
            default = RUBRIC_TEMPLATE if rubrics else FREE_FORM_TEMPLATE
            return _with_rubrics(default if text is None else text, rubrics)
        case CriteriaConfig(criteria=criteria):
            if isinstance(subject, str):
                return render(CRITERIA_TEMPLATE, {"criteria": criteria})
            return default_prompt(CRITERIA_TEMPLATE, subject, criteria=criteria)
        case CompositeConfig(aggregator=JudgeAggregator(prompt=prompt)):
            text = _read(prompt, folder)
            values = {} if isinstance(subject, str) else values_of(subject)
            return text and render(text, {**values, "EVALUATOR_RESULTS_JSON": _RESULTS})
        case _:
            return None


def _with_rubrics(text: str, rubrics: Sequence[Rubric]) -> str:
    return render(text, {"rubrics": rubric_list(rubrics)} if rubrics else {})


def _read(prompt: str, folder: Folder) -> str | None:
    text, _ = prompt_text(prompt, folder)
    return text if isinstance(text, str) else None


def _cut(text: str) -> str:
    return cut_text(text, _OF_TEXT)


def _cut_message(message: Message) -> Message:
    return Message(role=message.role, content=_cut(message.text), name=message.name)
