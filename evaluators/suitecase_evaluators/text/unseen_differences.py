"""Names a difference between two texts that nobody can see, such as a no-break space."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from suitecase_evaluators.text.invisible_characters import INVISIBLE_CLASS
from suitecase_evaluators.text.unicode_forms import normalized_form

_WITHOUT_WIDTH: Final = re.compile(f"[{INVISIBLE_CLASS}]")
#: Spaces that are shown like one, a tabulator among them.
_OTHER_SPACES: Final = re.compile("[\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_LINE_BREAKS: Final = re.compile("\r\n?|[\u0085\u2028\u2029\v\f]")
_SPACES: Final = re.compile(r" {2,}")
_AT_LINE_ENDS: Final = re.compile(r"(?<! ) ++(?=\n)")
#: Characters that Unicode has no name for, or one that nobody knows.
_NAMES: Final = {
    "\t": "tab",
    "\n": "line feed",
    "\r": "carriage return",
    "\v": "vertical tab",
    "\f": "form feed",
    "\u0085": "next line",
    "\ufeff": "byte order mark",
}
_DIFFERENCE: Final = "; what differs cannot be seen: "
#: So many characters are named at most.
_MOST: Final = 4


class _Likeness(NamedTuple):
    """A change of texts that nobody sees, and in what texts differ that it makes the same."""

    applied: Callable[[str], str]
    #: The characters that are named, where there are any.
    characters: re.Pattern[str] | None
    what: str


def _composed(text: str) -> str:
    return normalized_form("NFC", text)


#: In the order in which they are applied.
_LIKENESSES: Final = (
    _Likeness(
        lambda text: _WITHOUT_WIDTH.sub("", text), _WITHOUT_WIDTH, "characters without width"
    ),
    _Likeness(_composed, None, "how accents are encoded (NFC and NFD of Unicode)"),
    _Likeness(lambda text: _LINE_BREAKS.sub("\n", text), _LINE_BREAKS, "line breaks"),
    _Likeness(lambda text: _OTHER_SPACES.sub(" ", text), _OTHER_SPACES, "kinds of spaces"),
    _Likeness(
        lambda text: _AT_LINE_ENDS.sub("", text).strip(" \n"), None, "white space at the ends"
    ),
    _Likeness(lambda text: _SPACES.sub(" ", text), None, "the number of spaces"),
)


def unseen_difference(answer: str, texts: Iterable[str], holds: Callable[[str, str], bool]) -> str:
    """Return the words that name why an answer misses a text that it seems to have; else "".

    Args:
        answer: the answer, as it was compared.
        texts: the texts that it was compared with, none of which it has.
        holds: whether an answer has a text.
    """
    shown = as_seen(answer)
    text = next((expected for expected in texts if holds(shown, as_seen(expected))), None)
    if text is None:
        return ""
    needed = list(_LIKENESSES)
    for likeness in reversed(_LIKENESSES):
        fewer = [kept for kept in needed if kept is not likeness]
        if holds(_alike(answer, fewer), _alike(text, fewer)):
            needed = fewer
    return _DIFFERENCE + ", ".join(_differing(difference, answer, text) for difference in needed)


def unseen_in(answer: str) -> str:
    """Return the words that name what nobody sees in an answer that a pattern finds only without it."""
    found = [likeness for likeness in _LIKENESSES if likeness.applied(answer) != answer]
    return _DIFFERENCE + ", ".join(_differing(likeness, answer, "") for likeness in found)


def as_seen(text: str) -> str:
    """Return a text without what nobody sees: the same text for all that look alike."""
    return _alike(text, _LIKENESSES)


def _alike(text: str, likenesses: Sequence[_Likeness]) -> str:
    for likeness in likenesses:
        text = likeness.applied(text)
    return text


def _differing(likeness: _Likeness, answer: str, text: str) -> str:
    """Return what a likeness is about, with the characters that only one of two texts has."""
    pattern = likeness.characters
    if pattern is None:
        return likeness.what
    in_answer, in_text = (dict.fromkeys(pattern.findall(compared)) for compared in (answer, text))
    named = [
        f"{side} has "
        f"{', '.join([_character(piece) for piece in some if piece not in others][:_MOST])}"
        for side, some, others in (
            ("the answer", in_answer, in_text),
            ("the expected text", in_text, in_answer),
        )
        if some.keys() - others.keys()
    ]
    return f"{likeness.what} ({'; '.join(named)})" if named else likeness.what


def _character(characters: str) -> str:
    return " ".join(
        f"U+{ord(char):04X} {_NAMES.get(char) or unicodedata.name(char, '').lower()}".rstrip()
        for char in characters
    )
