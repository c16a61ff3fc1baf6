"""Finding fragments of known texts in other texts, whatever was done to their white space and type.

A fragment is a stretch of 20 characters or more. Texts are compared in a form in which white space is a
single blank, letters have neither case nor accents, and quotes, dashes and the escapes of JSON are
plain characters: a model that quotes a text writes it in its own way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from unicodedata import combining, normalize

#: Shorter stretches occur in other texts by chance.
LENGTH = 20
#: A stretch of `LENGTH` characters holds a shorter one of this length that starts at a multiple of
#: `_STEP`: texts without any of these, which are nearly all, are done with.
_ANCHOR = 10
_STEP = LENGTH - _ANCHOR + 1

_ESCAPE = re.compile(r'\\(?:([nrtbf])|u([0-9a-fA-F]{4})|(["\'/\\]))')
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032`\u00b4", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        # Characters without a width, which may stand between any two letters.
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", ""),
    }
)


@dataclass(frozen=True, slots=True)
class Hit:
    """A stretch of a text that is a fragment of a known text, with the name of that."""

    start: int
    end: int
    name: str


class Fragments:
    """The fragments of texts, each text with a name.

    Args:
        texts: the texts and their names; of a fragment of two texts the first name counts.
    """

    def __init__(self, texts: Iterable[tuple[str, str]]) -> None:
        self._names: dict[str, str] = {}
        self._anchors: set[str] = set()
        for text, name in texts:
            known = plain_form(text)
            for start in range(len(known) - LENGTH + 1):
                self._names.setdefault(known[start : start + LENGTH], name)
            self._anchors.update(known[it : it + _ANCHOR] for it in range(len(known) - _ANCHOR + 1))

    def __bool__(self) -> bool:
        return bool(self._names)

    def hits(self, text: str) -> list[Hit]:
        """Return the fragments in a text, in order; those that touch are one."""
        if len(text) < LENGTH or not self._names or not self._occurs(text):
            return []
        characters: list[str] = []
        places: list[tuple[int, int]] = []
        for character, start, end in _characters(text):
            characters.append(character)
            places.append((start, end))
        plain = "".join(characters)
        found: list[Hit] = []
        for at in range(len(plain) - LENGTH + 1):
            name = self._names.get(plain[at : at + LENGTH])
            if name is None:
                continue
            start, end = places[at][0], places[at + LENGTH - 1][1]
            if found and start <= found[-1].end:
                found[-1] = Hit(found[-1].start, max(end, found[-1].end), found[-1].name)
            else:
                found.append(Hit(start, end, name))
        return found

    def _occurs(self, text: str) -> bool:
        """Whether there is a fragment; where it is takes longer to find."""
        plain, names, anchors = plain_form(text), self._names, self._anchors
        return any(
            plain[it : it + _ANCHOR] in anchors for it in range(0, len(plain) - _ANCHOR + 1, _STEP)
        ) and any(plain[it : it + LENGTH] in names for it in range(len(plain) - LENGTH + 1))


def plain_form(text: str) -> str:
    """Return a text in the form in which texts are compared."""
    if "\\" in text:
        text = _ESCAPE.sub(_unescaped, text)
    return " ".join(_folded(text).split())


def _folded(text: str) -> str:
    """Return a text without case, accents and typography. May be of another length."""
    if not text.isascii():
        text = "".join(it for it in normalize("NFKD", text) if not combining(it))
    return text.translate(_PLAIN).casefold()


def _unescaped(escape: re.Match[str]) -> str:
    blank, code, itself = escape.groups()
    return " " if blank else chr(int(code, 16)) if code else itself


def _characters(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the characters of the plain form of a text, each with its place in the text.

    White space at its start is left out, at its end it is one blank.
    """
    at, blank = 0, True
    while at < len(text):
        escape = _ESCAPE.match(text, at) if text[at] == "\\" else None
        end = escape.end() if escape is not None else at + 1
        piece = _folded(_unescaped(escape) if escape is not None else text[at])
        for character in piece:
            if not character.isspace():
                yield character, at, end
                blank = False
            elif not blank:
                yield " ", at, end
                blank = True
        at = end
