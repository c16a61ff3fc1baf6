"""What would move a terminal's cursor or change its colours: answers and reasons are others' texts."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def without_controls(text: str) -> str:
    """Return a text of others that does not steer the terminal it is shown on."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
