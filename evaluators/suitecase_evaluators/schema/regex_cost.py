"""How long searches by a regular expression take: some surely for ever, others perhaps for long.

Each question errs on its own side. `nested_repetition` warns people, so it finds only what surely
takes exponential time: `(a+)+b` splits a run of `a` in every possible way before it gives up. That is
a group repeated without end, whose content is one repetition without end and else nothing that must
match, followed by something that may not match. `may_take_long` says where a search needs a process
that can be stopped, so it is sure of those that do not, and holds for all that the other one finds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_QUANTIFIER = re.compile(r"(?:[*+?]|\{(?P<low>\d*+)(?P<comma>,?)(?P<high>\d*+)\})(?P<mode>[?+]?)")
_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
_COMMENT = re.compile(r"\(\?#[^)]*\)")
_GROUP = re.compile(r"\((?:\?(?:P<\w+>|[aiLmsux-]*:|(?P<look><?[=!])|(?P<atomic>>)))?")
#: Flags in which blanks or letters mean something else; such expressions are left alone.
_UNREAD = re.compile(r"\(\?(?:[a-zA-Z-]*x|P=|\()")
#: Steps a search may take at worst to be done at once: well below a tenth of a second.
STEPS_AT_ONCE = 2_000_000


@dataclass(slots=True)
class _Piece:
    """A piece of an expression: what it matches, and how often."""

    start: int
    end: int
    #: The alternatives of a group, each a row of pieces; empty for a character.
    rows: list[list[_Piece]] = field(default_factory=list)
    #: Whether the piece takes up characters; an anchor or a look-around does not.
    wide: bool = True
    optional: bool = False
    endless: bool = False
    #: Whether what was matched is never tried otherwise.
    final: bool = False

    @property
    def nullable(self) -> bool:
        """Whether the piece matches everywhere."""
        if not self.wide:
            return False
        return self.optional or any(all(it.nullable for it in row) for row in self.rows)


def nested_repetition(pattern: str) -> tuple[int, int] | None:
    """Return where a repetition within a repetition takes exponential time, or None.

    Args:
        pattern: an expression that compiles; of others nothing is said.
    """
    if _UNREAD.search(pattern) or len(pattern) > 10_000:
        return None
    row, at = _row(pattern, 0, 0)
    if at != len(pattern):
        return None
    return _search([row], needed=False)


def _search(rows: list[list[_Piece]], *, needed: bool) -> tuple[int, int] | None:
    """Look through rows; `needed` says that something behind them may not match."""
    for row in rows:
        for number, piece in enumerate(row):
            after = needed or any(not it.nullable for it in row[number + 1 :])
            if piece.endless and not piece.final and after and _runs_together(piece):
                return piece.start, piece.end
            inside = None if piece.final else _search(piece.rows, needed=after)
            if inside is not None:
                return inside
    return None


def _runs_together(piece: _Piece) -> bool:
    """Whether a group is one endless repetition and else only what may be left out."""
    for row in piece.rows:
        for number, element in enumerate(row):
            others = [*row[:number], *row[number + 1 :]]
            if element.wide and not element.final and all(other.nullable for other in others):
                if element.endless and (not element.rows or not element.nullable):
                    return True
                if element.rows and not element.optional and _runs_together(element):
                    return True
    return False


def _row(pattern: str, at: int, depth: int) -> tuple[list[_Piece], int]:
    """Read alternatives up to the end of their group; several become one piece."""
    rows: list[list[_Piece]] = [[]]
    start = at
    while at < len(pattern) and pattern[at] != ")" and depth < 50:
        if pattern[at] == "|":
            rows.append([])
            at += 1
            continue
        if comment := _COMMENT.match(pattern, at):
            at = comment.end()
            continue
        piece, at = _piece(pattern, at, depth)
        rows[-1].append(piece)
    if len(rows) == 1:
        return rows[0], at
    return [_Piece(start, at, rows)], at


def _piece(pattern: str, at: int, depth: int) -> tuple[_Piece, int]:
    start = at
    char = pattern[at]
    piece = _Piece(start, at + 1)
    if char == "(":
        opening = _GROUP.match(pattern, at)
        row, at = _row(pattern, opening.end() if opening else at + 1, depth + 1)
        piece = _Piece(start, at + 1, [row], wide=not (opening and opening["look"]))
        piece.final = bool(opening and opening["atomic"])
        at += 1
    elif char == "[" and (found := _CLASS.match(pattern, at)):
        at = found.end()
    elif char == "\\":
        piece.wide = pattern[at + 1 : at + 2] not in tuple("bBAZz")
        at += 2
    else:
        piece.wide = char not in "^$"
        at += 1
    quantifier = _QUANTIFIER.match(pattern, at)
    if quantifier is not None and quantifier.group() not in ("{}", "{,}"):
        counted = quantifier["comma"] is not None
        low = quantifier["low"] if counted else {"*": "0", "?": "0"}.get(pattern[at], "1")
        piece.optional = int(low or 0) == 0
        piece.endless = pattern[at] in "*+" or (
            counted and bool(quantifier["comma"]) and not quantifier["high"]
        )
        piece.final = piece.final or quantifier["mode"] == "+"
        at = quantifier.end()
    piece.end = at
    return piece, at


def may_take_long(pattern: str, length: int) -> bool:
    """Say whether a search in a text of that length may take more than `STEPS_AT_ONCE`.

    A bound from above: each repetition, and the start of the match, may try every place of the
    text; each `?` doubles the ways; a repetition of a group or a reference to one has no bound.
    """
    if re.search(r"\)[*+{]|\\[\dk]|\(\?P=", pattern):
        return True
    repetitions = len(re.findall(r"[*+{]", pattern))
    options = pattern.count("?") + pattern.count("|")
    worst: int = max(length, 2) ** (repetitions + 1) * 2**options
    return worst > STEPS_AT_ONCE
