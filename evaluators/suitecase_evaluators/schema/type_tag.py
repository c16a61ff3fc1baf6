"""Decides a union of models by their `type`, before any of them is validated."""

from __future__ import annotations

from pydantic import BaseModel


def type_tag(value: object) -> str | None:
    """Return the `type` of a mapping or a model in angle brackets; None where it has none.

    The brackets tell a tag from a key in the location of a validation error.
    """
    if isinstance(value, BaseModel):
        kind = getattr(value, "type", None)
    elif isinstance(value, dict):
        kind = value.get("type")
    else:
        return None
    return None if kind is None else f"<{kind}>"
