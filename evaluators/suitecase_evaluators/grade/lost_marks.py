"""Finds what in a text tells it from another one, and is lost by normalization."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple

from suitecase_evaluators.grade.normalize import THOUSANDS, AppliedStep, normalized
from suitecase_evaluators.text.unicode_forms import normalized_form

_NUMBER: Final = r"\.?\d++(?:[.,]\d++)*+"
#: The digits that stand above a line.
_RAISED: Final = "\u2070\u00b9\u00b2\u00b3\u2074-\u2079"


class Alike(NamedTuple):
    """A part of a text, and another text that is the same after normalization."""

    part: str
    other: str


def _digits(part: str) -> str:
    return "".join(character for character in part if character.isdigit())


def _letters(part: str) -> str:
    return "".join(character for character in part if character.isalnum() or character == "_")


#: What a part looks like whose marks decide what it means, and what it would be without them.
_TELLING: Final[Sequence[tuple[re.Pattern[str], Callable[[str], str]]]] = (
    # -5, and -5 with the minus sign of Unicode
    (re.compile(rf"(?<![\w.)\]])[-\u2212]{_NUMBER}"), lambda part: part[1:]),
    # 3.14, 3,14 and 1.12.25
    (re.compile(r"(?<![\d.,])\d+(?:[.,]\d+)+"), _digits),
    # .5
    (re.compile(r"(?<![\w.])\.\d+"), _digits),
    # 50%
    (
        re.compile(rf"(?<!\d)(?:(?=\.)|(?<!\d[.,])){_NUMBER}\s?[%\u2030]"),
        lambda part: part[:-1].rstrip(),
    ),
    # 1/2, and no date
    (re.compile(r"(?<![\d/])\d+/\d+(?![\d/])"), _digits),
    # < 5, >= 5
    (re.compile(rf"[<>]=?\s?{_NUMBER}"), lambda part: part.lstrip("<>= ")),
    # 10-20, and no date
    (re.compile(r"(?<![\d-])\d+[-\u2013]\d+(?![\d-])"), _digits),
    # 10 to the power of 2
    (re.compile(rf"(?<![0-9])[0-9]++[{_RAISED}]+"), partial(normalized_form, "NFKC")),
    # C++, C#, A+, .NET
    (re.compile(r"(?<!\w)[A-Za-z]\w*(?:\+\+?|#)(?!\w)"), _letters),
    (re.compile(r"(?<!\w)[A-Za-z]-(?![\w-])"), _letters),
    (re.compile(r"(?<![\w.])\.[A-Za-z]\w+"), _letters),
    # Hepatitis A
    (re.compile(r"(?<!\w)\w++ A(?=\W*$)"), lambda part: part[:-2]),
)


def alike(text: str, steps: Sequence[AppliedStep]) -> Iterator[Alike]:
    """Yield the parts of a text that other texts match after some steps, which mean something else."""
    if not steps:
        return
    for pattern, without in _TELLING:
        for found in pattern.finditer(text):
            part, other = found[0], without(found[0])
            is_same_number = THOUSANDS.fullmatch(part) is not None
            if not is_same_number and _words(part, steps) == _words(other, steps) != []:
                yield Alike(part, other)


def _words(text: str, steps: Sequence[AppliedStep]) -> list[str]:
    return normalized(text, steps).split()
