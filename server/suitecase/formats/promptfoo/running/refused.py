"""What a run refuses to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from suitecase.formats.promptfoo.rendering.errors import NeedsScriptError, TemplateError


class RefusedError(Exception):
    """Something cannot be run.

    Attributes:
        message: the reason, for users.
        assertion: the number of the assertion concerned, from 0; None if none is.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
        self.assertion: int | None = None


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
