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
#: What may begin a cell within a text, where a spreadsheet separates cells by semicolons or tabs: a formula behind a
#: separator or at the start of a line, but no item of a list of prose.
_INNER = r"[=@\uFF1D\uFF20]|[+\-\uFF0B\uFF0D](?!\x20[^|(!=;\t\r\n]*(?:[;\t\r\n]|\Z))"
_BEGINNING = re.compile(r"'*\s*")
_UNPROTECTED_INSIDE = re.compile(rf"(?<=[;\t\r\n])([\x20\"]*)(?='*(?:{_INNER}))")
_PROTECTED_INSIDE = re.compile(rf"(?<=[;\t\r\n])([\x20\"]*)'(?='*(?:{_INNER}))")


def protected(text: str) -> str:
    """Return what a cell has to contain so that a spreadsheet keeps a text as it is."""
    safe = _safe_inside(text)
    return f"'{safe}" if _is_changed(text.lstrip("'")) else safe


def _safe_inside(text: str) -> str:
    """Return a text with an apostrophe wherever a formula could begin within it."""
    start = _beginning(text)
    return text[:start] + _UNPROTECTED_INSIDE.sub(r"\1'", text[start:])


def _beginning(text: str) -> int:
    """Return where what is inside of a text begins: an apostrophe before its beginning protects that."""
    found = _BEGINNING.match(text)
    return found.end() if found is not None else 0


def without_formula(text: str) -> str:
    """Return a cell that no spreadsheet executes; one that looks like a number or a date is unchanged."""
    safe = _safe_inside(text)
    return f"'{safe}" if _FORMULA.match(text) else safe


def unprotected(cell: str) -> str:
    """Return the text of a cell that `protected` made; other cells are returned unchanged."""
    start = _beginning(cell)
    text = cell[:start] + _PROTECTED_INSIDE.sub(r"\1", cell[start:])
    return text[1:] if text.startswith("'") and _is_changed(text.lstrip("'")) else text


def _is_changed(text: str) -> bool:
    if _FORMULA.match(text):
        return True
    return len(text) <= _LONGEST_VALUE and _VALUE.fullmatch(text.strip()) is not None
