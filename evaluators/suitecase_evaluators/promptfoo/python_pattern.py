"""Converts JavaScript regular expressions to Python if they certainly match the same."""

from __future__ import annotations

import re
from typing import Final

#: JavaScript's white space and line terminators, as parts of a character class in Python.
_SPACES: Final = r"\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_LINE_ENDS: Final = r"\n\r\u2028\u2029"
#: By the letter of an escape, its characters within a class.
_IN_CLASS: Final = {
    "d": "0-9",
    "w": "A-Za-z0-9_",
    "s": _SPACES,
    **{it: rf"\{it}" for it in "ntrfv"},
}
_TOKEN: Final = re.compile(
    r"""
    \\(?P<escape>[dDwWsSbBntrfv]|[^\w\s])
    | \[(?P<no>\^?)(?P<class>(?:\\[dwsntrfv]|\\[^\w\s]|[^\\\]\[&~|])+)\]
    | (?P<group>\((?:\?[:=!])?)
    | (?P<quantifier>(?:[*+?]|\{\d+(?:,\d*)?\})\??)
    | (?P<sign>[.^$|)])
    | (?P<literal>[^\\\[\](){}*+?.^$|\ud800-\udfff\U00010000-\U0010ffff])
    """,
    re.VERBOSE,
)
_OF_CLASS: Final = re.compile(r"\\(?P<escape>.)|(?P<sign>.)", re.DOTALL)


def python_pattern(pattern: str) -> str | None:
    """Return the Python equivalent of a JavaScript expression; None if it is not certain to be equivalent."""
    parts: list[str] = []
    at = 0
    repeats = True  # a quantifier may not follow here
    while at < len(pattern):
        token = _TOKEN.match(pattern, at)
        if token is None or (token["quantifier"] and repeats):
            return None
        at = token.end()
        parts.append(_written(token))
        ends_group = token[0] == ")"
        if ends_group and parts and _is_assertion(pattern[:at]):
            repeats = True  # JavaScript lets one that looks ahead be repeated, Python does not say the same
        else:
            repeats = bool(
                token["quantifier"]
                or token["group"]
                or (token["sign"] and token["sign"] not in ".)")
                or token["escape"] in ("b", "B")
            )
    converted = "".join(parts)
    try:
        re.compile(converted)
    except (re.error, OverflowError, RecursionError):
        return None
    return converted


def _written(token: re.Match[str]) -> str:
    if token["escape"]:
        return _escape(token["escape"])
    if token["class"]:
        return f"[{token['no']}{''.join(map(_in_class, _OF_CLASS.finditer(token['class'])))}]"
    return {".": f"[^{_LINE_ENDS}]", "$": r"\Z"}.get(token[0], token[0])


def _escape(sign: str) -> str:
    if sign in "bB":
        return rf"(?a:\{sign})"
    if sign in _IN_CLASS:
        return f"[{_IN_CLASS[sign]}]"
    return f"[^{_IN_CLASS[sign.lower()]}]" if sign in "DWS" else rf"\{sign}"


def _in_class(part: re.Match[str]) -> str:
    sign = part["escape"]
    if sign is None:
        return part["sign"]
    return _IN_CLASS.get(sign, rf"\{sign}")


def _is_assertion(text: str) -> bool:
    """Whether the group that ends a text looks ahead."""
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        if at and text[at - 1] == "\\":
            continue
        depth += (text[at] == ")") - (text[at] == "(")
        if depth == 0:
            return text[at : at + 3] in ("(?=", "(?!")
    return False
