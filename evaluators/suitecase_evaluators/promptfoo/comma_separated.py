"""Lists written as one string with commas, as in a column of a table."""

from __future__ import annotations

import re
from typing import Final

from suitecase_evaluators.promptfoo.ecmascript import WHITE_SPACE, trimmed

_BETWEEN: Final = re.compile(f"[{WHITE_SPACE},]*")
_SPACES: Final = re.compile(f"[{WHITE_SPACE}]*")
#: Within quotes, a quote is escaped with a backslash or doubled.
_QUOTED: Final = re.compile(r'"((?:\\["\\]|""|[^"])*+)"', re.DOTALL)
_ESCAPED: Final = re.compile(r'\\(["\\])|"(")')
_UNQUOTED: Final = re.compile("[^,]*")


class NotSeparatedError(ValueError):
    """A string cannot be split at commas; the message says why."""


def comma_separated(text: str) -> list[str]:
    """Split a string at commas, without empty parts unless they are in quotes.

    Raises:
        NotSeparatedError: a quote is not closed, or is followed by something other than a comma.
    """
    found: list[str] = []
    at = _end(_BETWEEN, text, 0)
    while at < len(text):
        if text[at] == '"':
            quoted = _QUOTED.match(text, at)
            if quoted is None:
                raise NotSeparatedError("a quote is not closed")
            found.append(_ESCAPED.sub(lambda it: it[1] or it[2], quoted[1]))
            at = _end(_SPACES, text, quoted.end())
            if at < len(text) and text[at] != ",":
                raise NotSeparatedError("a comma must follow what is in quotes")
        else:
            end = _end(_UNQUOTED, text, at)
            found.append(trimmed(text[at:end]))
            at = end
        at = _end(_BETWEEN, text, at)
    return found


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return at if found is None else found.end()
