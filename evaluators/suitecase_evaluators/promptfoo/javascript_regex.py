"""Regular expressions as JavaScript's `RegExp` searches by them, without flags.

As a program, `python -m suitecase_evaluators.promptfoo.javascript_regex` searches by what stands on
stdin: a search that might take for ever is done so, and stopped from outside.
"""

from __future__ import annotations

import json
import re
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from regress import Regex

#: Nobody writes longer ones, in characters: the time to read one grows with the square of that.
LONGEST: Final = 20_000
#: What is not one code unit by itself, or half of what is not.
_NOT_ONE_UNIT: Final = re.compile("[\ud800-\udfff\U00010000-\U0010ffff]|\\\\u[dD][89a-fA-F]")
_ESCAPED_UNIT: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)
_CODE_POINT: Final = re.compile(r"\\(?:(u)(?=\{)|.)", re.DOTALL)
_REPEATED_BOUNDARY: Final = re.compile(
    r"(\\[bB](?:[*+?]|\{[0-9]+(?:,[0-9]*)?\}))|\\.|\[(?:\\.|[^\]\\])*\]", re.DOTALL
)
_FIRST: Final = 0xD800
_BYTE_ORDER_MARK: Final = 0xFEFF
#: Units from the surrogates on are searched for as characters that texts do not have, in their order.
_MOVED: Final = 0x100000


class InvalidRegexError(ValueError):
    """A text is no regular expression of JavaScript; the message says why."""


def found_in(pattern: str, text: str) -> bool:
    """Say whether a pattern is found anywhere in a text.

    JavaScript searches the code units of UTF-16: without the flag `u`, `^.$` does not match an emoji.

    Raises:
        InvalidRegexError: JavaScript refuses the pattern.
    """
    compiled(pattern)
    if _NOT_ONE_UNIT.search(pattern) or _NOT_ONE_UNIT.search(text):
        pattern = _moved(_ESCAPED_UNIT.sub(_written_out, pattern))
        text = _moved(text)
    return compiled(pattern).find(text) is not None


@lru_cache(maxsize=256)
def compiled(pattern: str) -> Regex:
    """Return a pattern as an expression.

    Raises:
        InvalidRegexError: JavaScript refuses it.
    """
    from regress import Regex, RegressError

    if len(pattern) > LONGEST:
        raise InvalidRegexError(f"it has {len(pattern):,} characters; the maximum is {LONGEST:,}")
    if any(it[1] for it in _REPEATED_BOUNDARY.finditer(pattern)):
        raise InvalidRegexError("`\\b` and `\\B` cannot be repeated")
    try:
        # Without the flag `u`, `\u{61}` is the letter u, 61 times.
        return Regex(_CODE_POINT.sub(lambda it: "u" if it[1] else it[0], pattern))
    except (RegressError, ValueError) as error:
        reason = str(error).rstrip(".")
        raise InvalidRegexError(f"{reason[:1].lower()}{reason[1:]}") from error


def _written_out(escape: re.Match[str]) -> str:
    """Return the unit that an escape stands for, if it is one that is moved."""
    unit = int(escape[1], 16) if escape[1] else 0
    return chr(unit) if unit >= _FIRST else escape[0]


def _moved(text: str) -> str:
    """Return a text with a character for each of its code units."""
    units = memoryview(text.encode("utf-16-le", "surrogatepass")).cast("H")
    return "".join(
        chr(it if it < _FIRST or it == _BYTE_ORDER_MARK else it + _MOVED) for it in units
    )


def main() -> None:
    """Search by `[pattern, text]` from stdin; write 1 or 0 to stdout."""
    sys.stdout.write(str(int(found_in(*json.load(sys.stdin)))))


if __name__ == "__main__":
    main()
