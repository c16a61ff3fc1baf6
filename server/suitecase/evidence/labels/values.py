"""The values of cells of label files."""

from __future__ import annotations

import re
from functools import lru_cache

from suitecase.evidence.labels.digests import ANSWER_DIGITS, WORDING_DIGITS
from suitecase.evidence.labels.label import LabelValue

#: How people say that an item is met. Spreadsheets write truth values in the language of the person.
_MET = frozenset(
    ("true", "yes", "y", "met", "pass", "wahr", "vrai", "verdadero", "verdadeiro", "vero", "waar")
)
_NOT_MET = frozenset(("false", "no", "n", "not met", "fail", "falsch", "faux", "falso", "onwaar"))
_WHOLE = re.compile(r"[+-]?\d{1,9}")
_DECIMAL = re.compile(r"[+-]?\d{1,9}[.,]\d{1,9}")
_HEX = re.compile(r"[0-9a-fA-F]+")


@lru_cache(maxsize=1024)
def read_value(text: str) -> LabelValue | None:
    """Return the value that a text is; None for a text that is not one."""
    text = text.strip()
    folded = text.casefold()
    if folded in _MET:
        return True
    if folded in _NOT_MET:
        return False
    if _WHOLE.fullmatch(text):
        return int(text)
    if _DECIMAL.fullmatch(text):
        number = float(text.replace(",", "."))
        return int(number) if number.is_integer() else number  # as spreadsheets write 8
    return None


def not_a_value(text: str) -> str:
    """Return what to say about a text that is not a value."""
    return (
        f"`{_shortened(text)}` is not a value; write `true` or `false` for an item that is met or not, "
        "or a whole number for a score"
    )


def problem_of_answer(text: str) -> str | None:
    """Return why a text is not the digest of an answer; None if it is one."""
    return _problem_of_digest(text, ANSWER_DIGITS, "an answer")


def problem_of_wording(text: str) -> str | None:
    """Return why a text is not the digest of a wording; None if it is one."""
    return _problem_of_digest(text, WORDING_DIGITS, "the wording of an item")


def _problem_of_digest(text: str, digits: int, what: str) -> str | None:
    if len(text) == digits and _HEX.fullmatch(text):
        return None
    message = (
        f"`{_shortened(text)}` is not the digest of {what}, which has {digits} hexadecimal digits"
    )
    if re.fullmatch(r"[\d.,]+(?:[eE]\+?\d+)?", text):
        message += "; if a spreadsheet made a number of it, import this column as text"
    return message


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 40 else f"{line[:40]}..."
