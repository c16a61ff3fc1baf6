"""What every entry of a targets file has."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, PrivateAttr

from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.schema.model import Model
from suitecase_evaluators.targets.config.placeholder import (
    Count,
    Flag,
    Number,
    PositiveNumber,
    WholeNumber,
)
from suitecase_evaluators.targets.config.price import PriceConfig
from suitecase_evaluators.targets.sandbox.command import Command

#: Settings of entries that do not affect answers.
WITHOUT_EFFECT = frozenset(
    {
        "name",
        "api_key",
        "judge_target",
        "workers",
        "rate_limit",
        "tokens_per_minute",
        "retry",
        "max_retries",
        "retry_initial_delay_ms",
        "retry_max_delay_ms",
        "retry_backoff_factor",
        "retry_status_codes",
        "timeout_seconds",
        "max_response_mb",
        "provider_batching",
        "api_format",
        "metadata",
        "price",
        "healthcheck",
        "keep_temp_files",
        "delay_ms",
    }
)

StatusCode = Annotated[int, Field(ge=100, le=599)]


class RetryConfig(Model):
    """When and how often a failed call is retried."""

    max_retries: WholeNumber | None = Field(
        default=None,
        description="The maximum number of retries. `0` means none. Default 2 for models, which makes 3 "
        "attempts, and 0 for `cli`.",
    )
    initial_delay_ms: Number | None = Field(
        default=None,
        description="The delay before the first retry, in milliseconds, plus or minus a quarter. Default "
        "1000.",
    )
    max_delay_ms: Number | None = Field(
        default=None,
        description="The maximum delay, in milliseconds. If a provider requests a longer one, the call is "
        "not retried. Default 60000.",
    )
    backoff_factor: PositiveNumber | None = Field(
        default=None, description="The factor by which each delay grows. Default 2."
    )
    status_codes: list[StatusCode] | None = Field(
        default=None,
        description="The HTTP status codes after which a call is retried. Default: 408, 409, 429 and 500 to"
        " 599. Lost connections and timeouts are always retried.",
    )


class TargetConfig(Model):
    """Something that can be asked: a model, a program, a file of earlier answers."""

    #: What answers; None where only its answers tell, and asking costs nothing.
    asks: ClassVar[Literal["model", "program"] | None] = None
    #: Whether it is given the paths of files rather than what is in them.
    takes_files: ClassVar[bool] = False
    #: The fields of a `Row` that its answer depends on, beside the prompt: cached answers have them in
    #: their keys.
    row_fields: ClassVar[tuple[str, ...]] = ("repeat",)
    #: The module that asks it, whose `make(config, context)` returns the target. It is imported
    #: where it is asked; None where nothing here can ask it.
    asked_by: ClassVar[str | None] = None

    name: str = Field(
        pattern=r"\S",
        description="The target's name, unique in the file. Suites, `judge_target` and "
        "`--target` refer to it.",
    )
    #: A text. It is `Any` for type checkers, which let no `str` be narrowed to the names that a
    #: provider has, since they cannot know that models are frozen.
    provider: Any = Field(description="Who answers.")
    judge_target: Annotated[str | None, FieldRole.TARGET] = Field(
        default=None,
        pattern=r"\S",
        description="The name of the target that judges this one's answers. Default: the target "
        "itself.",
    )
    workers: Count | None = Field(
        default=None, description="The maximum number of concurrent calls, 1 or more."
    )
    rate_limit: PositiveNumber | None = Field(
        default=None,
        description="The maximum number of requests per minute, evenly spaced, including retries and "
        "judging. No effect on `mock` and `replay`.",
    )
    retry: RetryConfig | None = Field(
        default=None,
        description="When and how often a call is retried. No effect on `mock` and `replay`.",
    )
    timeout_seconds: PositiveNumber | None = Field(
        default=None,
        description="The time limit of each attempt, in seconds. Default 120.",
    )
    provider_batching: Flag | None = Field(
        default=None,
        description="Accepted for AgentV's files, without effect: each case is a separate call.",
    )
    metadata: dict[str, Any] | None = Field(
        default=None, description="Your own notes; without effect."
    )

    #: Variables of the environment whose values are sent although no setting has a placeholder for them.
    _filled_in: dict[str, None] = PrivateAttr(default_factory=dict)

    @property
    def filled_in(self) -> dict[str, None]:
        """The variables of the environment that are sent without a placeholder: others are in the settings.

        Templates with filters have their values already, and some parts are filled in for each row.
        """
        return self._filled_in

    @property
    def written(self) -> dict[str, Any]:
        """The settings that are written, with placeholders, and with what rows fill in."""
        return self.model_dump(exclude_unset=True)

    @property
    def asked_model(self) -> str | None:
        """The name of the model it asks for; None where it asks for none."""
        named = getattr(self, "model", None)
        return named if isinstance(named, str) else None

    @property
    def own_price(self) -> PriceConfig | None:
        """What the file says that an answer costs."""
        return None

    @property
    def command(self) -> Command | None:
        """The program it starts."""
        return None

    @property
    def answers(self) -> str | None:
        """The path of the file that its answers are in, from the targets file on."""
        return None

    @property
    def writes_nothing_new(self) -> str | None:
        """Why it cannot be asked to write something, for people; None where it can."""
        return None

    def identity(self, folder: Path) -> dict[str, str]:
        """Return what identifies the target, in addition to the settings of the entry.

        Args:
            folder: the folder of the targets file.
        """
        return {}
