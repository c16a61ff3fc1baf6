"""The messages of a case, whichever keys it has them under."""

from __future__ import annotations

from pydantic import ValidationError

from suitecase.formats.suitecase.model import Case
from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.text.written_number import as_written


def input_messages(case: Case) -> tuple[Message, ...]:
    """Return the input of a case as messages, whichever form it has."""
    if case.input_messages is not None:
        return tuple(case.input_messages)
    if isinstance(case.input, str):
        return (Message(role="user", content=case.input),)
    return tuple(case.input or ())


def expected_messages(case: Case) -> tuple[Message, ...]:
    """Return the expected answer of a case as messages, whichever form it has."""
    if case.expected_messages is not None:
        return tuple(case.expected_messages)
    output = case.expected_output
    if output is None:
        return ()
    listed = output if isinstance(output, list) else [output]
    if listed and all(isinstance(item, dict) and "role" in item for item in listed):
        try:
            return tuple(Message.model_validate(item) for item in listed)
        except ValidationError:
            pass  # a structured answer that happens to have `role` keys
    if isinstance(output, list):
        return (Message(role="assistant", content=as_written(output)),)
    return (Message(role="assistant", content=output),)
