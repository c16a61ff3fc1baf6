"""A reply of a model, as far as it is used; its fields are called as OpenAI's and litellm's are."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from pydantic import BaseModel, field_validator


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


class Usage(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
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
        return cached if isinstance(cached, int) else 0


class Completion(BaseModel):
    choices: list[Choice] = []
    usage: Usage | None = None
    model: str | None = None
    id: str | None = None
    service_tier: Any = None
