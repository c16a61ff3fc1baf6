"""Words of messages: numbers with their nouns, amounts of money, beginnings of sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence

#: A word of a sentence, rather than a path or a name with dots.
_WORD = re.compile(r"[^\W\d_]+(?:[-'][^\W\d_]+)*[,:;.?!]?(?:\s|\Z)")


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun: `1 case`, `1,200 cases`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def capitalized(text: str) -> str:
    """Return a text that begins with a capital letter, unless it begins with a path or another name."""
    return text[:1].upper() + text[1:] if _WORD.match(text) else text


def first_of(names: Sequence[str], most: int) -> str:
    """Return names as text for messages, at most so many of them, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def dollars(usd: float) -> str:
    """Return an amount of US dollars: `$0.00002925`, `$1.2`, `$1,234.50`."""
    text = f"{usd:.4g}" if usd < 1000 else f"{usd:,.2f}"
    if "e" in text:
        from decimal import Decimal

        text = f"{Decimal(text):f}"
    return f"${text}"
