"""Values in texts of YAML, such as the JSON Schema of an assertion in a block scalar."""

from __future__ import annotations

from typing import Any

from suitecase.syntax.compose import compose
from suitecase.syntax.node import plain


def yaml_value(text: str) -> Any:
    """Return what a text of YAML says; None for one that says nothing.

    Raises:
        ValueError: it is not YAML.
    """
    composed = compose(text)
    if composed.broken:
        raise ValueError(f"it is not YAML: {composed.problems[0].message}")
    return None if composed.root is None else plain(composed.root)
