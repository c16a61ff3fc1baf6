"""Targets that need neither a model nor a program."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Discriminator, Field, Tag

from suitecase_evaluators.answers.message import kind_of
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.targets.config.placeholder import Number
from suitecase_evaluators.targets.config.target import TargetConfig


def _one_or_more(value: Any) -> str:
    return "<list>" if kind_of(value) == "<list>" else "<text>"


#: What a case is answered with: one text, or one after the other, the last one repeated.
Canned = Annotated[
    Annotated[str, Tag("<text>")] | Annotated[list[str], Field(min_length=1), Tag("<list>")],
    Discriminator(_one_or_more),
]
CannedById = Annotated[
    Annotated[str, Tag("<text>")]
    | Annotated[list[str], Field(min_length=1), Tag("<list>")]
    | Annotated[dict[str, Canned], Field(min_length=1), Tag("<mapping>")],
    Discriminator(kind_of),
]


class MockConfig(TargetConfig):
    """Answers with what the file says, without asking anyone.

    Without `response` it repeats the last thing the user said, and asked as a judge it compares
    words: enough to try a suite out, but not a judgement.
    """

    asked_by: ClassVar[str | None] = "suitecase_evaluators.targets.mock"

    provider: Literal["mock"] = Field(description="Canned answers; no model is called.")
    response: CannedById | None = Field(
        default=None,
        description="The answer. A text answers every question; a list answers each case's "
        "questions one after the other, and the last one repeats; a map has the answer, or a "
        "list, for each case id. Left out, the last user message comes back, and questions of a "
        "judge are answered by comparing words.",
    )
    delay_ms: Number | None = Field(
        default=None,
        description="A delay before each answer, in milliseconds, to try out `workers`.",
    )

    @property
    def writes_nothing_new(self) -> str | None:
        return None if self.response is not None else "is the mock, which repeats the question"


class ReplayConfig(TargetConfig):
    """Answers with what a results file recorded, judge replies included: no model is asked."""

    asked_by: ClassVar[str | None] = "suitecase_evaluators.targets.replay"

    provider: Literal["replay"] = Field(
        description="Answers of an earlier run; no model is called."
    )
    results: Annotated[str, FieldRole.RESULTS] = Field(
        pattern=r"\S",
        description="The results file (JSONL) of the earlier run, relative to the targets file.",
    )

    @property
    def answers(self) -> str:
        return self.results

    @property
    def writes_nothing_new(self) -> str:
        return "replays answers of an earlier run"


class EchoConfig(TargetConfig):
    """Answers with its prompt: the provider `echo` of promptfoo. Targets files have `mock`."""

    asked_by: ClassVar[str | None] = "suitecase_evaluators.targets.echo"

    provider: Literal["echo"] = Field(description="The prompt comes back; no model is called.")

    @property
    def writes_nothing_new(self) -> str:
        return "repeats the prompt"
