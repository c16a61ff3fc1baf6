"""The ways in which a text can be read: as it is, and with its escapes undone.

A text that may not be published can be written in many ways: with the escapes of JSON, HTML, addresses
or mail, with characters that nobody sees, in base64. What is looked for is looked for in each reading,
and a place in a reading is a stretch of the text that was read.
"""

from __future__ import annotations

import binascii
import html
import re
from base64 import b64decode
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property
from unicodedata import is_normalized

from suitecase_evaluators.invisible_characters import INVISIBLE as SHOWN_AS_NOTHING
from suitecase_evaluators.invisible_characters import INVISIBLE_CLASS
from suitecase_evaluators.unicode_forms import normalized_form

#: Escapes within escapes are undone so many times.
_DEPTH = 4
#: It has the width of a letter, and no dots.
_BLANK_BRAILLE = "\u2800"
#: Characters that nobody sees, which may stand between any two letters.
_INVISIBLE = re.compile(f"[{INVISIBLE_CLASS}{_BLANK_BRAILLE}]+")
INVISIBLE = SHOWN_AS_NOTHING | {_BLANK_BRAILLE}
_HEX2 = "[0-9a-fA-F]{2}"
_HEX4 = "[0-9a-fA-F]{4}"
_ESCAPE = re.compile(
    rf"(?P<pair>\\u[dD][89abAB]{_HEX2}\\u[dD][c-fC-F]{_HEX2})"
    rf"|\\u(?P<unicode>{_HEX4})|\\u\{{(?P<braces>[0-9a-fA-F]{{1,6}})\}}|\\U(?P<long>0[01]{_HEX2}{_HEX4})"
    rf"|(?P<bytes>(?:\\x{_HEX2})+)|(?P<octal>(?:\\[0-3][0-7]{{2}})+)"
    r"|\\(?P<blank>[nrtbfv])|\\(?P<itself>[\"'/\\])"
    rf"|(?P<percent>(?:%{_HEX2})+)|%u(?P<old>{_HEX4})"
    r"|(?P<entity>&(?:#[0-9]{1,12}|#[xX][0-9a-fA-F]{1,12}|[A-Za-z][A-Za-z0-9]{1,31});?)"
    r"|(?P<quoted>(?:=[0-9A-F]{2})+)|(?P<soft>=\r?\n)"
)
_HAS_ESCAPE = re.compile(r"[\\%&=]")
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
_HEX = re.compile(rf"(?<![0-9a-zA-Z])(?:{_HEX2}[:,\s]{{0,2}}){{19,}}{_HEX2}")
_NOT_HEX = re.compile(r"[:,\s]+")


class Reading:
    """A text as it can be read.

    Attributes:
        text: what is read.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def stretch(self, start: int, end: int) -> tuple[int, int]:
        """Return the stretch of the original text that a stretch of the reading comes from."""
        return start, end


#: A part of what is read: where it starts, the stretch it was made from, and whether it is a copy.
_Part = tuple[int, int, int, bool]


class _Undone(Reading):
    """What another reading has with some matches replaced."""

    def __init__(
        self,
        text: str,
        of: Reading,
        pattern: re.Pattern[str],
        replaced: Callable[[re.Match[str]], str],
    ) -> None:
        super().__init__(text)
        self._of = of
        self._pattern = pattern
        self._replaced = replaced

    @cached_property
    def _parts(self) -> list[_Part]:
        """Nearly no reading has anything in it, so its places are found when they are asked for."""
        parts: list[_Part] = []
        at = done = 0
        for found in self._pattern.finditer(self._of.text):
            if found.start() > done:
                parts.append((at, done, found.start(), True))
                at += found.start() - done
            parts += _parts_of(found, at, text := self._replaced(found))
            at += len(text)
            done = found.end()
        parts.append((at, done, len(self._of.text), True))
        return parts

    @cached_property
    def _starts(self) -> list[int]:
        return [it[0] for it in self._parts]

    def _place(self, at: int) -> tuple[int, int]:
        start, first, last, is_copy = self._parts[max(bisect_right(self._starts, at) - 1, 0)]
        return (first + at - start, first + at - start + 1) if is_copy else (first, last)

    def stretch(self, start: int, end: int) -> tuple[int, int]:
        return self._of.stretch(self._place(start)[0], self._place(end - 1)[1])


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
    whole = read = Reading(text)
    yield whole
    for _ in range(_DEPTH):
        if _HAS_ESCAPE.search(read.text) is None:
            break
        undone = _ESCAPE.sub(_unescaped, read.text)
        if undone == read.text:
            break
        read = _Undone(undone, read, _ESCAPE, _unescaped)
        yield read
    unescaped = read
    if _HAS_TAG.search(read.text) and (untagged := _TAG.sub("", read.text)) != read.text:
        read = _Undone(untagged, read, _TAG, _nothing)
        yield read
    if not read.text.isascii():
        visible = _INVISIBLE.sub("", read.text)
        if visible != read.text:
            read = _Undone(visible, read, _INVISIBLE, _nothing)
            yield read
        if not is_normalized("NFKC", read.text):
            plain = "".join(map(_compatible, read.text))
            if plain != read.text:
                yield _Undone(plain, read, _ANY, _compatible_match)
    yield from _encoded(whole)
    if unescaped is not whole:
        yield from _encoded(unescaped)


def plainest(text: str) -> str:
    """Return the last reading of a text that is not of an encoded part of it."""
    return [it for it in readings(text) if not isinstance(it, _Encoded)][-1].text


def _parts_of(found: re.Match[str], at: int, text: str) -> list[_Part]:
    """Return the parts that a match is replaced by: a character each, where a run of bytes is."""
    kind = found.lastgroup
    width = {"bytes": 4, "octal": 4, "percent": 3, "quoted": 3}.get(kind or "")
    if width is None:
        return [(at, found.start(), found.end(), False)] if text else []
    parts: list[_Part] = []
    start = found.start()
    is_utf8 = sum(len(it.encode(errors="surrogatepass")) for it in text) * width == len(found[0])
    for number, character in enumerate(text):
        bytes_ = len(character.encode(errors="surrogatepass")) if is_utf8 else 1
        parts.append((at + number, start, start + bytes_ * width, False))
        start += bytes_ * width
    return parts


def _unescaped(escape: re.Match[str]) -> str:
    kind = escape.lastgroup or ""
    found = escape[kind]
    match kind:
        case "blank":
            return " "
        case "itself":
            return found
        case "entity":
            return html.unescape(found)
        case "pair":
            pair = int(found[2:6], 16), int(found[8:12], 16)
            return chr(0x10000 + ((pair[0] - 0xD800) << 10) + pair[1] - 0xDC00)
        case "unicode" | "old" | "braces" | "long":
            code = int(found, 16)
            return chr(code) if code < 0x110000 else escape[0]
        case "bytes":
            return _decoded(bytes.fromhex(found.replace("\\x", "")))
        case "octal":
            return _decoded(bytes(int(it, 8) for it in found[1:].split("\\")))
        case "percent":
            return _decoded(bytes.fromhex(found.replace("%", "")))
        case "quoted":
            return _decoded(bytes.fromhex(found.replace("=", "")))
    return ""


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


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
