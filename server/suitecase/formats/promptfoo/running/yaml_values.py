"""Parses values in YAML, such as the JSON Schema of an assertion in a block scalar or in a file."""

from __future__ import annotations

from typing import Any

from suitecase.text.compose import compose
from suitecase.text.node import plain


def parse_yaml(text: str) -> Any:
    """Return the value of a YAML text; None if it is empty.

    Raises:
        ValueError: it is not valid YAML.
    """
    composed = compose(text)
    if composed.broken:
        raise ValueError(f"it is not valid YAML: {composed.problems[0].message}")
    return None if composed.root is None else plain(composed.root)
