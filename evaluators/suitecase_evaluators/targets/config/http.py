"""An HTTP API that is called with requests from the suite: promptfoo's provider `http`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal
from urllib.parse import urlsplit

from pydantic import Field, PrivateAttr

from suitecase_evaluators.targets.config.target import TargetConfig

#: How a part of a request is filled in: as text, or in a way that keeps the JSON around it valid.
Filling = Literal["text", "json value", "json text", "json escaped"]
Step = str | int


class HttpConfig(TargetConfig):
    """An HTTP API. Not a provider of targets files: its requests come from rows."""

    asks: ClassVar[Literal["model", "program"] | None] = "program"
    asked_by: ClassVar[str | None] = "suitecase_evaluators.targets.http"
    row_fields: ClassVar[tuple[str, ...]] = ("request", "repeat")

    provider: Literal["http"] = Field(description="An HTTP API.")
    method: str = Field(description="The method of requests.")
    url: str = Field(description="The address.")
    query: dict[str, str] = Field(default_factory=dict, description="Added to the address.")
    headers: dict[str, str] = Field(default_factory=dict, description="By name in lower case.")
    body: Any = Field(default=None, description="A string, or a value that is sent as JSON.")
    basic_auth: tuple[str, str] | None = Field(default=None, description="User and password.")
    answer_path: tuple[Step, ...] | None = Field(
        default=None, description="The path of the answer; its first step is `json` or `text`."
    )
    statuses: list[list[tuple[str, int]]] | None = Field(
        default=None,
        description="Which statuses are answers: all comparisons of any list have to hold.",
    )

    #: The parts of a request that each row fills in, by their path.
    _templates: dict[tuple[Step, ...], tuple[str, Filling]] = PrivateAttr(default_factory=dict)

    @property
    def templates(self) -> dict[tuple[Step, ...], tuple[str, Filling]]:
        """The parts of a request that each row fills in, by their path."""
        return self._templates

    @property
    def written(self) -> dict[str, Any]:
        whole = super().written
        for place, (template, _) in self._templates.items():
            whole = with_part(whole, place, template)
        return whole


def authorized_twice(url: str, headers: Mapping[str, object]) -> str | None:
    """Return why requests cannot be sent that are authorized by their address and by a header, too.

    Args:
        url: the address, or what is written of it.
        headers: by name in lower case.
    """
    try:
        has_login = "@" in urlsplit(url).netloc
    except ValueError:
        return None
    if not has_login or "authorization" not in headers:
        return None
    return (
        "its requests would be authorized twice: the address in `url` has a user or a password, and "
        "`headers` or `auth` set the header `Authorization`; remove one of them"
    )


def with_part(whole: Any, place: tuple[Step, ...], value: Any) -> Any:
    """Return a copy of a value in which the value at a path is replaced."""
    if not place:
        return value
    step, *rest = place
    copied = list(whole) if isinstance(whole, list) else dict(whole)
    copied[step] = with_part(copied[step], tuple(rest), value)  # type: ignore[index]
    return copied
