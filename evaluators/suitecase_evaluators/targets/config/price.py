"""The price of calls of a target, if it is not known otherwise."""

from __future__ import annotations

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from suitecase_evaluators.answers.trace import TokenUsage
from suitecase_evaluators.schema.model import Model
from suitecase_evaluators.targets.config.placeholder import Number, as_number


class PriceConfig(Model):
    """The price of calls, in US dollars."""

    input_per_million: Number | None = Field(
        default=None, description="The price of a million input tokens, in US dollars."
    )
    output_per_million: Number | None = Field(
        default=None, description="The price of a million output tokens, in US dollars."
    )
    per_question: Number | None = Field(
        default=None, description="The price of each call in addition to its tokens, in US dollars."
    )

    @model_validator(mode="after")
    def _says_something(self) -> PriceConfig:
        if not self.model_fields_set:
            raise PydanticCustomError(
                "price_without_amount",
                "a price needs `input_per_million`, `output_per_million` or `per_question`",
            )
        return self

    def of(self, usage: TokenUsage | None) -> float | None:
        """Return what an answer cost; None where its tokens decide and are unknown.

        Raises:
            ValueError: a placeholder is not filled in.
        """
        read, written = as_number(self.input_per_million), as_number(self.output_per_million)
        if usage is None:
            return None if read or written else as_number(self.per_question) or 0.0
        tokens = usage.input * (read or 0.0) + usage.output * (written or 0.0)
        return tokens / 1e6 + (as_number(self.per_question) or 0.0)
