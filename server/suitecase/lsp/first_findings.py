"""Where the first cases of a long text end.

Reading 10,000 cases takes seconds. What is found in the first ones is known before that, since a case
and its suite's head are all that the findings in a case depend on.
"""

from __future__ import annotations

from bisect import bisect_right

from suitecase.format.case_list_keys import CASE_LIST_KEYS
from suitecase.text.segment import split

#: Shorter texts, in characters, are read at once.
LONG = 500_000
#: The first cases are those that end within so many characters, which are read in a moment.
FIRST = 100_000


def beginning(text: str) -> str | None:
    """Return a suite's text without the cases behind its first ones; None where that is unsafe.

    What follows the list of cases stays: how a case is read may depend on it.
    """
    parts = split(text, CASE_LIST_KEYS)
    if parts is None or not parts.proven:
        return None
    after = bisect_right(parts.items, FIRST) - 1
    if after < 1:
        return None
    return text[: parts.items[after]] + text[parts.end :]


def beginning_of_lines(text: str) -> str | None:
    """Return the first lines of a data set; None if its first one is long."""
    end = text.rfind("\n", 0, FIRST) + 1
    return text[:end] or None
