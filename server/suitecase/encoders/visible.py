"""Makes characters visible that would hide, reorder or control the text around them."""

from __future__ import annotations

import re

#: Control characters except tab and line feed, bidirectional and other invisible format characters,
#: fillers that look like blanks, tags, variation selectors, noncharacters and lone surrogates.
_INVISIBLE = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
#: What joiners stand between, and what a variation selector follows: scripts and signs, without
#: other invisible characters.
_SIGN = "\xa9\xae\u0300-\u034e\u0350-\u061b\u061d-\u1fff\u2070-\ufdff\ufe10-\ufefe\uff00-\uffef\U00010000-\U000dffff"
#: Invisible characters in their place in ordinary text: the carriage return of a line end, the flag
#: of a region, joiners within emoji and words, and a variation selector behind its sign.
_ORDINARY = (
    "\r(?=\n)"
    "|\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,6}\U000e007f"
    f"|(?<=[{_SIGN}\ufe0f])[\u200c\u200d](?=[{_SIGN}])"
    f"|(?<=[{_SIGN}])[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
    "|(?<=[0-9#*])\ufe0f(?=\u20e3)"
)
_FOUND = re.compile(f"({_ORDINARY})|[{_INVISIBLE}]")
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
