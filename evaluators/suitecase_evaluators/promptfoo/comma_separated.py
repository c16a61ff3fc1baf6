"""Lists that are written as a text with commas, as in a column of a table."""

from __future__ import annotations

import re
from typing import Final

from suitecase_evaluators.promptfoo.ecmascript import WHITE_SPACE, trimmed

_BETWEEN: Final = re.compile(f"[{WHITE_SPACE},]*")
_SPACES: Final = re.compile(f"[{WHITE_SPACE}]*")
#: In quotes, a quote is written with a backslash or twice.
_QUOTED: Final = re.compile(r'"((?:\\["\\]|""|[^"])*+)"', re.DOTALL)
_ESCAPED: Final = re.compile(r'\\(["\\])|"(")')
_UNQUOTED: Final = re.compile("[^,]*")


class NotSeparatedError(ValueError):
    """A text is no list with commas; the message says why."""


def comma_separated(text: str) -> list[str]:
    """Return the texts between the commas of a text; empty ones do not count, unless in quotes.

    Raises:
        NotSeparatedError: quotes are not closed, or something else than a comma follows them.
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
