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
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, get_args

from pydantic import Field

from suitecase_evaluators.answers.score import PASS_AT, Score
from suitecase_evaluators.schema.model import Model

if TYPE_CHECKING:
    # What only grading needs. Importing asyncio alone would take a tenth of the time of a check.
    from suitecase_evaluators.answers.message import Message
    from suitecase_evaluators.answers.row import Row
    from suitecase_evaluators.answers.rubric import Rubric
    from suitecase_evaluators.answers.trace import Trace
    from suitecase_evaluators.grade.normalize import AppliedStep
    from suitecase_evaluators.targets.sandbox.command import Command
    from suitecase_evaluators.targets.sandbox.confinement import Sandbox
    from suitecase_evaluators.targets.scripting.bridges import Bridges
    from suitecase_evaluators.targets.target import CallContext, Target


class EvaluatorConfig(Model):
    """What every evaluator entry has."""

    name: str = Field(
        pattern=r"\S",
        description="The evaluator's name, unique in its list. Results are stored by name.",
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
        description="The minimum score of this evaluator, from 0 to 1. A lower one fails the case, whatever"
        " the case's score. `required: false` disables this.",
        examples=[0.9],
    )

    @classmethod
    def type_name(cls) -> str:
        """The name that selects this evaluator in a suite."""
        (name,) = get_args(cls.model_fields["type"].annotation)
        return str(name)

    @classmethod
    def has_gate(cls) -> bool:
        """Whether `required` and `min_score` set a minimum score.

        An evaluator of a package may have keys of these names that mean something else.
        """
        fields, own = EvaluatorConfig.model_fields, cls.model_fields
        return all(
            own[name].description == fields[name].description for name in ("required", "min_score")
        )

    @property
    def gate(self) -> float | None:
        """The score below which the case fails, or None."""
        if self.required is False or not (self.required or self.min_score is not None):
            return None
        if not self.has_gate():
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
    #: Where in a run the answer was given; None outside of runs.
    call_context: CallContext | None = None
    #: Why the answer ended, and the text of a refusal, as the provider says; None where it does not.
    finish_reason: str | None = None
    provider_refusal: str | None = None
    #: The suite's seed, with which the first of several votes of a judge is asked for.
    seed: int | None = None
    #: What people's labels of this answer come to, by the name of the evaluator and the item: whether
    #: it is met, or its score; None where people differ.
    labels: Mapping[str, Mapping[str, bool | int | None]] = field(default_factory=dict)
    #: Why some of people's labels cannot be read, as a clause, by the name of the evaluator; and which
    #: files of them are not there yet.
    labels_unread: Mapping[str, str] = field(default_factory=dict)
    labels_awaited: Mapping[str, str] = field(default_factory=dict)
    sidecar: Any = None
    #: The suite's `prompt`.
    system_prompt: str = ""
    #: The suite's folder: `cwd` and `script` are relative to it.
    folder: Path = field(default_factory=Path)
    #: That folder and those above it, up to the root of the workspace: where `cwd` is looked for.
    folders: tuple[Path, ...] = ()
    #: The row of another tool's suite that was answered; None for cases of our own.
    row: Row | None = None
    #: The value of an answer that is not a string, which `candidate_answer` has as JSON; else None.
    output: Any = None


class Services(Protocol):
    """What an evaluator may ask of the runner."""

    @property
    def sandbox(self) -> Sandbox:
        """The sandbox of the programs of the run."""
        ...

    @property
    def bridges(self) -> Bridges:
        """The processes of the run that call functions of scripts."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCalls:
    """How often an evaluator asks a judge for one answer.

    Attributes:
        least: how often at least; what unreadable replies add lies between it and `most`.
        most: how often at most.
        target: the name of the target that it asks; None for the case's judge.
        model: the model that it asks for; None for the target's own.
    """

    least: int
    most: int
    target: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What an evaluator asks a judge, for those who read it beforehand.

    Attributes:
        written: the text, or the path of its file, as the suite says; None for the default.
        filled: returns what is sent. It takes the text that was read, None where nothing is written,
            and the answer to judge, None for a text with its variables.
        rubrics: what is judged item by item.
        by_program: a program writes it, so that nobody knows it beforehand.
    """

    filled: Callable[[str | None, Subject | None], str]
    written: str | None = None
    rubrics: Sequence[Rubric] = ()
    by_program: bool = False


def _no_synonyms(path: str) -> dict[str, str | list[str]]:
    return {}


@dataclass(frozen=True, slots=True)
class Reading:
    """What an evaluator uses to say how it grades.

    Attributes:
        prompt: returns the text that a prompt stands for: its file's, or itself.
        member: returns a member as it grades.
        synonyms: returns the synonyms in a file.
        reference: returns the text of a file that a judge is shown.
    """

    prompt: Callable[[str], str]
    member: Callable[[EvaluatorConfig], EvaluatorConfig]
    synonyms: Callable[[str], dict[str, str | list[str]]] = field(default=_no_synonyms)
    reference: Callable[[str], str] = field(default=str)


@dataclass(frozen=True, slots=True)
class EntryProblem:
    """Why an entry that is valid grades nothing, for people, and the keys that lead to the reason."""

    message: str
    path: tuple[str | int, ...] = ()


