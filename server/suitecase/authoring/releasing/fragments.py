"""Finding fragments of known texts in other texts, whatever was done to their white space and type.

A fragment is a stretch of 20 characters or more. Texts are compared in a form in which white space is a
single blank, letters have neither case nor accents, and quotes, dashes and escapes are
plain characters: a model that quotes a text writes it in its own way. They are also compared by their
letters and digits alone, whatever stands between words, and of texts of which these forms leave out
characters, such as `ward_7_bed_3_pat_042` and vowel signs, as they are. Known texts and others are looked
at in the same ways (`readings`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from unicodedata import category

from suitecase.authoring.releasing.readings import INVISIBLE, plainest, readings
from suitecase_evaluators.text.escaped_text import Reading
from suitecase_evaluators.text.unicode_forms import normalized_form

#: Shorter stretches occur in other texts by chance.
LENGTH = 20
#: A stretch of `LENGTH` characters holds a shorter one of this length that starts at a multiple of
#: `_STEP`: texts without any of these, which are nearly all, are done with.
_ANCHOR = 10
_STEP = LENGTH - _ANCHOR + 1

#: Shorter secrets are not looked for by their letters and digits alone.
_LETTERS_OF_SECRET = 12

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
        **dict.fromkeys(map(chr, (*range(9), *range(14, 28), 0x7F)), ""),
        **dict.fromkeys(INVISIBLE, ""),
    }
)
#: What is neither a letter nor a digit.
_BETWEEN = re.compile(r"[\W_]+")


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
        folded = (_Form(_plain, _characters), _Form(_letters, _letters_with_places))
        verbatim = _Form(_verbatim, _verbatim_with_places)
        self._forms = (*folded, verbatim)
        for text, name in texts:
            known = {read.text for read in readings(text)}
            for form in folded:
                for of_form in {form.of(each) for each in known}:
                    form.add(of_form, name)
            for each in filter(_loses_characters, known):
                for composed in {each, normalized_form("NFC", each), normalized_form("NFD", each)}:
                    verbatim.add(_verbatim(composed), name)

    def __bool__(self) -> bool:
        return any(form.names for form in self._forms)

    def hits(self, text: str) -> list[Hit]:
        """Return the fragments in a text, in order; those that touch are one."""
        if len(text) < LENGTH or not self:
            return []
        return _joined(hit for read in readings(text) for hit in self.hits_in(read))

    def hits_in(self, read: Reading) -> list[Hit]:
        """Return the fragments in a reading of a text, in order, each with its place in the text."""
        return _joined(hit for form in self._forms for hit in form.hits_in(read))


class SplitSecrets:
    """Secrets with other characters in between: one that is wrapped over two lines, or joined from two strings.

    Only secrets with 12 letters and digits or more are found this way, since shorter sequences occur by chance.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        letters = {_letters(secret) for secret in secrets}
        self._letters = [form for form in letters if len(form) >= _LETTERS_OF_SECRET]

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where secrets are in a text."""
        form = _letters(text) if self._letters else ""
        found = [secret for secret in self._letters if secret in form]
        if not found:
            return
        places = [at for _, at in _letters_with_places(text)]
        for secret in found:
            at = form.find(secret)
            while at >= 0:
                yield places[at], places[at + len(secret) - 1] + 1
                at = form.find(secret, at + 1)


def _joined(hits: Iterable[Hit]) -> list[Hit]:
    """Return hits in order; those that touch are one."""
    joined: list[Hit] = []
    for hit in sorted(hits):
        if joined and hit.start <= joined[-1].end:
            last = joined[-1]
            joined[-1] = Hit(last.start, max(hit.end, last.end), last.name)
        else:
            joined.append(hit)
    return joined


class _Form:
    """A form in which texts are compared, and the fragments of known texts in it.

    Attributes:
        of: returns the form of a text.
        names: the name of the text of each fragment.
    """

    def __init__(
        self, of: Callable[[str], str], with_places: Callable[[str], Iterator[tuple[str, int]]]
    ) -> None:
        """
        Args:
            with_places: yields the characters of the form of a text, each with its place in the text.
        """
        self.of = of
        self._with_places = with_places
        self.names: dict[str, str] = {}
        self._anchors: set[str] = set()

    def add(self, known: str, name: str) -> None:
        """Add the fragments of a known text, which has this form."""
        for start in range(len(known) - LENGTH + 1):
            fragment = known[start : start + LENGTH]
            # A line that has only marks holds no text to protect.
            if any(map(str.isalnum, fragment)):
                self.names.setdefault(fragment, name)
        self._anchors.update(known[at : at + _ANCHOR] for at in range(len(known) - _ANCHOR + 1))

    def hits_in(self, read: Reading) -> Iterator[Hit]:
        """Yield the fragments in a reading of a text, each with its place in the text."""
        if not self.names or not self._occurs(read.text):
            return
        characters: list[str] = []
        places: list[int] = []
        for character, at in self._with_places(read.text):
            characters.append(character)
            places.append(at)
        text = "".join(characters)
        first = last = -1
        named = ""
        for at in range(len(text) - LENGTH + 1):
            name = self.names.get(text[at : at + LENGTH])
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
        form, names, anchors = self.of(text), self.names, self._anchors
        return any(
            form[at : at + _ANCHOR] in anchors for at in range(0, len(form) - _ANCHOR + 1, _STEP)
        ) and any(form[at : at + LENGTH] in names for at in range(len(form) - LENGTH + 1))


def plain_form(text: str) -> str:
    """Return a text in the form in which texts are compared, without its escapes."""
    return _plain(plainest(text))


def _plain(text: str) -> str:
    return " ".join(_folded(text).split())


def _letters(text: str) -> str:
    return _BETWEEN.sub("", _folded(text))


def _letters_with_places(text: str) -> Iterator[tuple[str, int]]:
    """Yield the letters and digits of a text, each with its place in the text."""
    for at, letter in enumerate(text):
        for character in _letters_of(letter):
            yield character, at


@lru_cache(4096)
def _letters_of(character: str) -> str:
    return _letters(character)


def _verbatim(text: str) -> str:
    return " ".join(text.split()).casefold()


def _verbatim_with_places(text: str) -> Iterator[tuple[str, int]]:
    """Yield the characters of a text as it is, each with its place in the text; see `_characters`."""
    return _spaced(text, str.casefold)


def _folded(text: str) -> str:
    """Return a text without case, accents and typography. May be of another length."""
    if not text.isascii():
        text = "".join(it for it in normalized_form("NFKD", text) if category(it) != "Mn")
    return text.translate(_PLAIN).casefold()


def _characters(text: str) -> Iterator[tuple[str, int]]:
    """Yield the characters of the plain form of a text, each with its place in the text.

    White space at its start is left out, at its end it is one blank.
    """
    return _spaced(text, _folded_character)


def _spaced(text: str, form: Callable[[str], str]) -> Iterator[tuple[str, int]]:
    """Yield the characters of a form of each character of a text; white space is one blank."""
    blank = True
    for at, letter in enumerate(text):
        for character in form(letter):
            if not character.isspace():
                yield character, at
                blank = False
            elif not blank:
                yield " ", at
                blank = True


@lru_cache(4096)
def _folded_character(character: str) -> str:
    return _folded(character)


def _loses_characters(text: str) -> bool:
    """Whether there are characters in a text of which its plain form has nothing."""
    return len(_verbatim(text)) >= LENGTH and not all(map(_folded_character, text))
