"""Numbers as messages have them: with their nouns, and amounts of money."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun: `1 case`, `1,200 cases`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def dollars(usd: float) -> str:
    """Return an amount of US dollars: `$0.00002925`, `$1.2`, `$1,234.50`."""
    text = f"{usd:.4g}" if usd < 1000 else f"{usd:,.2f}"
    if "e" in text:
        from decimal import Decimal

        text = f"{Decimal(text):f}"
    return f"${text}"
