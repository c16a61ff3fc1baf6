"""Searches for regular expressions as JavaScript's `RegExp` does without flags.

Run as a program, `python -m suitecase_evaluators.promptfoo.javascript_regex` reads the pattern and the text
from stdin. A search that may never end runs this way, since a process can be stopped.
"""

from __future__ import annotations

import json
import re
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from regress import Regex

#: The maximum length of a pattern, in characters.
LONGEST: Final = 20_000
#: Surrogates, escaped ones, and characters of two code units.
_NOT_ONE_UNIT: Final = re.compile("[\ud800-\udfff\U00010000-\U0010ffff]|\\\\u[dD][89a-fA-F]")
_ESCAPED_UNIT: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)
_CODE_POINT: Final = re.compile(r"\\(?:(u)(?=\{)|.)", re.DOTALL)
#: What is refused before the library sees it: it allows the first, and takes a time for the second that grows with
#: the square of their number.
_REFUSED: Final = re.compile(
    r"(?P<boundary>\\[bB](?:[*+?]|\{[0-9]+(?:,[0-9]*)?\}))|\\.|\[(?:\\.|[^\]\\])*+(?:\]|\\?(?P<open>\Z))",
    re.DOTALL,
)
_FIRST_SURROGATE: Final = 0xD800
_BYTE_ORDER_MARK: Final = 0xFEFF
#: Added to code units from the surrogates on: private-use characters in the same order, which texts lack.
_OFFSET: Final = 0x100000


class InvalidRegexError(ValueError):
    """JavaScript refuses a regular expression; the message says why."""


def found_in(pattern: str, text: str) -> bool:
    """Whether a pattern matches anywhere in a text.

    JavaScript searches the code units of UTF-16: without the flag `u`, `^.$` does not match an emoji.

    Raises:
        InvalidRegexError: JavaScript refuses the pattern.
    """
    compiled(pattern)
    if _NOT_ONE_UNIT.search(pattern) or _NOT_ONE_UNIT.search(text):
        pattern = _by_code_unit(_ESCAPED_UNIT.sub(_unescaped_unit, pattern))
        text = _by_code_unit(text)
    return compiled(pattern).find(text) is not None


@lru_cache(maxsize=256)
def compiled(pattern: str) -> Regex:
    """Compile a pattern.

    Raises:
        InvalidRegexError: JavaScript refuses it.
    """
    from regress import Regex, RegressError

    if len(pattern) > LONGEST:
        raise InvalidRegexError(too_long(pattern))
    for part in _REFUSED.finditer(pattern):
        if part["boundary"]:
            raise InvalidRegexError("`\\b` and `\\B` cannot be repeated")
        if part["open"] is not None:
            raise InvalidRegexError("unbalanced bracket")
    try:
        # Without the flag `u`, `\u{61}` is the letter u, 61 times.
        return Regex(_CODE_POINT.sub(lambda it: "u" if it[1] else it[0], pattern))
    except (RegressError, ValueError) as error:
        reason = str(error).rstrip(".")
        raise InvalidRegexError(f"{reason[:1].lower()}{reason[1:]}") from error


def too_long(pattern: str) -> str:
    """Return what to say of a pattern that is longer than `LONGEST`, which JavaScript may accept."""
    return (
        f"the regular expression has {len(pattern):,} characters; Suitecase takes up to {LONGEST:,}"
    )


def _unescaped_unit(escape: re.Match[str]) -> str:
    """Return the code unit of an escape, if it is one from the surrogates on; else the escape."""
    unit = int(escape[1], 16) if escape[1] else 0
    return chr(unit) if unit >= _FIRST_SURROGATE else escape[0]


def _by_code_unit(text: str) -> str:
    """Return a text with one character for each UTF-16 code unit."""
    units = memoryview(text.encode("utf-16-le", "surrogatepass")).cast("H")
    return "".join(
        chr(unit if unit < _FIRST_SURROGATE or unit == _BYTE_ORDER_MARK else unit + _OFFSET)
        for unit in units
    )


def main() -> None:
    """Read `[pattern, text]` from stdin; write 1 to stdout if the pattern matches, else 0."""
    sys.stdout.write(str(int(found_in(*json.load(sys.stdin)))))


if __name__ == "__main__":
    main()
