"""How often promptfoo repeats the rows of a configuration."""

from __future__ import annotations

from typing import Any, Final

from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.text.node import Mapping, Node, plain

#: More repeats than anybody asks for, so that a mistake does not exhaust the memory.
MOST_REPEATS: Final = 1_000


def repeat_node(linked: LinkedConfiguration) -> Node | None:
    """Return the `repeat` that applies to every row; None if there is none."""
    for name in ("commandLineOptions", "evaluateOptions"):
        options = linked.head.get(name)
        found = options.get("repeat") if isinstance(options, Mapping) else None
        if found is not None:
            return found
    return None


def overall_repeat(linked: LinkedConfiguration) -> int:
    """Return how often a configuration repeats every row."""
    found = repeat_node(linked)
    return 1 if found is None else repeat_count(plain(found)) or 1


def repeat_count(value: Any) -> int | None:
    """Return the value of a `repeat`; None if it is not a number of repeats."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and 0 < value <= MOST_REPEATS else None
