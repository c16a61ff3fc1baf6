"""Whether a file has findings that an earlier check has written, in any format."""

from __future__ import annotations

import re

_BEGINNINGS = re.compile(
    rb"""
    \{\s*"\$schema":\s*"[^"]*sarif                            # sarif
    | \{\s*"schema_version":\s*\d+,\s*"findings":             # json
    | \{\s*"kind":\s*"(?:finding|summary)",                   # jsonl
    | \[\s*(?:\]\s*\Z|\{\s*"description":\s)                  # gitlab
    | <\?xml[^>]*>\s*<testsuites\s+name="suitecase"           # junit
    """,
    re.VERBOSE,
)
#: The line of counts that all formats for people end with.
_ENDS = re.compile(rb"(?:\A|\n)(?:All checks passed \(|Found \d[^\n]* in \d)[^\n]*\.[^\n]*\Z")


def is_earlier_output(start: bytes, end: bytes) -> bool:
    """Whether the beginning and the end of a file are those of what `check` writes."""
    return bool(_BEGINNINGS.match(start) or _ENDS.search(end))
