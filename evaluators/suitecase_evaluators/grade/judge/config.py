"""What an `llm_judge` entry of a suite says."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    Discriminator,
    Field,
    SerializerFunctionWrapHandler,
    Tag,
    model_serializer,
)

from suitecase_evaluators.answers.message import kind_of
from suitecase_evaluators.answers.rubric import RubricItem
from suitecase_evaluators.answers.sandbox_level import SANDBOX_OF_SCRIPTS, WantedLevel
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.schema.model import Model

_Argument = Annotated[str, Field(min_length=1)]

#: The most times that a judge is asked about one answer for a vote.
MOST_VOTES = 15

TargetKey = Annotated[
    str | None,
    FieldRole.TARGET,
    Field(
        pattern=r"\S",
        description="The target that judges. Default: the `judge_target` of the case's target, "
        "else that target itself.",
    ),
]
ModelKey = Annotated[
    str | None,
    FieldRole.MODEL,
    Field(
        pattern=r"\S",
        description="The model to use instead of the judging target's own.",
    ),
]
TemperatureKey = Annotated[
    float | None,
    Field(
        ge=0,
        le=2,
        description="The judge's sampling temperature, from 0 to 2. Default 0, for repeatable scores.",
    ),
]
LimitKey = Annotated[
    int | None,
    Field(
        ge=1,
        description="The maximum length of a reply, in tokens. If a reply is cut off, the judge is called "
        "again with twice as many, unless the reply was in a loop.",
    ),
]
ReferencesKey = Annotated[
    list[Annotated[str, Field(pattern=r"\S")]] | None,
    FieldRole.REFERENCES,
    Field(
        min_length=1,
        description="Text files of the workspace that the judge is shown, such as a policy. The default "
        "prompt shows them before the question; your own prompt shows them as `{{ references }}`.",
        examples=[["policy/refunds.md"]],
    ),
]
VotesKey = Annotated[
    int | None,
    Field(
        ge=1,
        le=MOST_VOTES,
        description=f"How often the judge is asked about each answer, from 1 to {MOST_VOTES}, with a seed "
        "of its own each time. The median score counts, and for a checklist item the majority. Each "
        "vote is paid for. Default 1.",
        examples=[3],
    ),
]
QuotesKey = Annotated[
    Literal["required"] | None,
    Field(
        description="`required`: for each rubric item that is met, the judge has to quote the part of the "
        "answer that shows it. A quote that is not in the answer makes the item unmet.",
    ),
]


class PromptScript(Model):
    """A program that writes the judge's prompt."""

    script: Annotated[
        Annotated[str, Tag("<text>"), Field(pattern=r"\S")]
        | Annotated[list[_Argument], Tag("<list>"), Field(min_length=1)],
        Discriminator(kind_of),
        FieldRole.COMMAND,
    ] = Field(
        description="The program and its arguments as a list, or a command line for the shell. It "
        "runs in the suite's folder, reads on stdin what a `code_judge` reads (`question`, "
        "`expected_outcome`, `reference_answer`, `candidate_answer`, `input_messages`, "
        "`expected_messages`, `output_messages`, `config` and so on) with `rubrics` and "
        "`references` beside it, as one JSON object, and writes the prompt's "
        "text to stdout. What it writes is sent as it stands: variables are not filled in."
    )
    config: Annotated[dict[str, Any] | None, FieldRole.SETTINGS] = Field(
        default=None,
        description="Passed to the script as `config`. Default: the evaluator's own `config`.",
    )
    sandbox: Annotated[WantedLevel | None, FieldRole.SANDBOX] = Field(
        default=None,
        description=SANDBOX_OF_SCRIPTS,
    )


class JudgeConfig(EvaluatorConfig):
    """What evaluators that ask a judge have in common."""

    #: Keys that earlier versions did not have. They are left out of what is hashed where they are not
    #: set, so that a new version of Suitecase changes no hash of a suite that does not use them.
    added_keys: ClassVar[frozenset[str]] = frozenset({"references", "quotes", "votes"})

    @model_serializer(mode="wrap")
    def _without_unset(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        values: dict[str, Any] = dump(self)
        unset = [added_key for added_key in self.added_keys if values.get(added_key, "") is None]
        for name in unset:
            del values[name]
        return values


class LlmJudgeConfig(JudgeConfig):
    """A model reads the answer and grades it.

    Without `rubrics` it gives a score from 0 to 1 with its hits and misses. With `rubrics` it
    answers item by item, and the score is the weighted share of what was met. What it thinks aloud
    first (`<think>`) is not read. After a reply that cannot be read, or a score outside 0 to 1, it is
    asked again, up to three times in all; then the judge has failed, and the answer counts as not
    graded. A reply with verdicts that differ is marked, and the first counts.
    """

    type: Literal["llm_judge"]
    prompt: Annotated[
        Annotated[
            Annotated[str, Tag("<text>"), Field(pattern=r"\S")]
            | Annotated[PromptScript, Tag("<mapping>")],
            Discriminator(kind_of),
        ]
        | None,
        FieldRole.PROMPT,
    ] = Field(
        default=None,
        description="The judge's prompt: the path of a text file, the text itself, or `{script: [...]}` for"
        " a program that writes it. Variables such as `{{ candidate_answer }}` are filled in; "
        "with `rubrics` the text must contain `{{ rubrics }}`. The format of the reply is "
        "requested separately, so the prompt need not describe it. Default: a prompt with the "
        "question, the reference answer, the answer and the criteria.",
        examples=["prompts/tone.md"],
    )
    rubrics: Annotated[list[RubricItem] | None, FieldRole.RUBRICS] = Field(
        default=None,
        description="The items that the answer is graded by. A plain string is a required item. An empty "
        "list has no effect.",
        examples=[["Says sorry", {"id": "tone", "expected_outcome": "Is warm", "weight": 2}]],
    )
    target: TargetKey = None
    model: ModelKey = None
    temperature: TemperatureKey = None
    max_output_tokens: LimitKey = None
    references: ReferencesKey = None
    quotes: QuotesKey = None
    votes: VotesKey = None
    config: Annotated[dict[str, Any] | None, FieldRole.SETTINGS] = Field(
        default=None, description="Your own settings, passed to a prompt script as `config`."
    )
