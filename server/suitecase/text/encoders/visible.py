"""Makes characters visible that would hide, reorder or control the text around them."""

from __future__ import annotations

import re

from suitecase_evaluators.text.invisible_characters import INVISIBLE_CLASS

#: Control characters except tab and line feed, separators of lines, lone surrogates, noncharacters, and
#: what is shown as nothing.
_INVISIBLE = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufdd0-\ufdef"
    + "".join(
        f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 0x110000, 0x10000)
    )
    + INVISIBLE_CLASS
)
#: What joiners stand between, and what a variation selector follows: scripts and signs.
_SIGN = "\xa9\xae\u0300-\u1fff\u2070-\ufeff\uff00-\uffef\U00010000-\U000dffff"
_BEHIND_SIGN = f"(?<=[{_SIGN}])(?<![{_INVISIBLE}])"
_MONGOLIAN = "\u1820-\u1878\u1880-\u18aa"
_HIEROGLYPHS = "\U00013000-\U0001342f\U00013440-\U000143ff"
#: Invisible characters in their place in ordinary text: the carriage return of a line end, the flag
#: of a region, joiners within emoji and words, a variation selector behind its sign, and what shapes
#: Mongolian letters and hieroglyphs.
_ORDINARY = (
    "\r(?=\n)"
    "|\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,6}\U000e007f"
    f"|(?:{_BEHIND_SIGN}|(?<=\ufe0f))[\u200c\u200d](?=[{_SIGN}])(?![{_INVISIBLE}])"
    f"|{_BEHIND_SIGN}[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
    "|(?<=[0-9#*])\ufe0f(?=\u20e3)"
    f"|(?<=[{_MONGOLIAN}])[\u180b-\u180d\u180f]"
    f"|(?<=[{_MONGOLIAN}\u180b-\u180d\u180f])\u180e(?=[{_MONGOLIAN}])"
    f"|(?<=[{_HIEROGLYPHS}])[\U00013430-\U0001343f](?=[{_HIEROGLYPHS}])"
)
#: Its group matches what stays as it is. What it starts with is for speed. Scripts of pages use it,
#: too, with the flag `u`.
PATTERN = f"(?=[{_INVISIBLE}\U0001f3f4])(?:({_ORDINARY})|[{_INVISIBLE}])"
_FOUND = re.compile(PATTERN)
_ANY = re.compile(f"[{_INVISIBLE}]")


def visible(text: str) -> str:
    """Return a text with invisible characters as their code points, such as `[U+001B]`.

    Ordinary text stays as it is, with emoji and joined letters; so do tabs and line ends.
    """
    return _FOUND.sub(_shown, text) if _ANY.search(text) else text


def is_visible(text: str) -> bool:
    """Whether `visible` leaves a text as it is."""
    return visible(text) == text


def escaped_in_json(text: str) -> str:
    """Return JSON with invisible characters as escapes, which mean the same.

    A lone surrogate, which many parsers refuse, becomes U+FFFD.
    """
    return _FOUND.sub(_escape, text) if _ANY.search(text) else text


def escaped_in_yaml(text: str) -> str:
    """Return YAML with invisible characters as escapes; they may stand only in double quotes."""
    return _FOUND.sub(_escape_in_yaml, text) if _ANY.search(text) else text


def escaped_in_quotes(text: str) -> str:
    """Return a text in double quotes with invisible characters as escapes that JSON and YAML read alike.

    They share none for characters above U+FFFF, which stay.
    """
    return _FOUND.sub(_escape_in_both, text) if _ANY.search(text) else text


def _escape_in_both(match: re.Match[str]) -> str:
    return match[0] if ord(match[0][0]) > 0xFFFF else _escape(match)


def _escape_in_yaml(match: re.Match[str]) -> str:
    return match[0] if match[1] else f"\\U{ord(match[0]):08X}"


def _shown(match: re.Match[str]) -> str:
    return match[0] if match[1] else f"[U+{ord(match[0]):04X}]"


def _escape(match: re.Match[str]) -> str:
    if match[1]:
        return match[0]
    if "\ud800" <= match[0] <= "\udfff":
        return "\\ufffd"
    units = match[0].encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
