"""The evals of a skill, with what each key means.

The format is a convention: guides describe it, and each tool adds keys of its own. So other keys are
allowed everywhere, and what has more than one usual form may have any of them. As described by
agentskills.io and by the skill-creator of Anthropic in September 2026.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

from suitecase.schema.key_roles import Defines, File, Kind, Under, Usually
from suitecase_evaluators.schema.field_role import FieldRole


def _kind_of(value: object) -> str:
    if isinstance(value, list | tuple):
        return "<list>"
    if isinstance(value, dict):
        return "<mapping>"
    return "<number>" if isinstance(value, int) and not isinstance(value, bool) else "<text>"


#: An id: a number or a text.
_Id = Annotated[
    Annotated[str, Tag("<text>")] | Annotated[int, Tag("<number>")], Discriminator(_kind_of)
]
#: A text, for which tools also take a list of texts or a mapping of their own.
_Text = Annotated[
    Annotated[str, Tag("<text>")]
    | Annotated[list[Any], Tag("<list>")]
    | Annotated[dict[str, Any], Tag("<mapping>")],
    Discriminator(_kind_of),
]
#: A file of the workspace, by its path.
_FILE: Final = File(("",), scheme="none")
#: A list of paths, for which tools also take texts with their names, and a mapping by name.
_Files = Annotated[
    Annotated[list[Annotated[Any, _FILE, Under({"path": (_FILE,)})]], Tag("<list>")]
    | Annotated[dict[str, Any], Tag("<mapping>")],
    Discriminator(_kind_of),
]
#: A list of statements, or one statement.
_Behavior = Annotated[
    Annotated[str, Tag("<text>")] | Annotated[list[Any], Tag("<list>")], Discriminator(_kind_of)
]


class _SkillsModel(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True, frozen=True, defer_build=True)


class EvalModel(_SkillsModel):
    """A task for an agent that has the skill, and what its answer should be like."""

    id: _Id | None = Field(
        default=None,
        description="The number or the name of the eval. No other eval of the file has it: results are "
        "kept under it.",
        examples=[1, "finds-the-top-months"],
    )
    name: Annotated[str | None, Defines(Kind.TEST)] = Field(
        default=None,
        description="What people call the eval. Not part of the common format, but many tools show it.",
        examples=["top months of a year"],
    )
    prompt: str | None = Field(
        default=None,
        description="What the agent is asked, as a user would write it. It is asked twice: with the skill "
        "and without it, or with its last version.",
        examples=["Find the three months with the highest revenue in data/sales.csv."],
    )
    expected_output: Annotated[_Text | None, Usually("text")] = Field(
        default=None,
        description="What a good result is, for people and for the model that grades it.",
        examples=["A table with the three months, the highest revenue first."],
    )
    files: Annotated[_Files | None, Usually("a list of paths")] = Field(
        default=None,
        description="The files that the agent finds, as paths from the folder of the skill. Some tools "
        "start at the folder of this file instead.",
        examples=[["evals/files/sales.csv"]],
    )
    assertions: Annotated[list[Any] | None, Usually("a list of statements")] = Field(
        default=None,
        description="What is checked of the result: statements, each of which is true or false. agentskills.io "
        "has this name, the skill-creator of Anthropic `expectations`.",
        examples=[["The table has exactly three rows", "The months are sorted by revenue"]],
    )
    expectations: Annotated[list[Any] | None, Usually("a list of statements")] = Field(
        default=None,
        description="What is checked of the result: statements, each of which is true or false. This is the "
        "name of the skill-creator of Anthropic; agentskills.io has `assertions`.",
        examples=[["The table has exactly three rows", "The months are sorted by revenue"]],
    )
    expected_behavior: Annotated[_Behavior | None, Usually("a list of statements, or one")] = Field(
        default=None,
        description="What the agent is expected to do: statements, each of which is true or false, or one of "
        "them as a text. Some tools have this name; agentskills.io has `assertions`.",
        examples=[["It asks which year is meant", "It changes no file"]],
    )
    query: Annotated[_Text | None, Usually("text")] = Field(
        default=None,
        description="What a user writes, in an eval that only asks whether the agent takes up the skill.",
        examples=["Which months sold best? It is all in sales.csv."],
    )
    should_trigger: bool | None = Field(
        default=None,
        description="Whether the agent should take up the skill for this query.",
        examples=[True],
    )


class FileModel(_SkillsModel):
    """The evals of a skill, in `evals/evals.json` of its folder."""

    skill_name: Annotated[str | None, FieldRole.SKILL] = Field(
        default=None,
        description="The name of the skill: `name` at the top of its `SKILL.md`.",
        examples=["csv-analyzer"],
    )
    evals: list[EvalModel] | None = Field(
        default=None,
        description="The evals: what the agent is asked, and what is expected of its answers.",
        examples=[[{"id": 1, "prompt": "...", "expected_output": "...", "assertions": ["..."]}]],
    )