@dataclass(frozen=True, slots=True)
class Window:
    """Which numbers are as good as an expected one.

    Attributes:
        expected: the number.
        tolerance: the maximum difference from it.
        relative: whether that is a share of the expected number.
        path: the keys and indices that lead to the mapping in which the tolerance is.
    """

    expected: Decimal
    tolerance: float
    relative: bool
    path: tuple[str | int, ...] = ()


@dataclass(frozen=True, slots=True)
class ComparedText:
    """A text that answers are compared with.

    Attributes:
        text: as it is written.
        steps: what is done to it and to the answer before they are compared.
        path: the keys and indices that lead to it in the entry; empty where the case expects it.
        by_words: whether the words of the two are compared, which white space separates.
    """

    text: str
    steps: tuple[AppliedStep, ...]
    path: tuple[str | int, ...] = ()
    by_words: bool = False


def _nothing(config: Any) -> tuple[()]:
    return ()


def _no_prompt(config: Any) -> None:
    return None


def _nothing_unavailable(config: Any, folder: Path, environ: Mapping[str, str]) -> None:
    return None


def _unchanged(config: Any, reading: Reading) -> Any:
    return config


@dataclass(frozen=True, slots=True, kw_only=True)
class Description(Generic[C]):
    """What an evaluator says of itself before it grades, as functions of an entry of a suite.

    The runner counts costs and holds programs by it, rules and editors show it: nobody else knows
    types of evaluators. What an evaluator leaves out, it does not have.

    Attributes:
        judge_calls: how often it asks judges for one answer. Its members say so themselves. A run
            that is estimated counts by it, and a judge that will be asked is set up before the run.
        members: the evaluators it lets grade.
        commands: the programs it starts, but for those of its members.
        unavailable: why something that it needs is missing, for people, given the suite's folder and
            the environment; None if nothing is. A run checks it before it starts.
        files: the files whose content it grades by, from the suite's folder on.
        prompt: what it asks its judge.
        as_graded: the entry with nothing left to look up or to add: texts in place of paths.
        no_effect: why it grades nothing, whatever the answer. It is asked of entries that have a
            value of the roles `CRITERIA` or `SCHEMA`, of which one that is empty is known already.
        unfit: why no answer of a case can be graded, by the messages that the case expects.
        lacks_expected: why there is nothing in the messages that a case expects to compare answers
            with, where it compares them with those.
        labels: the labels that it tells answers apart by: a suite has its figures `NAME.macro_f1`
            and `NAME.recall.LABEL`. The `details` of its score have the `expected` and the
            `predicted` label.
        windows: the numbers it expects with their tolerances, by the messages that a case expects;
            with no messages, those that are the same for each case.
        compared_texts: the texts that it compares answers with, by the messages that a case expects;
            with no messages, those that are the same for each case.
        label_of: the label that an expected text is; None where it is none of the labels.
        compares: it compares the answer with another one: a suite has its figures `NAME.ties` and
            `NAME.consistency`. The `details` of its score have the `outcome`, and whether both
            orders agree (`consistent`).
    """

    judge_calls: Callable[[C], Sequence[JudgeCalls]] = _nothing
    members: Callable[[C], Sequence[EvaluatorConfig]] = _nothing
    commands: Callable[[C], Sequence[Command]] = _nothing
    unavailable: Callable[[C, Path, Mapping[str, str]], str | None] = _nothing_unavailable
    files: Callable[[C], Sequence[str]] = _nothing
    prompt: Callable[[C], Prompt | None] = _no_prompt
    as_graded: Callable[[C, Reading], C] = _unchanged
    no_effect: Callable[[C], EntryProblem | None] | None = None
    unfit: Callable[[C, tuple[Message, ...]], EntryProblem | None] | None = None
    lacks_expected: Callable[[C, tuple[Message, ...]], str | None] | None = None
    labels: Callable[[C], Collection[str]] | None = None
    windows: Callable[[C, tuple[Message, ...]], Iterable[Window]] | None = None
    compared_texts: Callable[[C, tuple[Message, ...]], Iterable[ComparedText]] | None = None
    label_of: Callable[[C, str], str | None] | None = None
    compares: bool = False


Evaluate = Callable[[C, Subject, Services], Awaitable[Score]]


@dataclass(frozen=True, slots=True)
class Evaluator:
    """An evaluator type: its configuration and its function."""

    config: type[EvaluatorConfig]
    evaluate: Evaluate[Any]
    #: What it says of itself before it grades.
    description: Description[Any] = field(default_factory=Description)

    @property
    def type(self) -> str:
        """The name that selects this evaluator in a suite."""
        return self.config.type_name()

    @property
    def documentation(self) -> str:
        """What it grades by, in Markdown: the docstring of its configuration."""
        return inspect.cleandoc(self.config.__doc__ or "")


def evaluator(
    config: type[C],
    *,
    judge_calls: tuple[int, int] | None = None,
    description: Description[C] | None = None,
) -> Callable[[Evaluate[C]], Evaluator]:
    """Make an evaluator of a function that grades by `config`.

    Args:
        config: the configuration, whose `type` is a `Literal` of one name.
        judge_calls: how often the function asks the judge for one answer, at least and at most,
            where that is the same for each entry.
        description: what it says of itself otherwise.
    """
    described: Description[C] = description or Description()
    if judge_calls is not None:
        calls = (JudgeCalls(least=judge_calls[0], most=judge_calls[1]),)
        described = replace(described, judge_calls=lambda _: calls)
    return lambda evaluate: Evaluator(config, evaluate, described)
