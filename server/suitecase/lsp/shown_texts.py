"""Texts that an editor shows, without characters that hide or reorder what stands around them.

Messages, titles, labels and hovers quote suites and answers. Editors show them as they are. Edits, paths
and the arguments of commands stay exact.
"""

from __future__ import annotations

import json
import re
from typing import Any

from suitecase.text.encoders.visible import visible

#: What editors show, by the key that it has in the protocol.
_SHOWN = frozenset(
    {"message", "title", "label", "detail", "tooltip", "documentation", "contents", "description"}
)
#: What is inserted, compared or sent back.
_EXACT = frozenset(
    {"arguments", "changes", "data", "documentChanges", "edit", "insertText", "newText", "textEdit"}
)
#: Escapes of characters that may be invisible, in JSON as the server writes it, in ASCII.
_MAY_BE_INVISIBLE = re.compile(
    rb"\x7f|\\[bf]|\\r(?!\\n)|\\u(?:00(?:[0189a]|7f)|034f|061c|115f|1160|17b[45]|180[b-f]|200[b-f]|202[89a-e]"
    rb"|206|3164|fd[de]|fe0|feff|ffa0|fff|d80d|d82f|d834|db4[0-3]|d[89ab][0-9a-f]{2}\\udff[ef])"
    rb"|(?<!\\ud[89ab][0-9a-f]{2})\\ud[c-f]|\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f])"
)
_HEADERS_END = b"\r\n\r\n"


def with_visible_texts(message: bytes) -> bytes:
    """Return a message of the server, with its headers, whose shown texts have no invisible characters."""
    if _MAY_BE_INVISIBLE.search(message) is None:
        return message
    headers, _, body = message.partition(_HEADERS_END)
    shown = json.dumps(_visible(json.loads(body))).encode("ascii")
    length = b"Content-Length: %d" % len(shown)
    return re.sub(rb"Content-Length: \d+", length, headers) + _HEADERS_END + shown


def _visible(value: Any, *, is_shown: bool = False) -> Any:
    if isinstance(value, str):
        return visible(value) if is_shown else value
    if isinstance(value, list):
        return [_visible(it, is_shown=is_shown) for it in value]
    if not isinstance(value, dict):
        return value
    result = {
        key: it if key in _EXACT else _visible(it, is_shown=_is_shown(value, key, is_shown))
        for key, it in value.items()
    }
    if _is_completion(value) and result["label"] != value["label"]:
        # Without another text the label is what is inserted.
        result["insertText"] = value["label"]
    return result


def _is_shown(holder: dict[str, Any], key: str, is_shown: bool) -> bool:
    if key == "name":  # of a symbol; elsewhere names are sent back
        return "range" in holder or "location" in holder
    return key in _SHOWN or (is_shown and key == "value")


def _is_completion(value: dict[str, Any]) -> bool:
    has_own_text = "insertText" in value or "textEdit" in value
    return isinstance(value.get("label"), str) and "sortText" in value and not has_own_text
