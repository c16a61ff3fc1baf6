"""A reply of a model, as far as it is used; its fields are called as OpenAI's and litellm's are."""

from __future__ import annotations

import json
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, field_validator

from suitecase_evaluators.answers.records.values import count


class CalledFunction(BaseModel):
    name: str | None = None
    arguments: str | None = None

    @field_validator("arguments", mode="before")
    @classmethod
    def _as_text(cls, arguments: Any) -> Any:
        # The protocol says text; some servers send the object.
        return json.dumps(arguments) if isinstance(arguments, dict | list) else arguments


class CalledTool(BaseModel):
    function: CalledFunction
    id: str | None = None


class AnsweredMessage(BaseModel):
    #: A text; lists of parts are read from the body.
    content: Any = None
    refusal: Any = None
    tool_calls: list[CalledTool] | None = None
    #: What `tool_calls` was called before.
    function_call: CalledFunction | None = None
    #: litellm's place for what it has no field for.
    provider_specific_fields: ClassVar[None] = None


class Choice(BaseModel):
    message: AnsweredMessage
    finish_reason: str | None = None


#: A number of tokens, whatever is in its place.
Tokens = Annotated[int | None, BeforeValidator(count)]


class Usage(BaseModel):
    """What was used, as far as it can be read: nothing in it makes a reply unreadable."""

    prompt_tokens: Tokens = None
    completion_tokens: Tokens = None
    #: What servers say beside; used where it is what OpenAI says.
    prompt_tokens_details: Any = None
    #: Tokens that were written to a cache, and those of them that are kept for an hour.
    written_tokens: int = 0
    written_for_an_hour: int = 0

    @property
    def cached_tokens(self) -> int:
        """Tokens that were read from a cache."""
        details = self.prompt_tokens_details
        cached = details.get("cached_tokens") if isinstance(details, dict) else None
        return count(cached) or 0


def _known_usage(value: Any) -> Any:
    return value if isinstance(value, Usage | dict) else None


class Completion(BaseModel):
    choices: list[Choice] = []
    usage: Annotated[Usage | None, BeforeValidator(_known_usage)] = None
    model: str | None = None
    id: str | None = None
    service_tier: Any = None
