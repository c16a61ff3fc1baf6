"""What is lacking, written where it has to stand: an entry of a mapping, words at a text's end."""

from __future__ import annotations

import re

from suitecase.format.rewriting.lines import added_before, apply, as_written, newline
from suitecase.format.rule import Edit
from suitecase.text.compose import compose
from suitecase.text.document import Content
from suitecase.text.node import Mapping, Scalar, Span

_BLOCK = re.compile(r"[|>][-+]?[ \t]*(?:#[^\r\n]*)?\r?\n(?:[ \t]*\r?\n)*(?P<lead> +)")


def entry_added(
    content: Content, mapping: Mapping, line: str, *, second: bool = False
) -> Edit | None:
    """Write an entry at the start of a mapping.

    Args:
        content: the part the mapping stands in.
        mapping: where it goes.
        line: the entry, as `key: value` of two texts.
        second: it goes behind the first entry, which says what this is.
    """
    entries = [it for it in mapping.entries.values() if not it.merged]
    if not entries:
        return None
    entry = entries[1] if second and len(entries) > 1 else entries[0]
    written = as_written(content.node, entry.key)
    if written is None:
        return None
    return added_before(content.text, written, entry, line)


def words_added(source: str, text: Scalar, words: str, gap: str = " ") -> Edit | None:
    """Write words at the end of a text, on a line of their own where it has lines.

    None where they would not be read as part of it.
    """
    if text.style in ("'", '"'):
        edit = Edit(Span(text.end - 1, text.end - 1), f"{gap}{words}")
    elif text.style in ("|", ">"):
        lead = _BLOCK.match(source, text.start)
        if lead is None:
            return None
        edit = Edit(Span(text.end, text.end), f"{newline(source)}{lead['lead']}{words}")
    elif text.style or text.end <= text.start:
        return None
    else:
        edit = Edit(Span(text.end, text.end), f"{gap}{words}")
    made = compose(apply(source, (edit,)))
    return None if made.broken or made.problems else edit
