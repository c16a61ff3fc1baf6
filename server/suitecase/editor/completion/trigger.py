"""Whether something can begin at a cursor: an editor should not open a list where nothing can."""

from __future__ import annotations

import re

from suitecase.editor.completion.context import Context
from suitecase.editor.completion.cursor import is_open_quote, line_start

#: Spaces followed by text.
_GOES_ON = re.compile(r"[ \t]+[^ \t\r\n]")


def adopts(context: Context) -> bool:
    """Whether a key here would take over lines below that belong to another key."""
    return context.shape == "key" and not context.typed


def touches(context: Context) -> bool:
    """Whether the cursor is directly followed by text that is not part of its word."""
    next_character = context.text[context.span.end : context.span.end + 1]
    return context.span.start == context.span.end and next_character not in (*" \t\r\n,]}\"'#:", "")


def is_unwanted(text: str, offset: int, trigger: str) -> bool:
    """Whether nothing can begin here, or the typed trigger character begins nothing.

    An editor should not open a list then.
    """
    before = text[line_start(text, offset) : offset]
    if not before.strip(" \ufeff") and _GOES_ON.match(text, offset):
        return True  # in the spaces before existing text
    match trigger:
        case " ":
            return re.search(r"(?:^[ ]*|[ ])-[ ]$|[:,\[{][ ]$", before) is None
        case '"' | "'":
            return not is_open_quote(before)
        case "(" | ".":
            return True  # see `_may_be_formula`
        case _:
            return False
