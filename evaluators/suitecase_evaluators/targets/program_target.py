"""What targets that start a program for each question have in common."""

from __future__ import annotations

from typing import Any, ClassVar

from suitecase_evaluators.targets.config.placeholder import as_number
from suitecase_evaluators.targets.config.target import TargetConfig
from suitecase_evaluators.targets.context import TargetContext
from suitecase_evaluators.targets.sandbox.confinement import Sandbox
from suitecase_evaluators.targets.target import Target, TargetError


class ProgramTarget(Target):
    """A target that starts a program for each question.

    Args:
        config: its entry.
        context: the context of the entry.
    """

    #: Seconds one run of the program may take if the entry sets no limit.
    default_timeout: ClassVar[float]

    def __init__(self, config: TargetConfig, context: TargetContext) -> None:
        super().__init__(config.name)
        self._folder = context.folder
        self._environ = context.environ
        self._redact = context.redactor
        self._sandbox = context.sandbox or Sandbox()
        self._timeout = as_number(config.timeout_seconds) or self.default_timeout
        self._rate = context.rate_limits(self.name, "requests", as_number(config.rate_limit))

    def _stderr_note(self, stderr: str) -> str:
        """Return the sentence that ends an error message with the end of standard error."""
        tail = self._redact.tail(stderr)
        return f" Its standard error ends with:\n{tail}" if tail else ""

    def _error(self, problem: str, **kind: Any) -> TargetError:
        return TargetError(self._redact(f"target `{self.name}`: the program {problem}"), **kind)
