"""Normalizes texts before they are compared, by steps that a suite lists in their order."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Final, Literal

from pydantic import Discriminator, Field, Tag

from suitecase_evaluators.answers.message import kind_of
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.text.unicode_forms import normalized_form

Step = Literal["nfkc", "casefold", "accents", "punctuation", "articles", "digits", "spaces"]
Preset = Literal["squad", "none"]
#: A step that is applied. The script of SQuAD removes all punctuation, also that of numbers.
AppliedStep = Step | Literal["all punctuation"]

#: The steps that each preset stands for. `squad` is the official script of SQuAD 1.1 (Rajpurkar et
#: al. 2016), with whose figures its scores are compared.
PRESETS: Final[Mapping[Preset, tuple[AppliedStep, ...]]] = {
    "squad": ("casefold", "all punctuation", "articles", "spaces"),
    "none": (),
}

#: What `normalize` may be: a preset, or steps in the order in which they are applied.
Normalize = Annotated[
    Annotated[Preset, Tag("<text>")] | Annotated[list[Step], Field(min_length=1), Tag("<list>")],
    Discriminator(kind_of),
]
NormalizeKey = Annotated[Normalize | None, FieldRole.NORMALIZE]

#: The description of the key; what is compared without it, each evaluator adds.
STEPS_IN_WORDS: Final = (
    "Normalizes the answer and the text it is compared with: a list of steps, applied in the order "
    "given. `nfkc`: compatible characters are the same (`ﬁ` and `fi`, full width and ASCII). "
    "`casefold`: case is ignored. `accents`: accents are removed. `punctuation`: punctuation is "
    "removed, except within a number: a minus sign, a decimal point, what is between two digits, `%`. "
    "`articles`: the English words a, an and the are removed. `digits`: digits of any "
    "script are 0 to 9, without separators of thousands (`1,000` is `1000`). `spaces`: runs of "
    "white space are one space. Or a preset: `squad` is `[casefold, punctuation, articles, "
    "spaces]` with all punctuation removed, also in numbers, as SQuAD's script does; `none` compares texts exactly as they are."
)

_ARTICLES = re.compile(r"\b(?:a|an|the)\b", re.IGNORECASE)
#: A number with separators of thousands, all of one kind. A blank that may break a line is none.
THOUSANDS: Final = re.compile(
    r"(?<![\d.,])[1-9]\d{0,2}([,'\u2019_\u00a0\u2009\u202f])\d{3}(?:\1\d{3})*(?!\d)"
)
#: Punctuation that belongs to a number: the sign and the point before its first digit, what is between
#: two digits, and the percent sign behind the last one.
_OF_NUMBER = re.compile(
    r"(?<![\w.)\]])-(?=\.?\d)|(?<![\w.])\.(?=\d)|(?<=\d)[^\w\s](?=\d)|(?<=\d)[%\u2030]|(?<=\d\s)[%\u2030]"
)
#: Combining Diacritical Marks. Those of other blocks are letters of their scripts, such as the
#: vowels of Hindi.
_ACCENTS = re.compile("[\u0300-\u036f]")


def steps_of(normalize: Normalize | None) -> tuple[AppliedStep, ...]:
    """Return the steps of a value of `normalize`."""
    if normalize is None:
        return ()
    return PRESETS[normalize] if isinstance(normalize, str) else tuple(normalize)


def normalized(text: str, steps: Sequence[AppliedStep]) -> str:
    """Return a text after some steps."""
    for step in steps:
        text = _STEPS[step](text)
    return text


def comparable(text: str, normalize: Normalize | None) -> str:
    """Return a whole text as it is compared.

    Models end their answers with line breaks, so white space at both ends is ignored unless the
    suite asks for `none`.
    """
    return text if normalize == "none" else normalized(text, steps_of(normalize)).strip()


def _nfkc(text: str) -> str:
    return normalized_form("NFKC", text)


def _without_accents(text: str) -> str:
    apart = _ACCENTS.sub("", normalized_form("NFD", text))
    return normalized_form("NFC", apart)


def _is_punctuation(character: str) -> bool:
    # That of ASCII as in SQuAD's script, and that of Unicode as in MLQA's (Lewis et al. 2020).
    return character in string.punctuation or unicodedata.category(character).startswith("P")


def _without_all_punctuation(text: str) -> str:
    return "".join(character for character in text if not _is_punctuation(character))


def _without_punctuation(text: str) -> str:
    kept = {mark.start() for mark in _OF_NUMBER.finditer(text)}
    return "".join(
        character
        for at, character in enumerate(text)
        if at in kept or not _is_punctuation(character)
    )


def _without_articles(text: str) -> str:
    return _ARTICLES.sub(" ", text)


def _plain_digits(text: str) -> str:
    text = "".join(
        str(unicodedata.decimal(it)) if it.isdecimal() and not it.isascii() else it for it in text
    )
    return THOUSANDS.sub(lambda number: number[0].replace(number[1], ""), text)


def _single_spaces(text: str) -> str:
    return " ".join(text.split())


_STEPS: Final[Mapping[AppliedStep, Callable[[str], str]]] = {
    "nfkc": _nfkc,
    "casefold": str.casefold,
    "accents": _without_accents,
    "punctuation": _without_punctuation,
    "all punctuation": _without_all_punctuation,
    "articles": _without_articles,
    "digits": _plain_digits,
    "spaces": _single_spaces,
}
