"""How a list or a mapping is written: what is written the same means the same, wherever it stands.

Cases are often written by copying, so that hundreds of them have the same evaluators.
"""

from __future__ import annotations

import re

from suitecase.syntax.document import Content
from suitecase.syntax.node import Mapping, Sequence

#: The column of the first character, and the text with the blanks behind it.
WrittenForm = tuple[int, str]

#: They decide how a block of text ends: `|` and `|+`.
_BLANKS = re.compile(r"\s*")


def written_form(content: Content, node: Mapping | Sequence) -> WrittenForm | None:
    """Return how a list or a mapping is written; None where another place may decide what it means.

    Args:
        content: the text that it is part of.
        node: the tree as it was parsed, not one that is derived from that.
    """
    if content.anchor_names:
        return None
    text, start = content.text, node.start
    blanks = _BLANKS.match(text, node.end)
    end = blanks.end() if blanks is not None else node.end
    # The indentation of its lines counts from there.
    return start - text.rfind("\n", 0, start), text[start:end]
