"""What a text says with its escapes undone: those of JSON, languages, shells, HTML, addresses and mail.

A place in what is read so is a stretch of the text that was read.
"""

from __future__ import annotations

import codecs
import re
from array import array
from binascii import a2b_base64, a2b_qp
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from encodings import normalize_encoding
from encodings.aliases import aliases
from functools import cache, cached_property, lru_cache
from itertools import groupby

#: Escapes within escapes are undone so many times.
_DEPTH = 4
_HEX1, _HEX2, _HEX4 = "[0-9a-fA-F]", "[0-9a-fA-F]{2}", "[0-9a-fA-F]{4}"
#: What an escape begins with, or has in it.
_MARKS = ("\\", "%", "&", "=", "'\"'\"'", "`u{")
#: One code point or several, in braces.
_POINTS = rf"\s{{0,8}}{_HEX1}++(?:\s{{1,8}}{_HEX1}++)*+\s{{0,8}}"
#: A byte in octal. Behind a further zero, as `printf %b` has it, it would be a control character and a
#: digit in languages.
_OCTAL, _OCTAL_OF_PRINTF = "[0-3][0-7]{2}|[0-7]{1,2}", "0[0-3][0-7]{2}"
#: Bytes of quoted-printable. `=ab` may as well be a value, as in `key=abc`.
_QUOTED = rf"(?P<quoted>{_HEX2}(?:={_HEX2})*)|"
#: An encoded word of a header of mail (RFC 2047).
_WORD = r"=\?[!-<>@-~]{1,60}\?(?:[bB]\?[A-Za-z0-9+/=\s]*+|[qQ]\?[^?\r\n]*+)\?="
#: What is between two of them is no part of the text.
_BETWEEN_WORDS = r"(?:[ \t\r\n>]|\\[rnt])*+"


def _escape(octal: str, quoted: str) -> re.Pattern[str]:
    """Return what finds escapes, with these ways to write a byte."""
    return re.compile(
        # Each alternative begins with a character, not with a group: only then are others passed over fast.
        r"'(?P<apostrophe>\\''|\"'\"')"
        rf"|\\(?:u(?:(?P<pair>[dD][89abAB]{_HEX2}\\u[dD][c-fC-F]{_HEX2})|(?P<unicode>{_HEX1}{{1,4}}))"
        rf"|U(?P<long>{_HEX1}{{1,8}})|[ux]\{{(?P<points>{_POINTS})\}}"
        r"|o\{\s{0,8}(?P<octal_point>[0-7]++)\s{0,8}\}"
        rf"|(?P<bytes>x{_HEX1}{{1,2}}(?:\\x{_HEX1}{{1,2}})*)"
        rf"|(?P<octal>(?:{octal})(?:\\(?:{octal}))*)"
        r"|(?P<control>[abefnrtvE])|(?P<itself>[ -/:-@\[-`{-~]))"
        rf"|%(?:(?P<percent>{_HEX2}(?:%{_HEX2})*)|u(?P<old>{_HEX4}))"
        rf"|`u\{{(?P<points_of_powershell>{_POINTS})\}}"
        r"|&(?:#0*+(?P<number>[1-9][0-9]{0,11});?"
        rf"|#[xX]0*+(?P<number_in_hex>[1-9a-fA-F]{_HEX1}{{0,11}});?"
        r"|(?P<entity>[A-Za-z][A-Za-z0-9]{1,31};?))"
        rf"|=(?:{quoted}(?P<soft>\r?\n)|(?P<words>{_WORD[1:]}(?:{_BETWEEN_WORDS}{_WORD})*))"
    )


_ESCAPE = _escape(f"{_OCTAL_OF_PRINTF}|{_OCTAL}", _QUOTED)


@cache
def _otherwise() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    """Return what can be read in two ways, each with what finds escapes in the other one; few texts need it."""
    return (
        (re.compile(rf"={_HEX2}"), _escape(f"{_OCTAL_OF_PRINTF}|{_OCTAL}", "")),
        (re.compile(rf"\\{_OCTAL_OF_PRINTF}"), _escape(_OCTAL, _QUOTED)),
    )


#: The kinds that are a byte each time that one of these occurs.
_BYTES = frozenset({"bytes", "octal", "percent", "quoted"})
_BYTE = re.compile(rf"\\x{_HEX1}{{1,2}}|\\[0-7]++|[%=]{_HEX2}")
_CONTROL = dict(zip("abefnrtvE", "\a\b\x1b\f\n\r\t\v\x1b", strict=True))
_LAST_POINT = 0x10FFFF


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
            for length, first, last in _stretches(found, self._replaced(found)):
                add(at, first, last)
                at += length
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
    whole = Reading(text)
    yield whole
    for chain in unescaped_chains(whole):
        yield from chain


def unescaped_chains(whole: Reading) -> list[list[Reading]]:
    """Return the readings of a text with its escapes undone once, twice and so on.

    There is a list for each way to read escapes that can be read in two ways, the usual way last.
    """
    usual = list(_undone(whole, _ESCAPE))
    if not usual:
        return []
    known = {read.text for read in (whole, *usual)}
    chains = []
    for ambiguous, escape in _otherwise():
        if any(ambiguous.search(read.text) for read in (whole, *usual)):
            chain = [read for read in _undone(whole, escape) if read.text not in known]
            known.update(read.text for read in chain)
            chains.append(chain)
    return [chain for chain in (*chains, usual) if chain]


