"""The ways in which a text can be read: as it is, and with its escapes undone.

A text that may not be published can be written in many ways: with the escapes of JSON, HTML, addresses
or mail, with characters that nobody sees, in base64. What is looked for is looked for in each reading,
and a place in a reading is a stretch of the text that was read.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Iterator
from unicodedata import is_normalized

from suitecase_evaluators.escaped_text import Reading, Undone, unescaped_readings
from suitecase_evaluators.invisible_characters import INVISIBLE as SHOWN_AS_NOTHING
from suitecase_evaluators.invisible_characters import INVISIBLE_CLASS
from suitecase_evaluators.unicode_forms import normalized_form

#: It has the width of a letter, and no dots.
_BLANK_BRAILLE = "\u2800"
#: Characters that nobody sees, which may stand between any two letters.
_INVISIBLE = re.compile(f"[{INVISIBLE_CLASS}{_BLANK_BRAILLE}]+")
INVISIBLE = SHOWN_AS_NOTHING | {_BLANK_BRAILLE}
#: Marks between letters: tags, and the colours of a terminal.
_TAG = re.compile(
    r"<(?:[A-Za-z/][^<>]{0,1000}|!--.{0,200}?--)>|\x1b\[[0-9;]{0,20}[A-Za-z]", re.DOTALL
)
_HAS_TAG = re.compile(r"[<\x1b]")
#: As long is base64 of 20 characters.
_SHORTEST_ENCODED = 27
_BASE64_LINE = "[A-Za-z0-9+/_-]{4,}"
#: It may stand in lines, which may be quoted.
_BASE64 = re.compile(
    rf"(?<![A-Za-z0-9+/_-]){_BASE64_LINE}(?:[ \t]*\r?\n[ \t>]*{_BASE64_LINE})*={{0,2}}"
)
_NOT_BASE64 = re.compile(r"[^A-Za-z0-9+/_-]")
_HEX2 = "[0-9a-fA-F]{2}"
_HEX = re.compile(rf"(?<![0-9a-zA-Z])(?:{_HEX2}[:,\s]{{0,2}}){{19,}}{_HEX2}")
_NOT_HEX = re.compile(r"[:,\s]+")


class _Encoded(Reading):
    """What a stretch of a text is the encoded form of; all of it is the place of anything in it."""

    def __init__(self, text: str, start: int, end: int) -> None:
        super().__init__(text)
        self._stretch = start, end

    def stretch(self, start: int, end: int) -> tuple[int, int]:
        return self._stretch


def readings(text: str) -> Iterator[Reading]:
    """Yield the ways in which a text can be read, as it is first.

    Each is a text of its own, since an escape may as well be meant as it stands.
    """
    reads = list(unescaped_readings(text))
    yield from reads
    whole, unescaped = reads[0], reads[-1]
    read = unescaped
    if _HAS_TAG.search(read.text) and (untagged := _TAG.sub("", read.text)) != read.text:
        read = Undone(untagged, read, _TAG, _nothing)
        yield read
    if not read.text.isascii():
        visible = _INVISIBLE.sub("", read.text)
        if visible != read.text:
            read = Undone(visible, read, _INVISIBLE, _nothing)
            yield read
        if not is_normalized("NFKC", read.text):
            plain = "".join(map(_compatible, read.text))
            if plain != read.text:
                yield Undone(plain, read, _ANY, _compatible_match)
    yield from _encoded(whole)
    if unescaped is not whole:
        yield from _encoded(unescaped)


def plainest(text: str) -> str:
    """Return the last reading of a text that is not of an encoded part of it."""
    return [it for it in readings(text) if not isinstance(it, _Encoded)][-1].text


def _nothing(_: re.Match[str]) -> str:
    return ""


_ANY = re.compile(r"[^\x00-\x7f]")
_COMPATIBLE: dict[str, str] = {}


def _compatible(character: str) -> str:
    known = _COMPATIBLE.get(character)
    if known is None:
        known = _COMPATIBLE[character] = normalized_form("NFKC", character)
    return known


def _compatible_match(found: re.Match[str]) -> str:
    return _compatible(found[0])


def _encoded(read: Reading) -> Iterator[Reading]:
    """Yield what the parts of a text in base64 and in hex are the encoded form of."""
    text = read.text
    for found in _BASE64.finditer(text):
        if found.end() - found.start() < _SHORTEST_ENCODED:
            continue
        run = _NOT_BASE64.sub("", found[0]).translate(_PLAIN_BASE64)
        if len(run) < _SHORTEST_ENCODED:
            continue
        for before in range(4):
            if (decoded := _read_base64(run[before:])) is not None:
                yield _Encoded(decoded, *read.stretch(*found.span()))
    for found in _HEX.finditer(text):
        if (decoded := _as_text(bytes.fromhex(_NOT_HEX.sub("", found[0])))) is not None:
            yield _Encoded(decoded, *read.stretch(*found.span()))


_PLAIN_BASE64 = str.maketrans("-_", "+/")


def _read_base64(run: str) -> str | None:
    run = run[: len(run) // 4 * 4 + (len(run) % 4 if len(run) % 4 != 1 else 0)]
    try:
        return _as_text(b64decode(run + "=" * (-len(run) % 4)))
    except binascii.Error:
        return None


def _as_text(data: bytes) -> str | None:
    """Return bytes as text, if they are text; its first and its last character may be cut."""
    if b"\0" in data:
        data = data.replace(b"\0", b"")  # UTF-16
    start = 0
    while start < min(3, len(data)) and data[start] & 0xC0 == 0x80:
        start += 1
    try:
        return data[start:].decode()
    except UnicodeDecodeError as error:
        if error.reason != "unexpected end of data":
            return None
        return data[start : start + error.start].decode()
