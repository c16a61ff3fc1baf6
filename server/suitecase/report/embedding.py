"""Text of others in a page of ours: nothing of it is ever read as markup or as a program.

Candidate answers, judges' replies and the ids of cases are untrusted. In markup the templates escape
them; as JSON in a script element they go through `embedded_json`; on the screen characters that
would reorder or hide what stands around them are named instead of obeyed.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import Any

#: What could end a script element or open a comment in it, what old scripts take for line ends,
#: what UTF-8 cannot hold, and what reorders the page's source on a screen.
_NOT_EMBEDDED = re.compile("[<>&\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
#: Controls other than tab and line feed, and what sets or overrides the direction of text.
#: The page's script names the same.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def embedded_json(value: Any) -> str:
    """Return JSON that may stand in a script element, whatever texts it has in it."""
    plain = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _NOT_EMBEDDED.sub(lambda found: f"\\u{ord(found[0]):04x}", plain)


def visible(text: str) -> str:
    """Return a text in which controls are shown as their numbers, such as `[U+202E]`."""
    return _CONTROLS.sub(lambda found: f"[U+{ord(found[0]):04X}]", text)


def integrity(text: str) -> str:
    """Return what a Content-Security-Policy allows exactly this style or script by."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
