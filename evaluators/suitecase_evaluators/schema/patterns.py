r"""Regular expressions of JSON Schemas: those of ECMA-262, in its Unicode mode.

They differ from Python's: `\d` and `\w` are ASCII, `$` is the very end of the text, `\p{L}` is any
letter. What the Unicode mode alone refuses and everybody understands (`\@`, a lone `{`) is allowed.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from regress import Regex

#: Escapes that mean nothing, or something else, outside the Unicode mode: there they would stand
#: for the letter itself. Python's `\A` and `\Z` are among them.
_ONLY_IN_UNICODE_MODE = re.compile(r"(?<!\\)(?:\\\\)*\\(?:[ACE-RT-VX-Zaeghijlmopqyz]|u\{)")
#: Escapes that the Unicode mode refuses: of signs that mean nothing by themselves.
_NEEDLESS = re.compile(r"\\([^A-Za-z0-9^$\\.*+?()\[\]{}|/])|\\.", re.DOTALL)
#: What Python has and ECMA-262 has not, and what to write instead.
_OF_PYTHON = (
    (re.compile(r"\(\?[aiLmsux]+\)"), "ECMA-262 has no flags within a pattern"),
    (re.compile(r"\(\?P[<=]"), "named groups are written `(?<name>...)`"),
    (re.compile(r"(?<!\\)(?:\\\\)*\\A"), "the start of the text is `^`"),
    (re.compile(r"(?<!\\)(?:\\\\)*\\[zZ]"), "the end of the text is `$`"),
)
#: Nobody writes longer ones, in characters.
LONGEST = 20_000
#: Halves of characters, which the library cannot be given.
_SURROGATE = re.compile("[\ud800-\udfff]")


class PatternError(ValueError):
    """A text is not a valid ECMA-262 regular expression; the message says why."""


def pattern_problem(pattern: str) -> str | None:
    """Return why a text is not a regular expression of a schema, or None where it is one."""
    try:
        _compiled(pattern)
    except PatternError as error:
        return str(error)
    return None


def matches(pattern: str, text: str) -> bool:
    """Say whether a pattern is found anywhere in a text.

    Raises:
        PatternError: the pattern is not a regular expression.
    """
    return _compiled(pattern).find(_SURROGATE.sub("\ufffd", text)) is not None


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> Regex:
    from regress import Regex, RegressError

    if _SURROGATE.search(pattern):
        raise PatternError("it contains half a surrogate pair")
    if len(pattern) > LONGEST:
        # The time of the library grows with the square of the length, and nothing can end it.
        raise PatternError(f"it has {len(pattern):,} characters; the maximum is {LONGEST:,}")
    reason = ""
    for spelt in (pattern, _NEEDLESS.sub(_by_number, pattern)):
        try:
            return Regex(spelt, "u")
        except RegressError as error:
            reason = reason or str(error)
    if not _ONLY_IN_UNICODE_MODE.search(pattern):
        try:
            return Regex(pattern)
        except RegressError as error:
            reason = str(error)
    hint = next((message for found, message in _OF_PYTHON if found.search(pattern)), None)
    reason = f"{reason[:1].lower()}{reason[1:]}"
    raise PatternError(f"{reason}; {hint}" if hint else reason)


def _by_number(escape: re.Match[str]) -> str:
    return f"\\u{{{ord(escape[1]):x}}}" if escape[1] else escape[0]
