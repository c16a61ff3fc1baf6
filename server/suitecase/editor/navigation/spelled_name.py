"""Quoting a name like the one it replaces."""

from __future__ import annotations

import json
import re
from functools import lru_cache

from suitecase.text.emitting import in_quotes, yaml_text

#: What ends a plain scalar inside brackets.
_FLOW = re.compile(r"[,\[\]{}]")


def spelled(name: str, written: str, *, is_json: bool) -> str | None:
    """Return the text that replaces an existing name.

    Args:
        name: the new name, a single line.
        written: the old text, with its quotes.
        is_json: whether it is in a line of JSON.

    Returns:
        None if the old text is a block scalar, which is not replaced by a name.
    """
    style = written[:1]
    if style in ("|", ">"):
        return None
    if is_json or style == '"':
        ascii_only = written.isascii() and "\\u" in written
        return json.dumps(name) if ascii_only else in_quotes(name)
    if style == "'" or not _is_plain(name):
        return "'" + name.replace("'", "''") + "'"
    return name


@lru_cache(maxsize=4)
def _is_plain(name: str) -> bool:
    """Whether a name means the same without quotes, to every parser and in brackets too."""
    return not _FLOW.search(name) and yaml_text({"name": name}) == f"name: {name}\n"
