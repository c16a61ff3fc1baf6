"""The ways in which a text can be read: as it is, and with its escapes undone.

A text that may not be published can be written in many ways: with the escapes of JSON, HTML, addresses
or mail, with characters that nobody sees, in base64. What is looked for is looked for in each reading,
and a place in a reading is a stretch of the text that was read.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import NamedTuple
from unicodedata import is_normalized

from suitecase_evaluators.text.escaped_text import (
    Reading,
    Undone,
    bytes_of_base64,
    unescaped_chains,
)
from suitecase_evaluators.text.invisible_characters import INVISIBLE as SHOWN_AS_NOTHING
from suitecase_evaluators.text.invisible_characters import INVISIBLE_CLASS
from suitecase_evaluators.text.unicode_forms import normalized_form

#: It has the width of a letter, and no dots.
_BLANK_BRAILLE = "\u2800"
#: Characters that nobody sees, which may stand between any two letters. In UTF-16, NUL does.
_INVISIBLE = re.compile(f"[\\x00{INVISIBLE_CLASS}{_BLANK_BRAILLE}]+")
INVISIBLE = SHOWN_AS_NOTHING | {_BLANK_BRAILLE}
#: Marks between letters: what markup has beside them, and what a terminal is told. A tag may never end.
#: For a search to take time in proportion, a mark ends where another one begins, but for that in quotes:
#: of the tags that begin in each other's quotes, no more than three go on at any place.
_TAG_START = r"(?:[^\W\d]|[/:])"
#: The rest of a string that a terminal is sent: a title, an address and others.
_REST_OF_STRING = r"[^\x07\x1b\x90\x98\x9c-\x9f]*+(?:\x07|\x1b\\|\x9c)"
_MARK = re.compile(
    r"<(?:"
    rf"{_TAG_START}(?:[^<>\"'=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+'|(?![\"'])))*+>"
    r"|!--(?:-?>|(?:[^<-]++|-(?!-!?>)|<(?!!--))*+(?:--!?>|(?=<!--)))"
    r"|!\[CDATA\["
    # Instructions, and declarations that have others in them, as XML ends them.
    r"|\?(?:[^?<]++|\?(?!>)|<(?!\?))*+\?>"
    r"|![A-Za-z][^<>\[\]]*+\[[^\[\]]*+\]\s*+>"
    rf"|(?:{_TAG_START}|[!?])[^<>]*+>"
    r")"
    r"|\]\]>"
    r"|\x1b\[[0-?]*+[ -/]*+[@-~]"
    r"|\x9b[0-?]*+[ -/]*+[@-~]"
    rf"|\x1b[\]PX^_]{_REST_OF_STRING}"
    rf"|[\x90\x98\x9d-\x9f]{_REST_OF_STRING}"
    r"|\x1b[ -/]*+[0-~]"
    # The escape character as `cat -v` and pictures of control characters show it.
    r"|\^\[\[[0-?]*+[ -/]*+[@-~]"
    r"|\^\[\][^\x07\x1b^]*+\^(?:G|\[\\)"
    r"|\u241b\[[0-?]*+[ -/]*+[@-~]"
)
#: Instructions and declarations as HTML ends them.
_MARK_OF_HTML = re.compile(r"<[!?](?!--|\[CDATA\[)[^<>]*+>")
_HAS_MARK = re.compile(r"[<\x1b\x90\x98\x9b\x9d-\x9f\u241b]|\^\[[\[\]]")
_SENT_TO_TERMINAL = re.compile(r"[\x1b\x90\x98\x9b\x9d-\x9f]")
#: What is encoded in what is encoded is read, too.
_DEPTH = 2
#: In bytes, fewer characters in a row may look like a text by chance.
_SHORTEST = 10
#: As long are base64 and hex of them.
_SHORTEST_BASE64, _SHORTEST_HEX = 14, 20
_BASE64_CLASS = "[A-Za-z0-9+/_-]"
_LINE_END = r"\n\r\x0b\x0c\x85\u2028\u2029"
#: What stands in front of a line and has characters of base64 in it: marks of comments, and of items.
_BEFORE_LINE = r"/{2,3}!?[ \t]|-{1,3}[ \t]|\(?(?:\d{1,4}|[A-Za-z])[.)][ \t]"
#: Lines may be quoted, strings, comments, or items of a list. Blanks stand between long groups only.
_BETWEEN_LINES = (
    rf"[ \t\"',;:>#*|\\+.&)%]{{0,8}}[{_LINE_END}]"
    rf"(?:[ \t\"'>#*|;%(.&\u2022\u00b7{_LINE_END}]|\+[ \t]|{_BEFORE_LINE}){{0,48}}+"
    r"|[\"'][ \t]{0,4}[,+.&]?[ \t]{0,4}[\"']"
    rf"|[ \t]{{1,4}}(?={_BASE64_CLASS}{{12}})"
)
_BASE64 = re.compile(
    # What is before is looked at behind the first character: only then are others passed over fast.
    # A digest in hex is base64 of no text.
    rf"{_BASE64_CLASS}(?<!{_BASE64_CLASS}{{2}})(?![0-9a-fA-F]{{19,}}+(?!{_BASE64_CLASS}))"
    rf"{_BASE64_CLASS}{{3,}}"
    rf"(?:(?:{_BETWEEN_LINES}){_BASE64_CLASS}{{4,}})*"
    rf"(?:(?:{_BETWEEN_LINES}){_BASE64_CLASS}{{2,3}}(?==))?={{0,2}}"
)
_BASE64_PIECE = re.compile(rf"(?!{_BEFORE_LINE}){_BASE64_CLASS}{{2,}}")
_HEX1, _HEX2 = "[0-9a-fA-F]", "[0-9a-fA-F]{2}"
_HEX = re.compile(
    rf"{_HEX1}(?<!{_HEX2}){_HEX1}"
    rf"(?:[^0-9A-Za-z]{{1,48}}+(?:{_HEX2}|0[xX](?:{_HEX2}|{_HEX1}(?!\w)))|{_HEX2}){{9,}}{_HEX1}?"
)
#: A byte below 16 may be written `0x9`, of which the zero is a piece, too.
_HEX_PIECE = re.compile(rf"{_HEX1}{{2,}}|0(?=[xX]{_HEX1}(?!\w))|(?<=0[xX]){_HEX1}(?!\w)")
#: Characters that nobody sees can be a text themselves: a tag is a character of ASCII, and a selector of
#: variants a byte.
_TAG_CLASS = "[\U000e0020-\U000e007e]"
_SELECTOR_CLASS = "[\ufe00-\ufe0f\U000e0100-\U000e01ef]"


def _unseen(unseen: str) -> re.Pattern[str]:
    """Return what finds a text of unseen characters of a class, with others in between."""
    return re.compile(rf"{unseen}(?:[^{unseen[1:]}{{0,8}}+{unseen}){{{_SHORTEST - 1},}}")


_TAGS, _SELECTORS = _unseen(_TAG_CLASS), _unseen(_SELECTOR_CLASS)


def _kinds(**kinds: Iterable[int]) -> bytes:
    """Return a table that makes each byte the name of its kind; others are made a hyphen."""
    table = bytearray(b"-" * 256)
    for name, values in kinds.items():
        for value in values:
            table[value] = ord(name)
    return bytes(table)


#: What is looked for in bytes is looked for in the kinds of them, since a search for letters takes the
#: least time. In UTF-8, a character is a readable byte, or one that two, three or four begin with.
_KINDS = _kinds(
    r=(*range(9, 14), 0x1B, *range(0x20, 0x7F)),
    a=range(0x80, 0xC0),
    b=range(0xC2, 0xE0),
    c=range(0xE0, 0xF0),
    d=range(0xF0, 0xF5),
)
_LONG_CHARACTERS = (b"daaa", b"caa", b"ba")
_READABLE = re.compile(b"r" * _SHORTEST + b"r*+")
#: In UTF-16 of an alphabet, each other byte is below 0x30.
_KINDS_OF_UTF16 = _kinds(u=range(0x30))
_UTF16 = re.compile(b"(?s:.)".join([b"u"] * _SHORTEST) + b"(?s:.u)*+")


def _bytes_of_base64(characters: str) -> bytes:
    return bytes_of_base64(characters.translate(_PLAIN_BASE64))


_PLAIN_BASE64 = str.maketrans("-_", "+/")


def _bytes_of_hex(characters: str) -> bytes:
    return bytes.fromhex(characters[: len(characters) // 2 * 2])


def _bytes_of_tags(characters: str) -> bytes:
    return bytes(ord(tag) - 0xE0000 for tag in characters)


def _bytes_of_selectors(characters: str) -> bytes:
    return bytes(
        ord(selector) - (0xFE00 if selector < "\U000e0000" else 0xE0100 - 16)
        for selector in characters
    )


class _Encoding(NamedTuple):
    """A way to write bytes as text.

    Attributes:
        pattern: finds what may be written so.
        piece: finds what of it are characters that count, without what stands between them.
        shortest: fewer characters are not looked at.
        bytes_of: returns the bytes that characters are the encoded form of.
        characters: so many characters are a group.
        bytes: so many bytes are written as a group.
    """

    pattern: re.Pattern[str]
    piece: re.Pattern[str]
    shortest: int
    bytes_of: Callable[[str], bytes]
    characters: int
    bytes: int


_ENCODINGS = (
    _Encoding(_BASE64, _BASE64_PIECE, _SHORTEST_BASE64, _bytes_of_base64, 4, 3),
    _Encoding(_HEX, _HEX_PIECE, _SHORTEST_HEX, _bytes_of_hex, 2, 1),
    _Encoding(_TAGS, re.compile(f"{_TAG_CLASS}+"), _SHORTEST, _bytes_of_tags, 1, 1),
    _Encoding(_SELECTORS, re.compile(f"{_SELECTOR_CLASS}+"), _SHORTEST, _bytes_of_selectors, 1, 1),
)


class _Run:
    """Characters in a row that may be the encoded form of something.

    Attributes:
        characters: those that count.
    """

    def __init__(self, read: Reading, found: re.Match[str], piece: re.Pattern[str]) -> None:
        self.characters = "".join(piece.findall(found[0]))
        self._read = read
        self._found = found
        self._piece = piece

    @cached_property
    def _pieces(self) -> tuple[list[int], list[int]]:
        """Of each piece: how many characters are before it, and where it starts."""
        before, starts = [], []
        count = 0
        for piece in self._piece.finditer(self._found[0]):
            before.append(count)
            starts.append(self._found.start() + piece.start())
            count += len(piece[0])
        return before, starts

    def _place(self, at: int) -> int:
        before, starts = self._pieces
        number = bisect_right(before, at) - 1
        return starts[number] + at - before[number]

    def stretch(self, first: int, last: int) -> tuple[int, int]:
        """Return the stretch of the original text that some of the characters come from."""
        is_end = last >= len(self.characters)
        end = self._found.end() if is_end else self._place(last - 1) + 1
        return self._read.stretch(self._place(first), end)


class _Encoded(Reading):
    """What some characters of a run are the encoded form of; they are the place of anything in it."""

    def __init__(self, text: str, run: _Run, first: int, last: int) -> None:
        super().__init__(text)
        self._run = run
        self._characters = first, last

    def stretch(self, start: int, end: int) -> tuple[int, int]:
        return self._run.stretch(*self._characters)


def readings(text: str) -> Iterator[Reading]:
    """Yield the ways in which a text can be read, as it is first.

    Each is a text of its own, since an escape may as well be meant as it stands.
    """
    yield from _readings(text, _DEPTH)


def plainest(text: str) -> str:
    """Return the last reading of a text that is not of an encoded part of it."""
    return list(_shown(text))[-1].text


def _readings(text: str, depth: int) -> Iterator[Reading]:
    shown = list(_shown(text))
    yield from shown
    for encoding in _ENCODINGS if depth and len(text) >= _SHORTEST else ():
        known: Counter[str] = Counter()
        for read in shown:
            found = [
                run
                for run in encoding.pattern.finditer(read.text)
                if len(run[0]) >= encoding.shortest
            ]
            # What is as often in an earlier reading is the same; if it is not, the rest is found when
            # that is replaced.
            counts = Counter(run[0] for run in found)
            for run in found:
                if counts[run[0]] > known[run[0]]:
                    yield from _encoded(_Run(read, run, encoding.piece), encoding, depth)
            known |= counts


def _shown(text: str) -> Iterator[Reading]:
    """Yield the readings of a text that are not of encoded parts of it."""
    whole = Reading(text)
    yield whole
    chains = unescaped_chains(whole)
    unescaped = [read for chain in chains for read in chain]
    yield from unescaped
    ends = [chain[-1] for chain in chains] or [whole]
    for read in (whole, *unescaped):
        # What a terminal is told may end in a backslash, which is no escape of the next character.
        if read not in ends and _SENT_TO_TERMINAL.search(read.text):
            yield Undone(_MARK.sub("", read.text), read, _MARK, _nothing)
    for end in ends:
        yield from _seen(end)


def _seen(read: Reading) -> Iterator[Reading]:
    """Yield the readings of a text without its marks, and with the letters that its characters stand for."""
    if _HAS_MARK.search(read.text):
        if (unmarked := _MARK_OF_HTML.sub("", read.text)) != read.text:
            as_html = Undone(unmarked, read, _MARK_OF_HTML, _nothing)
            yield Undone(_MARK.sub("", unmarked), as_html, _MARK, _nothing)
        if (unmarked := _MARK.sub("", read.text)) != read.text:
            read = Undone(unmarked, read, _MARK, _nothing)
            yield read
    if not read.text.isascii() or "\0" in read.text:
        visible = _INVISIBLE.sub("", read.text)
        if visible != read.text:
            read = Undone(visible, read, _INVISIBLE, _nothing)
            yield read
        if not is_normalized("NFKC", read.text) or not _ENCLOSED.keys().isdisjoint(read.text):
            plain = "".join(map(_compatible, read.text))
            if plain != read.text:
                yield Undone(plain, read, _ANY, _compatible_match)


def _nothing(_: re.Match[str]) -> str:
    return ""


_ANY = re.compile(r"[^\x00-\x7f]")
#: Letters in circles and squares, and those of flags, which Unicode does not say are forms of others.
_ENCLOSED = {
    chr(first + number): chr(ord("A") + number)
    for first in (0x1F150, 0x1F170, 0x1F1E6)
    for number in range(26)
}
_COMPATIBLE = dict(_ENCLOSED)


def _compatible(character: str) -> str:
    known = _COMPATIBLE.get(character)
    if known is None:
        known = _COMPATIBLE[character] = normalized_form("NFKC", character)
    return known


def _compatible_match(found: re.Match[str]) -> str:
    return _compatible(found[0])


def _encoded(run: _Run, encoding: _Encoding, depth: int) -> Iterator[Reading]:
    """Yield what parts of a run are the encoded form of.

    Other characters that encode may stand before and behind, such as a path in front of base64.
    Therefore groups may begin at any of the characters, and of the bytes it counts what can be read.
    """
    if len(run.characters) < encoding.shortest:
        return
    for before in range(encoding.characters):
        for text, start, end in _texts_in(encoding.bytes_of(run.characters[before:])):
            first = before + start * encoding.characters // encoding.bytes
            last = before - (-end * encoding.characters // encoding.bytes)
            for inner in _readings(text, depth - 1):
                yield _Encoded(inner.text, run, first, last)


def _texts_in(data: bytes) -> Iterator[tuple[str, int, int]]:
    """Yield what can be read in bytes, each with its place: in UTF-8, and in UTF-16 of alphabets."""
    kinds = data.translate(_KINDS)
    for long in _LONG_CHARACTERS:
        kinds = kinds.replace(long, b"r" * len(long))
    for found in _READABLE.finditer(kinds):
        start, end = found.span()
        text = data[start:end].decode(errors="ignore")
        if len(text) >= _SHORTEST:
            yield text, start, end
    for found in _UTF16.finditer(data.translate(_KINDS_OF_UTF16)):
        # An upper byte is the second one of little endian, and the first one of big endian.
        first, end = found.span()
        start = first - 1 if first else 1
        yield data[start:end].decode("utf-16-le").replace("\0", ""), start, end
        end += 1 if end < len(data) else -1
        yield data[first:end].decode("utf-16-be").replace("\0", ""), first, end
