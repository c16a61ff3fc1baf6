"""What a target did on its way to an answer."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from suitecase_evaluators.answers.message import ToolCall
from suitecase_evaluators.schema.model import Model


class TokenUsage(Model):
    """Tokens a call used."""

    input: int = Field(default=0, ge=0, description="Tokens read.")
    output: int = Field(default=0, ge=0, description="Tokens written.")

    @property
    def total(self) -> int:
        return self.input + self.output


#: What is known of the calls of a trace: all; which tools in which order; how often each tool;
#: nothing. Results of other programs tell no more than the middle two, and a program that writes
#: plain text tells nothing.
CallsKnown = Literal["all", "order", "counts", "unknown"]


class Trace(Model):
    """Tool calls, tokens, cost and time of one answer; None where the target does not tell."""

    tool_calls: tuple[ToolCall, ...] = ()
    calls_known: CallsKnown = "all"
    error_count: int = 0
    token_usage: TokenUsage | None = None
    cost_usd: float | None = None
    duration_ms: float | None = None
