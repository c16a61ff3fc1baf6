"""Prompts as messages."""

from __future__ import annotations

from typing import Any

from suitecase.formats.promptfoo.rendering.errors import TemplateError
from suitecase.formats.promptfoo.rendering.prompts import chat_messages
from suitecase.formats.promptfoo.running.providers.models import CompletingConfig
from suitecase.formats.promptfoo.running.refused import RefusedError
from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.targets.config.target import TargetConfig

#: A tuple, since what is looked for may be a list or a mapping.
_ROLES = ("system", "user", "assistant")
#: The keys of messages that call tools, or answer such a call.
_OF_TOOLS = frozenset({"tool_calls", "function_call", "tool_call_id"})


def takes_messages(target: TargetConfig) -> bool:
    """Whether a prompt that is a list of messages is sent as messages."""
    return target.asks == "model" and not isinstance(target, CompletingConfig)


def messages_of(prompt: str, *, of_chat: bool) -> tuple[Message, ...]:
    """Return a prompt as messages: those of a chat, or one user message.

    Args:
        prompt: the prompt, filled in.
        of_chat: whether a prompt that is a list of messages is sent as messages.

    Raises:
        RefusedError: it cannot be sent.
    """
    try:
        chat = chat_messages(prompt) if of_chat else None
    except TemplateError as error:
        raise RefusedError(error.message) from None
    if chat is None:
        return (Message(role="user", content=prompt),)
    return tuple(map(_message, chat))


def _message(written: Any) -> Message:
    """Return a message of a chat.

    Raises:
        RefusedError: it is not plain text of the system, the user, or the model.
    """
    given = written if isinstance(written, dict) else {}
    role, content = given.get("role"), given.get("content")
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict):
        content = content[0].get("text") if content[0].get("type") == "text" else None
    # Services accept either role for a model that knows only one of them.
    role = "system" if role == "developer" else role
    if role not in _ROLES or not isinstance(content, str) or given.keys() & _OF_TOOLS:
        raise RefusedError(
            "`suitecase run` sends only messages of text with the roles system, developer, user and "
            "assistant"
        )
    return Message.model_validate({"role": role, "content": content})
