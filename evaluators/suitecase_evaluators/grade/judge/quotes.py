"""Quotes of a judge: whether they are in the answer.

Blanks count as one space, and quotation marks and apostrophes of any kind as the plain ones: models
change these when they copy. Quotation marks around a quote are not part of it, and an ellipsis in it
stands for words that were left out, so that its parts have to follow each other in the answer.
Everything else has to be the same, upper and lower case included. A quote without a letter or a digit,
such as a full stop, says nothing unless it is the whole answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from suitecase_evaluators.grade.evaluator import Subject
from suitecase_evaluators.grade.judge.template import shown_answer
from suitecase_evaluators.text.unicode_forms import normalized_form

_PLAIN = str.maketrans(
    {
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u300c\u300d\uff02", '"'),
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2039\u203a\u2032\uff07", "'"),
    }
)
_BLANKS = re.compile(r"\s+")
_ELLIPSIS = re.compile(r"\[\s*(?:\.{3,}|\u2026)\s*\]|\(\s*(?:\.{3,}|\u2026)\s*\)|\.{3,}|\u2026")
#: Of a quote so many characters are shown to the judge that is asked again.
_SHOWN = 120


def quotable_texts(subject: Subject) -> tuple[str, ...]:
    """Return the texts of an answer that a judge may quote, normalized."""
    messages = (output_message.text for output_message in subject.output_messages)
    texts = (shown_answer(subject), *messages)
    return tuple(dict.fromkeys(it for it in map(_normalized, texts) if it))


def is_quote(text: str, quotable: Sequence[str]) -> bool:
    """Whether a text is a quote of one of some normalized texts."""
    quote = _normalized(text)
    for candidate in (quote, quote.strip("\"'").strip()):
        if not any(map(str.isalnum, candidate)):
            if candidate and candidate in quotable:
                return True
            continue
        parts = [it for it in map(str.strip, _ELLIPSIS.split(candidate)) if it]
        if any(candidate in it for it in quotable):
            return True
        if parts and any(_follow(parts, it) for it in quotable):
            return True
    return False


def why_no_quote(item: str, text: str) -> str:
    """Say what is wrong with the quote for an item that is met, to the judge and to people."""
    if not text:
        return f"`{item}` is met, but has no `quote`"
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    return f"the `quote` of `{item}` is not in the answer: {shown}"


def _follow(parts: Sequence[str], text: str) -> bool:
    at = 0
    for part in parts:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True


def _normalized(text: str) -> str:
    plain = normalized_form("NFC", text).translate(_PLAIN)
    return _BLANKS.sub(" ", plain).strip()
