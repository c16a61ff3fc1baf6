"""What scripts receive about a row, by promptfoo's keys."""

from __future__ import annotations

import re
from typing import Any, Final

from suitecase_evaluators.answers.row import Row

#: The name of a test without a description.
_NUMBERED: Final = re.compile(r"#\d+")


def provider_of(row: Row) -> dict[str, Any]:
    """Return the provider of a row; code in JavaScript calls its `id`."""
    own = row.provider_id or row.provider
    return {"id": own} if own == row.provider else {"id": own, "label": row.provider}


def test_of(row: Row) -> dict[str, Any]:
    """Return the test of a row."""
    described = {} if _NUMBERED.fullmatch(row.test) else {"description": row.test}
    return {**described, **row.settings, "vars": dict(row.variables)}


def call_context_of(prompt: str, row: Row | None) -> dict[str, Any]:
    """Return the context that a script that answers receives."""
    if row is None:
        return {"vars": {}, "prompt": {"raw": prompt, "label": prompt}}
    return {
        "vars": dict(row.variables),
        "prompt": {"raw": prompt, "label": row.prompt_label},
        "test": test_of(row),
        "repeatIndex": row.repeat - 1,
    }
