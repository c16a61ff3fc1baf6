"""What a text says with its escapes undone: those of JSON, languages, shells, HTML, addresses and mail.

A place in what is read so is a stretch of the text that was read.
"""

from __future__ import annotations

import re
from array import array
from binascii import a2b_base64, a2b_qp
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property

#: Escapes within escapes are undone so many times.
_DEPTH = 4
_HEX2 = "[0-9a-fA-F]{2}"
_HEX4 = "[0-9a-fA-F]{4}"
#: What an escape begins with, or has in it.
_MARKS = ("\\", "%", "&", "=", "'\"'\"'")
#: Each alternative begins with a character, not with a group: only then are others passed over fast.
_ESCAPE = re.compile(
    r"'(?P<apostrophe>\\''|\"'\"')"
    rf"|\\(?:u(?:(?P<pair>[dD][89abAB]{_HEX2}\\u[dD][c-fC-F]{_HEX2})|(?P<unicode>{_HEX4})"
    r"|\{(?P<braces>[0-9a-fA-F]{1,6})\})|x\{(?P<point>[0-9a-fA-F]{1,6})\}"
    rf"|U(?P<long>0[01]{_HEX2}{_HEX4})|(?P<bytes>x{_HEX2}(?:\\x{_HEX2})*)"
    # Behind a zero, as `printf %b` has it: of languages, that would be a control character and a digit.
    r"|(?P<octal_of_shell>0[0-3][0-7]{2}(?:\\0[0-3][0-7]{2})*)"
    r"|(?P<octal>[0-3][0-7]{2}(?:\\[0-3][0-7]{2})*)"
    r"|(?P<control>[abfnrtv])|(?P<itself>[ -/:-@\[-`{-~]))"
    rf"|%(?:(?P<percent>{_HEX2}(?:%{_HEX2})*)|u(?P<old>{_HEX4}))"
    r"|&(?P<entity>(?:#[0-9]{1,12}|#[xX][0-9a-fA-F]{1,12}|[A-Za-z][A-Za-z0-9]{1,31});?)"
    r"|=(?:(?P<quoted>[0-9A-F]{2}(?:=[0-9A-F]{2})*)|(?P<soft>\r?\n)"
    # The encoded words of headers (RFC 2047); what is between two of them is no part of the text.
    r"|\?[\w*-]{1,40}\?(?:[bB]\?(?P<word_in_base64>[A-Za-z0-9+/]+={0,2})|[qQ]\?(?P<word>[^?\s]+))\?="
    r"(?:[ \t\r\n]{1,8}(?==\?))?)"
)
_CONTROL = dict(zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True))


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


#: Of each part of what is read: where it starts, and the stretch it was made from.
_Parts = tuple["array[int]", "array[int]", "array[int]"]
#: In the place of the end of a stretch: the part is a copy of it.
_COPY = -1


class Undone(Reading):
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
    def _parts(self) -> _Parts:
        """Nearly no reading has anything in it, so its places are found when they are asked for."""
        # Numbers only: a long text may consist of escapes.
        starts, firsts, lasts = array("i"), array("i"), array("i")

        def add(at: int, first: int, last: int) -> None:
            starts.append(at)
            firsts.append(first)
            lasts.append(last)

        at = done = 0
        for found in self._pattern.finditer(self._of.text):
            if found.start() > done:
                add(at, done, _COPY)
                at += found.start() - done
            for part in _parts_of(found, at, text := self._replaced(found)):
                add(*part)
            at += len(text)
            done = found.end()
        add(at, done, _COPY)
        return starts, firsts, lasts

    def _place(self, at: int) -> tuple[int, int]:
        starts, firsts, lasts = self._parts
        number = max(bisect_right(starts, at) - 1, 0)
        first, last = firsts[number], lasts[number]
        if last == _COPY:
            first += at - starts[number]
            return first, first + 1
        return first, last

    def stretch(self, start: int, end: int) -> tuple[int, int]:
        return self._of.stretch(self._place(start)[0], self._place(end - 1)[1])


def unescaped_readings(text: str) -> Iterator[Reading]:
    """Yield a text as it is, and then with its escapes undone once, twice and so on.

    Each is a text of its own, since an escape may as well be meant as it stands.
    """
    read = Reading(text)
    yield read
    for _ in range(_DEPTH):
        if not any(mark in read.text for mark in _MARKS):
            return
        undone = _ESCAPE.sub(_unescaped, read.text)
        if undone == read.text:
            return
        read = Undone(undone, read, _ESCAPE, _unescaped)
        yield read


def _parts_of(found: re.Match[str], at: int, text: str) -> list[tuple[int, int, int]]:
    """Return the parts that a match is replaced by: a character each, where a run of bytes is."""
    kind = found.lastgroup
    width = {"bytes": 4, "octal": 4, "octal_of_shell": 5, "percent": 3, "quoted": 3}.get(kind or "")
    if width is None:
        return [(at, found.start(), found.end())] if text else []
    parts: list[tuple[int, int, int]] = []
    start = found.start()
    is_utf8 = len(text.encode(errors="surrogatepass")) * width == len(found[0])
    for number, character in enumerate(text):
        bytes_ = len(character.encode(errors="surrogatepass")) if is_utf8 else 1
        parts.append((at + number, start, start + bytes_ * width))
        start += bytes_ * width
    return parts


def _unescaped(escape: re.Match[str]) -> str:
    kind = escape.lastgroup or ""
    found = escape[kind]
    match kind:
        case "control":
            return _CONTROL[found]
        case "apostrophe":
            return "'"
        case "itself":
            return found
        case "entity":
            import html  # only a text with entities pays for the table of their names

            return html.unescape(escape[0])
        case "pair":
            pair = int(found[:4], 16), int(found[6:], 16)
            return chr(0x10000 + ((pair[0] - 0xD800) << 10) + pair[1] - 0xDC00)
        case "unicode" | "old" | "braces" | "point" | "long":
            code = int(found, 16)
            return chr(code) if code < 0x110000 else escape[0]
        case "bytes":
            return _decoded(bytes.fromhex(found[1:].replace("\\x", "")))
        case "octal" | "octal_of_shell":
            return _decoded(bytes(int(digits, 8) for digits in found.split("\\")))
        case "percent":
            return _decoded(bytes.fromhex(found.replace("%", "")))
        case "quoted":
            return _decoded(bytes.fromhex(found.replace("=", "")))
        case "word_in_base64":
            return _decoded(bytes_of_base64(found.rstrip("=")))
        case "word":
            return _decoded(a2b_qp(found, header=True))
    return ""


def bytes_of_base64(characters: str) -> bytes:
    """Return what characters of base64, without those that fill it up, are the encoded form of."""
    if len(characters) % 4 == 1:
        characters = characters[:-1]
    return a2b_base64(characters + "=" * (-len(characters) % 4))


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")
