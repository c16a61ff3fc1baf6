"""An HTTP API that is asked with a request of the user's own: the provider `http` of promptfoo."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field, PrivateAttr

from suitecase_evaluators.targets.config.target import TargetConfig

#: How a part of a request is filled in: as text, or so that it stays the JSON that it is in.
Filling = Literal["text", "json value", "json text", "json escaped"]
Step = str | int


class HttpConfig(TargetConfig):
    """An HTTP API. It is no provider of a targets file: its requests come from rows."""

    asks: ClassVar[Literal["model", "program"] | None] = "program"
    asked_by: ClassVar[str | None] = "suitecase_evaluators.targets.http"
    row_fields: ClassVar[tuple[str, ...]] = ("request", "repeat")

    provider: Literal["http"] = Field(description="An HTTP API.")
    method: str = Field(description="The method of requests.")
    url: str = Field(description="The address.")
    query: dict[str, str] = Field(default_factory=dict, description="Added to the address.")
    headers: dict[str, str] = Field(default_factory=dict, description="By name in small letters.")
    body: Any = Field(default=None, description="A text, or what is sent as JSON.")
    basic_auth: tuple[str, str] | None = Field(default=None, description="User and password.")
    answer_path: tuple[Step, ...] | None = Field(
        default=None, description="Leads from `json` or `text`, its first step, to the answer."
    )
    statuses: list[list[tuple[str, int]]] | None = Field(
        default=None,
        description="Which statuses are answers: comparisons, of one list all, of several one.",
    )

    #: The parts of a request that each row fills in, by their place: the steps that lead to it.
    _templates: dict[tuple[Step, ...], tuple[str, Filling]] = PrivateAttr(default_factory=dict)

    @property
    def templates(self) -> dict[tuple[Step, ...], tuple[str, Filling]]:
        """The parts of a request that each row fills in, by the steps that lead to them."""
        return self._templates
