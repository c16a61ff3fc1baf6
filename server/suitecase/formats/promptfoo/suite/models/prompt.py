"""Prompts: the texts that are sent, with places for variables."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag

from suitecase.formats.promptfoo.suite.models.field_types import Label, PromptfooModel
from suitecase.formats.promptfoo.suite.models.provider import SETTINGS
from suitecase.schema.key_roles import Defines, Kind, SentPrompt


class PromptObject(PromptfooModel):
    """A prompt with a label."""

    raw: Annotated[str | None, SentPrompt()] = Field(
        default=None,
        description="The prompt: its text, or the path of the file that has it. Without `raw`, `id` is "
        "the prompt.",
        examples=["Translate to French: {{text}}"],
    )
    label: Annotated[Label | None, Defines(Kind.PROMPT_LABEL)] = Field(
        default=None,
        description="The prompt's name in results, and in `prompts` of tests and providers.",
        examples=["short"],
    )
    id: Annotated[str | None, SentPrompt(unless="raw"), Defines(Kind.PROMPT_LABEL, is_id=True)] = (
        Field(
            default=None,
            description="Where the prompt is: a `file://` path. A text that is not a path is sent as the "
            "prompt itself, where there is no `raw`.",
            examples=["file://prompts/translate.txt"],
        )
    )
    config: Annotated[Any, SETTINGS] = Field(
        default=None,
        description="Settings for the provider that only hold for this prompt, such as `response_format`.",
        examples=[{"temperature": 0}],
    )
    template: str | None = Field(
        default=None, description="The template of the prompt. promptfoo writes it itself."
    )
    display: Annotated[str | None, Defines(Kind.PROMPT_LABEL)] = Field(
        default=None, description="An older name of `label`.", deprecated=True
    )
    function: Any = Field(
        default=None, description="A function; only in configurations written in JavaScript."
    )


def _prompt_kind(value: object) -> str:
    return "<prompt>" if isinstance(value, dict) else "<text>"


#: A prompt without a label: its text or its path is what it is called.
PromptText = Annotated[str, SentPrompt(), Defines(Kind.PROMPT_LABEL, is_id=True)]
#: An item of `prompts`.
PromptEntry = Annotated[
    Annotated[PromptText, Tag("<text>")] | Annotated[PromptObject, Tag("<prompt>")],
    Discriminator(_prompt_kind),
]
