"""Text in cells of CSV files that stays what it is when a spreadsheet opens and saves the file.

Spreadsheets execute a cell that starts like a formula, and turn one that looks like a number, a date or a
truth value into that: the digest `12345e67` becomes `1.2345E+71`, and the case `1-2` a day in February. An
apostrophe in front prevents both, and is still there when the file is saved.
"""

from __future__ import annotations

import re

#: What a formula starts with, also in full width. Spreadsheets skip tabs and line ends before it.
_FORMULA = re.compile(r"[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]")
_MONTHS = (
    *("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"),
    *("mär", "mrz", "mai", "okt", "dez", "fév", "avr", "juin", "juil", "aoû", "déc"),
    *("ene", "abr", "ago", "dic", "gen", "mag", "giu", "lug", "set", "ott", "fev", "out"),
)
_MONTH = rf"(?:{'|'.join(_MONTHS)})[^\W\d_]*\.?"
#: Numbers, amounts, shares, dates, times, and the names of truth values.
_VALUE = re.compile(
    r"[$€£¥]?\s*[\d.,:/\-\s]*\d[\d.,:/\-\s]*(?:e[+-]?\d+)?\s*(?:%|[$€£¥]|[ap]\.?m?\.?)?"
    rf"|[\d.,/\-\s]*{_MONTH}[\d.,/\-\s]*\d[\d.,:/\-\s]*"
    rf"|\d[\d.,/\-\s]*{_MONTH}"
    r"|true|false|wahr|falsch|vrai|faux|verdadero|falso|vero",
    re.IGNORECASE,
)
_LONGEST_VALUE = 300


def protected(text: str) -> str:
    """Return what a cell has to contain so that a spreadsheet keeps a text as it is."""
    return f"'{text}" if _is_changed(text.lstrip("'")) else text


def without_formula(text: str) -> str:
    """Return a cell that no spreadsheet executes; one that looks like a number or a date is unchanged."""
    return f"'{text}" if _FORMULA.match(text) else text


def unprotected(cell: str) -> str:
    """Return the text of a cell that `protected` made; other cells are returned unchanged."""
    return cell[1:] if cell.startswith("'") and _is_changed(cell.lstrip("'")) else cell


def _is_changed(text: str) -> bool:
    if _FORMULA.match(text):
        return True
    return len(text) <= _LONGEST_VALUE and _VALUE.fullmatch(text.strip()) is not None
