"""Messages: what goes into a target, what is expected, what came out."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.schema.model import Model
from suitecase_evaluators.text.written_number import as_written

Role = Literal["system", "user", "assistant", "tool"]


def well_formed(text: str) -> str:
    """Return a text without half surrogates, which JSON can write and UTF-8 cannot."""
    return text.encode(errors="replace").decode()


def kind_of(value: object) -> str | None:
    """Name the YAML kind of a value, so that a union is decided before it is validated."""
    match value:
        case str():
            return "<text>"
        case dict():
            return "<mapping>"
        case list() | tuple():
            return "<list>"
        case _:
            return "<mapping>" if isinstance(value, Model) else None


class ContentPart(Model):
    """A part of a message: text, or the content of a file."""

    type: Literal["text", "file"] = Field(
        description="`text` for the text in `value`, `file` for the content of a file."
    )
    value: Annotated[str, FieldRole.FILE] = Field(
        description="The text, or the file's path. A path is searched for beside the suite and in each "
        "folder above it, up to the root of the workspace."
    )


class ToolCall(Model):
    """A call of a tool by the assistant."""

    tool: str = Field(pattern=r"\S", description="The tool's name.")
    input: Any = Field(default=None, description="The arguments of the call.")
    output: Any = Field(default=None, description="The tool's result.")
    duration_ms: float | None = Field(
        default=None, ge=0, description="How long the call took, in milliseconds."
    )


Content = Annotated[
    Annotated[str, Tag("<text>")]
    | Annotated[dict[str, Any], Tag("<mapping>")]
    | Annotated[list[ContentPart], Tag("<list>")],
    Discriminator(kind_of),
]


class Message(Model):
    """One turn of a conversation."""

    role: Role = Field(description="Who speaks: `system`, `user`, `assistant` or `tool`.")
    content: Content | None = Field(
        default=None,
        description="The content: text, a list of text and file parts, or an object for structured content."
        " Optional if there are `tool_calls`.",
    )
    name: str | None = Field(default=None, description="The speaker's name.")
    tool_calls: list[ToolCall] | None = Field(
        default=None, description="The tools the assistant called in this turn."
    )

    def values(self) -> dict[str, Any]:
        """Return what is set as plain values, as `model_dump(exclude_none=True)` does."""
        content = self.content
        if type(content) is str and self.name is None and self.tool_calls is None:
            return {"role": self.role, "content": content}
        return self.model_dump(exclude_none=True)

    @property
    def text(self) -> str:
        """The content as one text; structured content as JSON, tool calls where nothing is said."""
        match self.content:
            case str():
                return self.content
            case None:
                calls = [
                    tool_call.model_dump(exclude_none=True) for tool_call in self.tool_calls or ()
                ]
                return as_written(calls) if calls else ""
            case list():
                return "\n".join(part.value for part in self.content)
            case _:
                return as_written(self.content)
