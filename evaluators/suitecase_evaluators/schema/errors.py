"""Why a schema cannot validate anything."""

from __future__ import annotations

from dataclasses import dataclass

#: Of the errors of one value, and of the problems of one schema, this many are kept.
ERRORS_KEPT = 100
#: Characters kept of an error's message; messages quote the value, which may be long.
MESSAGE_LIMIT = 300


@dataclass(frozen=True, slots=True)
class SchemaProblem:
    """Why a schema cannot validate anything, and the keys and indices that lead to the place."""

    message: str
    path: tuple[str | int, ...] = ()
    #: Whether it is about the last key of the path, and not its value.
    on_key: bool = False
    #: The words one of which has to stand there, where that is so.
    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        where = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in self.path)
        return f"${where}: {self.message}" if where else self.message


class SchemaError(Exception):
    """A schema cannot validate: a problem of the suite, never of the answer."""

    def __init__(
        self, message: str, path: tuple[str | int, ...] = (), words: tuple[str, ...] = ()
    ) -> None:
        self.problem = SchemaProblem(message, path, words=words)
        super().__init__(str(self.problem))


def shortened(message: str) -> str:
    """Cut the middle out of a message: the value comes first, the problem last."""
    if len(message) <= MESSAGE_LIMIT:
        return message
    half = MESSAGE_LIMIT // 2
    return f"{message[:half]} ... {message[-half:]}"
