"""Values that may come from the environment: `${{ NAME }}`.

A text may hold placeholders anywhere. Where a number or a truth value is wanted, one placeholder
may stand for the whole of it; what it stands for is checked when it is filled in, so that checking
a targets file never needs the environment.
"""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, Discriminator, Field, StringConstraints, Tag
from pydantic_core import PydanticCustomError

from suitecase_evaluators.targets.server_address import can_be_asked

_WHOLE = r"^\s*\$\{\{\s*[A-Za-z_][A-Za-z0-9_]*\s*\}\}\s*$"

Placeholder = Annotated[str, StringConstraints(pattern=_WHOLE)]


def _plain_or_placeholder(value: object) -> str:
    """Name the branch of a union, so that a plain value that is wrong gets the plain error."""
    placeholder = isinstance(value, str) and re.match(_WHOLE, value)
    return "<placeholder>" if placeholder else "<value>"


Number = Annotated[
    Annotated[float, Field(ge=0), Tag("<value>")] | Annotated[Placeholder, Tag("<placeholder>")],
    Discriminator(_plain_or_placeholder),
]
PositiveNumber = Annotated[
    Annotated[float, Field(gt=0), Tag("<value>")] | Annotated[Placeholder, Tag("<placeholder>")],
    Discriminator(_plain_or_placeholder),
]
WholeNumber = Annotated[
    Annotated[int, Field(ge=0), Tag("<value>")] | Annotated[Placeholder, Tag("<placeholder>")],
    Discriminator(_plain_or_placeholder),
]
Count = Annotated[
    Annotated[int, Field(ge=1), Tag("<value>")] | Annotated[Placeholder, Tag("<placeholder>")],
    Discriminator(_plain_or_placeholder),
]
AnyInteger = Annotated[
    Annotated[int, Tag("<value>")] | Annotated[Placeholder, Tag("<placeholder>")],
    Discriminator(_plain_or_placeholder),
]
Flag = Annotated[
    Annotated[bool, Tag("<value>")] | Annotated[Placeholder, Tag("<placeholder>")],
    Discriminator(_plain_or_placeholder),
]

#: A text that is not empty, or a placeholder for one.
Text = Annotated[str, Field(pattern=r"\S")]

#: How an address starts; what comes from the environment is seen when it is filled in.
_ADDRESS = re.compile(r"\s*(?:https?://|\$\{\{)")


def _is_address(value: str) -> str:
    # The address is not shown: it may contain a password.
    if not _ADDRESS.match(value):
        raise PydanticCustomError("address", "an address starts with `http://` or `https://`")
    if "${{" not in value and not can_be_asked(value):
        raise PydanticCustomError("address", "no server can be read from this address")
    return value


Address = Annotated[str, AfterValidator(_is_address)]


def as_number(value: float | str | None) -> float | None:
    """Return a number of a resolved configuration.

    Raises:
        ValueError: a placeholder still stands in its place.
    """
    return None if value is None else float(value)


def as_int(value: int | str | None) -> int | None:
    """Return a whole number of a resolved configuration.

    Raises:
        ValueError: a placeholder still stands in its place.
    """
    return None if value is None else int(value)


def as_flag(value: bool | str | None) -> bool:
    """Return a truth value of a resolved configuration; False where none is given.

    Raises:
        ValueError: a placeholder still stands in its place.
    """
    if isinstance(value, str):
        raise ValueError(f"{value} is not `true` or `false`")  # noqa: TRY004 - as above
    return bool(value)
