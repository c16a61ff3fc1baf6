"""Calls of the functions of scripts, and what they return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from suitecase_evaluators.answers.sandbox_level import Level

Language = Literal["javascript", "python"]
#: The purpose of a call, which decides how the function is found.
Role = Literal["assertion", "transform", "prompt", "variable", "provider"]

#: So many characters of a script's message are told, and so many more may be given up to end it between words.
LONGEST_MESSAGE: Final = 4_000
LONGEST_WORD: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The process that a function is called in: one for each script, and one for code of a suite.

    Attributes:
        language: what the script is written in.
        folder: the folder it runs in, and may write to: that of the suite.
        script: the script; None for code that stands in the suite.
        environment: the variables that the suite sets for it.
        executable: the program that runs it, if the suite names one.
        as_target: whether it answers questions; otherwise it grades, or generates prompts.
    """

    language: Language
    folder: Path
    script: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    executable: str | None = None
    as_target: bool = False

    @property
    def key(self) -> tuple[object, ...]:
        """The key that distinguishes it from other places."""
        variables = tuple(sorted(self.environment.items()))
        return (
            *(self.language, self.folder, self.script, variables),
            *(self.executable, self.as_target),
        )

    @property
    def shown(self) -> str:
        """Its name in messages."""
        if self.script is None:
            return "the JavaScript" if self.language == "javascript" else "the Python code"
        inside = self.script.is_relative_to(self.folder)
        return f"`{self.script.relative_to(self.folder).as_posix() if inside else self.script}`"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call of one function.

    Attributes:
        role: the purpose of the call.
        arguments: the arguments, as JSON values.
        name: the function; None for the one that the script exports.
        code: code of the suite that is called instead of a script.
        parameters: the names of the arguments in JavaScript code.
        first_line: the line of `code` at which the text of the suite starts.
        options: the argument of the constructor of a class.
    """

    role: Role
    arguments: tuple[Any, ...]
    name: str | None = None
    code: str | None = None
    parameters: tuple[str, ...] = ()
    first_line: int = 1
    options: Mapping[str, Any] | None = None

    @property
    def can_be_repeated(self) -> bool:
        """Whether it may be sent again after its function was called.

        What a provider answers may cost money, which would be paid twice.
        """
        return self.role != "provider"

    @property
    def request(self) -> dict[str, Any]:
        """The call as the process reads it."""
        request: dict[str, Any] = {"role": self.role, "arguments": self.arguments}
        if self.code is not None:
            request |= {"code": self.code, "parameters": self.parameters}
        if self.name is not None:
            request["name"] = self.name
        if self.options is not None:
            request["options"] = self.options
        return request


@dataclass(frozen=True, slots=True)
class Returned:
    """What a function returned.

    Attributes:
        value: the value; None if JSON cannot represent it.
        type: the result of `typeof` in JavaScript; `value` in Python.
        level: the sandbox level of the process.
    """

    value: Any
    type: str
    level: Level


class ScriptError(Exception):
    """A script raised an error, or its process failed.

    `message` is for people, and has the file and the line if they are known.
    """

    def __init__(self, message: str, level: Level | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.level = level


def shortened(message: str) -> str:
    """Return the start of a script's message if it is too long, and how much of it is left out.

    It ends between two words: redacting recognizes no secret that is cut in two.
    """
    if len(message) <= LONGEST_MESSAGE:
        return message
    end = max(message.rfind(" ", 0, LONGEST_MESSAGE), LONGEST_MESSAGE - LONGEST_WORD)
    return f"{message[:end]}... ({len(message) - end:,} more characters left out)"