def _undone(read: Reading, escape: re.Pattern[str]) -> Iterator[Reading]:
    for _ in range(_DEPTH):
        if not any(mark in read.text for mark in _MARKS):
            return
        undone = escape.sub(_unescaped, read.text)
        if undone == read.text:
            return
        read = Undone(undone, read, escape, _unescaped)
        yield read


def _stretches(found: re.Match[str], text: str) -> Iterator[tuple[int, int, int]]:
    """Yield how many characters of what a match is replaced by come from which stretch."""
    kind = found.lastgroup or ""
    if kind == "words":
        for piece, start, end in _pieces_of_words(found):
            yield len(piece), start, end
    elif kind in _BYTES:
        spans = [byte.span() for byte in _BYTE.finditer(found.string, *found.span())]
        is_utf8 = len(text.encode(errors="surrogatepass")) == len(spans)
        at = 0
        for character in text:
            last = at + (len(character.encode(errors="surrogatepass")) if is_utf8 else 1)
            yield 1, spans[at][0], spans[last - 1][1]
            at = last
    elif text:
        yield len(text), *found.span()


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
            return _of_entity(escape[0])
        case "number":
            return _of_entity(f"&#{found};")
        case "number_in_hex":
            return _of_entity(f"&#x{found};")
        case "pair":
            pair = int(found[:4], 16), int(found[6:], 16)
            return chr(0x10000 + ((pair[0] - 0xD800) << 10) + pair[1] - 0xDC00)
        case "unicode" | "old" | "points" | "points_of_powershell" | "long":
            codes = [int(digits, 16) for digits in found.split()]
            return "".join(map(chr, codes)) if max(codes) <= _LAST_POINT else escape[0]
        case "octal_point":
            code = int(found, 8)
            return chr(code) if code <= _LAST_POINT else escape[0]
        case "bytes":
            return _decoded(bytes(int(digits, 16) for digits in found[1:].split("\\x")))
        case "octal":
            return _decoded(bytes(int(digits, 8) for digits in found.split("\\")))
        case "percent":
            return _decoded(bytes.fromhex(found.replace("%", "")))
        case "quoted":
            return _decoded(bytes.fromhex(found.replace("=", "")))
        case "words":
            return "".join(piece for piece, _, _ in _pieces_of_words(escape))
    return ""


def _of_entity(entity: str) -> str:
    import html  # only a text with entities pays for the table of their names

    return html.unescape(entity)


#: A piece of what is read, with the start and the end of what it is read from.
_Piece = tuple[str, int, int]
#: The same of bytes.
_Data = tuple[bytes, int, int]
_ONE_WORD = re.compile(_WORD)


def _pieces_of_words(found: re.Match[str]) -> Iterator[_Piece]:
    """Yield what encoded words of mail say."""
    words = []
    for word in _ONE_WORD.finditer(found.string, *found.span()):
        charset, kind, data = word[0][2:-2].split("?", 2)
        if kind in "bB":
            decoded = bytes_of_base64("".join(data.replace("=", "").split()))
        else:
            decoded = a2b_qp(data.encode(errors="surrogatepass"), header=True)
        words.append((charset.partition("*")[0].casefold(), (decoded, *word.span())))
    for charset, group in groupby(words, key=lambda word: word[0]):
        yield from _pieces_in(charset, [data for _, data in group])


def _pieces_in(charset: str, words: list[_Data]) -> list[_Piece]:
    """Return what words say in the charset that they name, in UTF-8 or in Latin-1."""
    for name in (_codec(charset), "utf_8"):
        try:
            return list(_decoded_pieces(name, words))
        except UnicodeError:
            continue
    return list(_decoded_pieces("latin_1", words))


def _decoded_pieces(codec: str, words: Iterable[_Data]) -> Iterator[_Piece]:
    """Yield what words say, which may be cut within a character."""
    decoder = codecs.getincrementaldecoder(codec)()
    # The decoder of UTF-7 begins again with each word, as long as there is no end of base64.
    is_joined = codec != "utf_7"
    begun = end = -1
    for data, start, end in words:
        text = decoder.decode(data, not is_joined).removeprefix("\ufeff")
        if text and begun >= 0:
            yield text[0], begun, end
            text = text[1:]
            begun = -1
        if text:
            yield text, start, end
        if is_joined and decoder.getstate()[0] and begun < 0:
            begun = start
    if text := decoder.decode(b"", final=True):
        yield text, begun, end


#: The charsets of texts that Python knows. None of their codecs takes more time than in proportion.
_CODECS = {
    **{
        alias: codec
        for alias, codec in aliases.items()
        if not codec.endswith("_codec") and codec not in ("mbcs", "rot_13")
    },
    **{codec: codec for codec in ("cp720", "cp737", "cp856", "cp874", "cp875", "cp1006", "koi8_t")},
    "koi8_u": "koi8_u",
    "windows_874": "cp874",
    "x_sjis": "shift_jis",
}
_CODECS |= {codec: codec for codec in _CODECS.values()}


@lru_cache(256)
def _codec(charset: str) -> str:
    return _CODECS.get(normalize_encoding(charset), "utf_8")


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
