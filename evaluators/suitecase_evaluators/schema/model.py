"""The base of every model a suite is made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, WrapValidator, model_validator

from suitecase_evaluators.text.written_number import WrittenNumber, with_digits


class Model(BaseModel):
    """A part of a suite: no unknown keys, no silent conversion, nothing changed after reading.

    A field's description is what hovers, the JSON Schemas and the documentation show.
    """

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        allow_inf_nan=False,
        populate_by_name=True,
        defer_build=True,
    )

    @model_validator(mode="before")
    @classmethod
    def _free_keys(cls, value: Any) -> Any:
        """Leave out the keys that are the author's own: those that start with `x-`."""
        if type(value) is dict:
            for key in value:
                if isinstance(key, str) and key.startswith("x-"):
                    return {key: it for key, it in value.items() if not str(key).startswith("x-")}
        return value


def json_values(model: BaseModel, **options: Any) -> dict[str, Any]:
    """Return a model as values of JSON, in which numbers have all their digits.

    Args:
        model: the model.
        options: those of `model_dump`.
    """
    dumped = model.model_dump(mode="json", **options)
    if not WrittenNumber.any_read:
        return dumped
    found: dict[str, Any] = with_digits(dumped, model.model_dump(**options))
    return found


def _as_written(value: Any, validate: Callable[[Any], Any]) -> Any:
    """Return what a number is validated as, or the number itself if that has lost digits."""
    validated = validate(value)
    is_lost = isinstance(value, WrittenNumber) or value != validated
    return value if is_lost else validated


#: A number that is compared with others, of which a float may hold only a part of the digits.
ExactNumber = Annotated[float, WrapValidator(_as_written)]
