"""The normalization forms of Unicode, in a time that is proportional to the length of a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, Literal
from unicodedata import combining, normalize  # noqa: TID251 - the one place

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

#: So many non-starters in a row are sorted together, as in Unicode's Stream-Safe Text Format (UAX 15):
#: no language has more, and sorting them takes quadratic time, which nothing interrupts.
_LONGEST_RUN: Final = 30
#: Blocks without non-starters that texts often have characters of: punctuation, symbols, emoji.
_SYMBOLS: Final = r"\x00-\u02ff\u2000-\u20cf\u2100-\u2cee\u3000-\u3029\u3030-\u3098\ufe30-\uff9d\U0001f000-\U0001faff"
#: What may be a non-starter: no letter, digit or blank but two marks of Katakana.
_CANDIDATE: Final = re.compile(rf"[^\w\s{_SYMBOLS}]|[\uff9e\uff9f]")
_LONGER_RUN: Final = re.compile(rf"(?:{_CANDIDATE.pattern}){{{_LONGEST_RUN + 1},}}+")


def normalized_form(form: Form, text: str) -> str:
    """Return a text in a normalization form; one with more non-starters in a row in pieces."""
    if text.isascii():
        return text
    # Every run that is too long has one of these characters.
    some = text[_LONGEST_RUN :: _LONGEST_RUN + 1]
    if _CANDIDATE.search(some) is None or _LONGER_RUN.search(text) is None:
        return normalize(form, text)
    return "".join(normalize(form, piece) for piece in _pieces(text))


def _pieces(text: str) -> Iterator[str]:
    start = 0
    for candidates in _LONGER_RUN.finditer(text):
        length = 0
        for place in range(*candidates.span()):
            length = length + 1 if _is_non_starter(text[place]) else 0
            if length > _LONGEST_RUN:
                yield text[start:place]
                start, length = place, 1
    yield text[start:]


@cache
def _is_non_starter(character: str) -> bool:
    """Whether a character combines with those before it, by itself or once it is decomposed."""
    return combining(normalize("NFKD", character)[0]) != 0
