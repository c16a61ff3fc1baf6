"""The messages that a process with functions of scripts writes, among all that scripts print.

Whatever runs in the process can write messages, too. So nothing in them is taken for granted: what
cannot be read is an `UnreadableMessageError`, whatever it contains.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from suitecase_evaluators.targets.sandbox.running import OUTPUT_LIMIT, Capture

#: The start of a message: the name of its call.
_ID = re.compile(rb'\{"id": ?"(\w+)",')
#: How many bytes of what scripts print are kept.
_PRINTED_BYTES = 65_536


class UnreadableMessageError(Exception):
    """A message of a process cannot be read, so nobody knows which call it belongs to."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a process.

    Attributes:
        kind: whether the process takes calls, shows that it is responsive, has called the function
            of a call, or answers a call.
        call: the name of the call, or of what was asked; empty for `ready`.
        value: what the function returned.
        type: the result of `typeof` in JavaScript; `value` in Python.
        error: what the function raised; None if it returned.
    """

    kind: Literal["ready", "alive", "begun", "answer"]
    call: str = ""
    value: Any = None
    type: str = ""
    error: dict[str, Any] | None = None


def message_of(line: bytes) -> Message:
    """Return the message in a line; an error of its call if Python cannot read the value.

    Raises:
        UnreadableMessageError: it is none.
    """
    try:
        content = json.loads(line)
    except (ValueError, RecursionError) as error:
        found = _ID.match(line)
        if found is None:
            raise UnreadableMessageError from error
        is_deep = isinstance(error, RecursionError)
        problem = "is nested too deeply" if is_deep else f"is not JSON: {error}"
        report = {"message": f"the value it returned {problem}"}
        return Message("answer", found[1].decode(), error=report)
    match content:
        case {"ready": True}:
            return Message("ready")
        case {"alive": str(asked)}:
            return Message("alive", asked)
        case {"id": str(call), "begun": True}:
            return Message("begun", call)
        case {"id": str(call), "error": dict(report)}:
            return Message("answer", call, error=report)
        case {"id": str(call), "type": str(type_)}:
            return Message("answer", call, content.get("value"), type_)
    raise UnreadableMessageError


class MessageCapture(Capture):
    """Passes on the messages of a process, and keeps the end of what its script prints.

    Args:
        mark: what lines with messages start with.
        receive: receives each message.
    """

    def __init__(self, mark: bytes, receive: Callable[[Message], None]) -> None:
        super().__init__()
        self._mark = mark
        self._receive = receive
        #: The start of a line whose end has not arrived.
        self._rest = bytearray()
        #: Why no further message can be relied on, as in "the process was stopped, since ...".
        self.broken: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd != 1:
            self._print(data)
            return
        self._rest += data
        if b"\n" in data:
            *lines, rest = self._rest.split(b"\n")
            self._rest = bytearray(rest)
            for line in lines:
                if line.startswith(self._mark):
                    self._take(bytes(line[len(self._mark) :]))
                elif line:
                    self._print(bytes(line) + b"\n")
        if len(self._rest) > OUTPUT_LIMIT:
            self._rest.clear()
            self._break(f"it returned more than {OUTPUT_LIMIT:,} bytes")

    def _take(self, line: bytes) -> None:
        try:
            message = message_of(line)
        except UnreadableMessageError:
            self._break("it wrote a message that cannot be read")
        else:
            self._receive(message)

    def _break(self, reason: str) -> None:
        if not self.broken.done():
            self.broken.set_result(reason)

    def _print(self, data: bytes) -> None:
        printed = self.output[2]
        printed += data
        del printed[:-_PRINTED_BYTES]
