"""The messages of a test: `input`, `input_files` and `expected_output`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import ValidationError

from suitecase.format.workspace import Folder, Found
from suitecase.formats.promptfoo.running.refused import RefusedError
from suitecase_evaluators.answers.message import ContentPart, Message
from suitecase_evaluators.schema.validation_words import named_problem
from suitecase_evaluators.text.written_number import as_written

#: A tuple, since what is looked for may be a list or a mapping.
_KINDS: Final = ("text", "file")


def messages_in(value: Sequence[Any], folder: Folder) -> tuple[Message, ...]:
    """Return a list of messages.

    Args:
        value: the messages as plain values.
        folder: the folder of the suite, which paths are relative to.

    Raises:
        RefusedError: one is not a message, or names a file that does not exist.
    """
    return tuple(_message(it, folder) for it in value)


def with_files(
    messages: tuple[Message, ...], files: Sequence[Any], folder: Folder
) -> tuple[Message, ...]:
    """Return messages with files at the beginning of the last user message.

    Raises:
        RefusedError: a file does not exist.
    """
    users = [number for number, it in enumerate(messages) if it.role == "user"]
    if not files or not users:
        return messages
    at = users[-1]
    parts = [_part({"type": "file", "value": it}, folder) for it in files]
    content = messages[at].content
    parts_of_text = (
        content
        if isinstance(content, list)
        else [ContentPart(type="text", value=messages[at].text)]
    )
    asked = messages[at].model_copy(update={"content": [*parts, *parts_of_text]})
    return (*messages[:at], asked, *messages[at + 1 :])


def expected_messages(value: Any, folder: Folder) -> tuple[Message, ...]:
    """Return the expected answer: a string, messages, or a structured value.

    Raises:
        RefusedError: one is not a message.
    """
    match value:
        case None | "":
            return ()
        case str():
            return (Message(role="assistant", content=value),)
        case dict() if "role" in value:
            return messages_in([value], folder)
        case dict():
            return (Message(role="assistant", content=value),)
        case list() if value and all(isinstance(it, dict) and "role" in it for it in value):
            return messages_in(value, folder)
    return (Message(role="assistant", content=as_written(value)),)


def _message(written: Any, folder: Folder) -> Message:
    if not isinstance(written, Mapping):
        raise RefusedError("a message is a mapping with `role` and `content`")
    fields = {key: written.get(key) for key in ("role", "content", "name", "tool_calls")}
    if isinstance(fields["content"], list):
        fields["content"] = [_part(it, folder) for it in fields["content"]]
    if isinstance(fields["tool_calls"], list):
        known = ("tool", "input", "output", "duration_ms")
        fields["tool_calls"] = [
            {key: it.get(key) for key in known} if isinstance(it, Mapping) else it
            for it in fields["tool_calls"]
        ]
    try:
        return Message.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(it) for it in first["loc"] if not str(it).startswith("<"))
        raise RefusedError(named_problem(f"`{place}` of a message", dict(first))) from None


def _part(written: Any, folder: Folder) -> ContentPart:
    kind = written.get("type") if isinstance(written, Mapping) else None
    if kind not in _KINDS:
        raise RefusedError(f"`suitecase run` sends text and files, no part of the type `{kind}`")
    value = written.get("value", written.get("text"))
    if not isinstance(value, str):
        raise RefusedError(
            f"a part of a message of the type `{kind}` needs a string as its `value`"
        )
    if kind == "file" and not isinstance(folder.find(value), Found):
        raise RefusedError(f"the file `{value}` was not found")
    return ContentPart(type=kind, value=value)
