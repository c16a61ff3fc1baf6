"""Finding fragments of known texts in other texts, whatever was done to their white space and type.

A fragment is a stretch of 20 characters or more. Texts are compared in a form in which white space is a
single blank, letters have neither case nor accents, and quotes, dashes and escapes are
plain characters: a model that quotes a text writes it in its own way. Known texts and others are
looked at in the same ways (`readings`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from unicodedata import category, normalize

from suitecase.releasing.readings import INVISIBLE, Reading, plainest, readings

#: Shorter stretches occur in other texts by chance.
LENGTH = 20
#: A stretch of `LENGTH` characters holds a shorter one of this length that starts at a multiple of
#: `_STEP`: texts without any of these, which are nearly all, are done with.
_ANCHOR = 10
_STEP = LENGTH - _ANCHOR + 1

_PLAIN = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032`\u00b4", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        # The blanks of forms in addresses.
        "+": " ",
        # Marks of Markdown.
        **dict.fromkeys("*_~#>|", ""),
        # Characters that nobody sees.
        **dict.fromkeys(map(chr, (*range(1, 9), *range(14, 28), 0x7F)), ""),
        **dict.fromkeys(INVISIBLE, ""),
    }
)


@dataclass(frozen=True, slots=True, order=True)
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
            for known in {_plain(it.text) for it in readings(text)}:
                for start in range(len(known) - LENGTH + 1):
                    self._names.setdefault(known[start : start + LENGTH], name)
                self._anchors.update(
                    known[it : it + _ANCHOR] for it in range(len(known) - _ANCHOR + 1)
                )

    def __bool__(self) -> bool:
        return bool(self._names)

    def hits(self, text: str) -> list[Hit]:
        """Return the fragments in a text, in order; those that touch are one."""
        if len(text) < LENGTH or not self._names:
            return []
        found = sorted(hit for it in readings(text) for hit in self.hits_in(it))
        joined: list[Hit] = []
        for hit in found:
            if joined and hit.start <= joined[-1].end:
                last = joined[-1]
                joined[-1] = Hit(last.start, max(hit.end, last.end), last.name)
            else:
                joined.append(hit)
        return joined

    def hits_in(self, read: Reading) -> Iterator[Hit]:
        """Yield the fragments in a reading of a text, each with its place in the text."""
        if not self._names or not self._occurs(read.text):
            return
        characters: list[str] = []
        places: list[int] = []
        for character, at in _characters(read.text):
            characters.append(character)
            places.append(at)
        plain = "".join(characters)
        first = last = -1
        named = ""
        for at in range(len(plain) - LENGTH + 1):
            name = self._names.get(plain[at : at + LENGTH])
            if name is None:
                continue
            if at > last:
                if last >= 0:
                    yield Hit(*read.stretch(places[first], places[last - 1] + 1), named)
                first, named = at, name
            last = at + LENGTH
        if last >= 0:
            yield Hit(*read.stretch(places[first], places[last - 1] + 1), named)

    def _occurs(self, text: str) -> bool:
        """Whether there is a fragment; where it is takes longer to find."""
        plain, names, anchors = _plain(text), self._names, self._anchors
        return any(
            plain[it : it + _ANCHOR] in anchors for it in range(0, len(plain) - _ANCHOR + 1, _STEP)
        ) and any(plain[it : it + LENGTH] in names for it in range(len(plain) - LENGTH + 1))


def plain_form(text: str) -> str:
    """Return a text in the form in which texts are compared, without its escapes."""
    return _plain(plainest(text))


def _plain(text: str) -> str:
    return " ".join(_folded(text).split())


def _folded(text: str) -> str:
    """Return a text without case, accents and typography. May be of another length."""
    if not text.isascii():
        text = "".join(it for it in normalize("NFKD", text) if category(it) != "Mn")
    return text.translate(_PLAIN).casefold()


def _characters(text: str) -> Iterator[tuple[str, int]]:
    """Yield the characters of the plain form of a text, each with its place in the text.

    White space at its start is left out, at its end it is one blank.
    """
    blank = True
    for at, letter in enumerate(text):
        for character in _folded(letter):
            if not character.isspace():
                yield character, at
                blank = False
            elif not blank:
                yield " ", at
                blank = True
