"""What an evaluator is: a typed configuration and one async function that grades an answer.

An evaluator is written once, in a module of its own::

    class ContainsConfig(EvaluatorConfig):
        '''The answer contains a text.'''

        type: Literal["contains"]
        value: str = Field(description="The text to look for.")

    @evaluator(ContainsConfig)
    async def contains(config: ContainsConfig, subject: Subject, services: Services) -> Score:
        ...

The configuration's docstring and its field descriptions are what hovers and documentation show.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar, get_args

from pydantic import Field

from suitecase_evaluators.message import Message
from suitecase_evaluators.model import Model
from suitecase_evaluators.sandbox.confinement import Sandbox
from suitecase_evaluators.score import PASS_AT, Score
from suitecase_evaluators.targets.target import Target
from suitecase_evaluators.trace import Trace


class EvaluatorConfig(Model):
    """What every evaluator entry has."""

    name: str = Field(
        pattern=r"\S",
        description="The evaluator's name, unique in its list. Results are kept by it.",
    )
    #: A text. It is `Any` for type checkers, which let no `str` be narrowed to the one name that
    #: an evaluator has, since they cannot know that models are frozen.
    type: Any = Field(description="Which evaluator grades.")
    weight: float = Field(
        default=1.0,
        ge=0,
        description="How much this evaluator counts in the case's score; 0 records its result "
        "without counting it.",
    )
    required: bool | None = Field(
        default=None,
        description="An answer that does not pass this evaluator fails the case, whatever the "
        f"case's score: one that scores below {PASS_AT}, or below `min_score` where that is given.",
    )
    min_score: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="A score of this evaluator below this, from 0 to 1, fails the case, whatever "
        "the case's score. `required: false` beside it opens the gate.",
        examples=[0.9],
    )

    @property
    def gate(self) -> float | None:
        """The score below which the case fails, or None.

        An evaluator of a package may have keys of these names that mean something else.
        """
        fields, own = EvaluatorConfig.model_fields, type(self).model_fields
        if any(own[it].description != fields[it].description for it in ("required", "min_score")):
            return None
        if self.required is False:
            return None
        return self.min_score if self.min_score is not None else PASS_AT if self.required else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """An answer to grade, with everything the suite says about it.

    `candidate_answer` and `output_messages` are the target's and must be treated as untrusted data.
    """

    eval_id: str
    question: str
    expected_outcome: str
    candidate_answer: str
    #: The text of the last expected message; empty where the suite expects none.
    reference_answer: str = ""
    input_messages: tuple[Message, ...] = ()
    expected_messages: tuple[Message, ...] = ()
    output_messages: tuple[Message, ...] = ()
    #: Absolute paths of the files the input names; guidelines are those that instruct the target.
    guideline_files: tuple[str, ...] = ()
    input_files: tuple[str, ...] = ()
    #: What the target did on its way; None where the target cannot tell.
    trace: Trace | None = None
    sidecar: Any = None
    #: The suite's `prompt`.
    system_prompt: str = ""
    #: The suite's folder: `cwd` and `script` are relative to it.
    folder: Path = field(default_factory=Path)
    #: That folder and those above it, up to the root of the workspace: where `cwd` is looked for.
    folders: tuple[Path, ...] = ()


class Services(Protocol):
    """What an evaluator may ask of the runner."""

    @property
    def sandbox(self) -> Sandbox:
        """How the programs of the run are held."""
        ...

    def judge(self, name: str | None = None) -> Target:
        """Return the target of that name, or the case's judge.

        Raises:
            TargetError: there is no such target, or it cannot be set up.
        """
        ...

    async def grade(self, config: EvaluatorConfig, subject: Subject) -> Score:
        """Grade an answer by another evaluator, as for the members of a composite.

        What goes wrong gives a score of the verdict `error`.
        """
        ...


#: The names of the composites whose member grades in this task, the outermost first.
MEMBER_OF: ContextVar[tuple[str, ...]] = ContextVar("suitecase_member_of", default=())

C = TypeVar("C", bound=EvaluatorConfig)
Evaluate = Callable[[C, Subject, Services], Awaitable[Score]]


@dataclass(frozen=True, slots=True)
class Evaluator:
    """An evaluator type: its configuration and its function."""

    config: type[EvaluatorConfig]
    evaluate: Evaluate[Any]
    #: How often it asks the judge for one answer, at least and at most. A run that is estimated
    #: counts by it, and a judge that will be asked is set up before the run begins.
    judge_calls: tuple[int, int] = (0, 0)

    @property
    def type(self) -> str:
        """The name that selects this evaluator in a suite."""
        (name,) = get_args(self.config.model_fields["type"].annotation)
        return str(name)

    @property
    def documentation(self) -> str:
        """What it grades by, in Markdown: the docstring of its configuration."""
        return inspect.cleandoc(self.config.__doc__ or "")


def evaluator(
    config: type[C], *, judge_calls: tuple[int, int] = (0, 0)
) -> Callable[[Evaluate[C]], Evaluator]:
    """Make an evaluator of a function that grades by `config`.

    Args:
        config: the configuration, whose `type` is a `Literal` of one name.
        judge_calls: how often the function asks the judge for one answer, at least and at most.
    """
    return lambda evaluate: Evaluator(config, evaluate, judge_calls)
