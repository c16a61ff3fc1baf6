"""Embedding untrusted text in pages, so that it is never interpreted as markup or script.

Answers, judges' replies and ids of cases are untrusted. Templates escape them in markup;
`embedded_json` escapes them in script elements; what is invisible in them is shown as code points, by
templates and by the pages' scripts.
"""

from __future__ import annotations

import base64
import hashlib
import re
from typing import Any

from suitecase.text.encoders.visible import escaped_in_json
from suitecase_evaluators.text.finite_json import finite_json

#: Characters that could end a script element or start a comment in it, that old scripts treat as
#: line ends, that UTF-8 cannot encode, or that reorder the page's source when displayed.
_NOT_EMBEDDED = re.compile("[<>&\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def embedded_json(value: Any) -> str:
    """Return JSON that is safe in a script element."""
    plain = finite_json(value, ensure_ascii=False, separators=(",", ":"))
    escaped = _NOT_EMBEDDED.sub(lambda match: f"\\u{ord(match[0]):04x}", plain)
    return escaped_in_json(escaped)


def content_policy(style: str, *scripts: str, connects: bool = False) -> str:
    """Return the Content-Security-Policy of a page with this style and these scripts, and no others.

    Args:
        connects: whether its scripts may ask the server that the page comes from.
    """
    allowed = " ".join(map(integrity, scripts)) or "'none'"
    return (
        f"default-src 'none'; style-src {integrity(style)}; script-src {allowed}; img-src data:; "
        + ("connect-src 'self'; " if connects else "")
        + "base-uri 'none'; form-action 'none'"
    )


def integrity(text: str) -> str:
    """Return the hash by which a Content-Security-Policy allows this style or script."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
