"""What a run refuses to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from suitecase.formats.promptfoo.rendering.errors import NeedsScriptError, TemplateError


class RefusedError(Exception):
    """Something cannot be run.

    Attributes:
        message: the reason, for users.
        assertion: the number of the assertion concerned, from 0; None if none is.
        member: the number of the member of this assertion that is concerned, from 0; None if it is not a set, or
            all of it is concerned.
        others: why further assertions of the same test cannot be graded.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
        self.assertion: int | None = None
        self.member: int | None = None
        self.others: tuple[RefusedError, ...] = ()

    @property
    def each(self) -> tuple[RefusedError, ...]:
        """This refusal and the others of the same test."""
        return (self, *self.others)


def raise_all(refused: Sequence[RefusedError]) -> None:
    """Raise several refusals as one; do nothing if there are none."""
    if refused:
        first, *others = refused
        first.others = tuple(others)
        raise first


def refusing(make: Callable[[], Any], filled: str = "") -> Any:
    """Return the result of filling in a template.

    Args:
        make: fills it in.
        filled: what is filled in, for messages, if the place of the message does not say it.

    Raises:
        RefusedError: the template cannot be filled in, or a script would have to be run.
    """
    try:
        return make()
    except TemplateError as error:
        raise RefusedError(f"{filled}: {error.message}" if filled else error.message) from None
    except NeedsScriptError as error:
        raise RefusedError(
            f"`suitecase run` does not run `{error.reference}` to get a variable"
        ) from None
