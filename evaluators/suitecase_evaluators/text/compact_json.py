"""JSON as `JSON.stringify` writes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from suitecase_evaluators.text.finite_json import finite_json


def compact_json(value: Any, default: Callable[[Any], Any] | None = None) -> str:
    """Return a value as `JSON.stringify` writes it: without spaces, and with all characters as they are.

    Args:
        value: the value.
        default: converts a value that JSON does not have; None makes it an error.
    """
    return finite_json(value, ensure_ascii=False, separators=(",", ":"), default=default)
