"""The base of every model a suite is made of."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator


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
