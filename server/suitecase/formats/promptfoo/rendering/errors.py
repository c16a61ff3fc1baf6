"""What is wrong with a template that is to be filled in."""

from __future__ import annotations


class TemplateError(Exception):
    """A template that nunjucks refuses, or that fails while it is filled in.

    Attributes:
        message: what is wrong.
        offset: where in the template; None where that is not known.
    """

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


class UnsupportedTemplateError(TemplateError):
    """A template that nunjucks fills in, and that is not supported here."""


class NeedsScriptError(Exception):
    """A variable whose value a script returns.

    Attributes:
        reference: the script as the variable names it.
    """

    def __init__(self, reference: str) -> None:
        super().__init__(f"`{reference}` has to be executed")
        self.reference = reference
