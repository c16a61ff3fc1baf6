"""The source text of a list or a mapping: equal source texts mean the same, wherever they are.

Cases are often written by copying, so that hundreds of them have the same evaluators.
"""

from __future__ import annotations

import re

from suitecase.text.document import Content
from suitecase.text.node import Mapping, Sequence

#: The column of the first character, and the text with the whitespace after it.
WrittenForm = tuple[int, str]

#: Whitespace after the text decides how a block scalar ends: `|` and `|+`.
_BLANKS = re.compile(r"\s*")


def written_form(content: Content, node: Mapping | Sequence) -> WrittenForm | None:
    """Return the source text of a list or a mapping; None if its meaning may depend on another place.

    Args:
        content: the text that it is part of.
        node: the tree as it was parsed, not a derived one.
    """
    if content.anchor_names:
        return None
    text, start = content.text, node.start
    blanks = _BLANKS.match(text, node.end)
    end = blanks.end() if blanks is not None else node.end
    # Its indentation counts from that column.
    return start - text.rfind("\n", 0, start), text[start:end]
