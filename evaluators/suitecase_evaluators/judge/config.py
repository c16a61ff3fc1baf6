"""What an `llm_judge` entry of a suite says."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from suitecase_evaluators.evaluator import EvaluatorConfig
from suitecase_evaluators.field_role import FieldRole
from suitecase_evaluators.message import kind_of
from suitecase_evaluators.model import Model
from suitecase_evaluators.rubric import RubricItem
from suitecase_evaluators.sandbox.level import SANDBOX_OF_SCRIPTS, WantedLevel

_Argument = Annotated[str, Field(min_length=1)]


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
        "`expected_messages`, `output_messages`, `config` and so on) with `rubrics` beside it, as "
        "one JSON object, and writes the prompt's "
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


class LlmJudgeConfig(EvaluatorConfig):
    """A model reads the answer and grades it.

    Without `rubrics` it gives a score from 0 to 1 with its hits and misses. With `rubrics` it
    answers item by item, and the score is the weighted share of what was met. What it thinks aloud
    first (`<think>`) is not read; a score outside 0 to 1 counts as the nearest of the two, and is
    marked, as is a reply with verdicts that differ, of which the first counts.
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
    target: Annotated[str | None, FieldRole.TARGET] = Field(
        default=None,
        pattern=r"\S",
        description="The target that judges. Default: the `judge_target` of the case's target, "
        "else that target itself.",
    )
    model: Annotated[str | None, FieldRole.MODEL] = Field(
        default=None,
        pattern=r"\S",
        description="The model to use instead of the judging target's own.",
    )
    temperature: float | None = Field(
        default=None,
        ge=0,
        le=2,
        description="The judge's sampling temperature, from 0 to 2. Default 0, for repeatable scores.",
    )
    max_output_tokens: int | None = Field(
        default=None,
        ge=1,
        description="The maximum length of a reply, in tokens. If a reply is cut off, the judge is called "
        "again with twice as many.",
    )
    config: Annotated[dict[str, Any] | None, FieldRole.SETTINGS] = Field(
        default=None, description="Your own settings, passed to a prompt script as `config`."
    )
