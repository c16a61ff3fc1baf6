"""The lines that lead to a cursor, by their indentation alone: for texts that do not parse above it."""

from __future__ import annotations

import re

from suitecase.syntax.lines import LINE_BREAK

_LINE = re.compile(
    r"(?P<indent>\ufeff?[ ]*)(?P<dashes>(?:-[ ]+)*)(?P<key>[\w$-]+)[ \t]*:(?P<rest>.*)"
)
#: A value that ends on its line, whatever stands behind it.
_SIMPLE = re.compile(r"[ \t]+[\w./-]+(?:[ ][\w./-]+)*[ \t]*(?:[ \t]#.*)?")

#: Something other than a comment, an anchor or a tag.
_VALUE = re.compile(r"[ \t]+[^\s#&!]")


def outline(text: str, at: int) -> tuple[str, int] | None:
    """Return the keys above a cursor that its line stands under, with those beside them.

    What their values are is kept where it is a word or two, such as the `type` of an evaluator;
    everything else is left out, and so is all that follows the line.

    Returns:
        the text, and where in it the cursor is; None where a value begins on a line above and
        goes on to the cursor.
    """
    *lines, last = LINE_BREAK.split(text[:at])
    level, leads = _depth(last)
    kept = [last]
    for line in reversed(lines):
        found = _LINE.fullmatch(line)
        if found is None or found.start("key") > level:
            continue
        column = found.start("key")
        beside = column == level and not leads
        rest = found["rest"] if beside and _SIMPLE.fullmatch(found["rest"]) else ""
        if not beside and _VALUE.match(found["rest"]):
            return None
        kept.append(f"{found['indent']}{found['dashes']}{found['key']}:{rest}")
        leads = bool(found["dashes"])
        level = len(found["indent"]) if leads else column
    shown = "\n".join(reversed(kept))
    return shown, len(shown)


def _depth(line: str) -> tuple[int, bool]:
    """Return the column a line begins at, or its first dash, and whether there is one."""
    column = len(line) - len(line.lstrip("\ufeff "))
    return column, line[column : column + 2] in ("-", "- ")
