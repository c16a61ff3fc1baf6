"""Errors of templates and variables."""

from __future__ import annotations


class TemplateError(Exception):
    """A template that nunjucks refuses, or that fails while it is filled in.

    Attributes:
        message: the problem.
        offset: where in the template; None if unknown.
    """

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


class UnsupportedTemplateError(TemplateError):
    """A template that nunjucks fills in, but Suitecase does not support."""


class ComposedEnvironmentError(UnsupportedTemplateError):
    """A template that names a variable of the environment only since it was put together of others."""


class NeedsScriptError(Exception):
    """A variable whose value a script returns.

    Attributes:
        reference: the value of the variable, which names the script.
    """

    def __init__(self, reference: str) -> None:
        super().__init__(f"`{reference}` has to be executed")
        self.reference = reference
