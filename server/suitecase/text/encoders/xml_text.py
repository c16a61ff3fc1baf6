"""Texts in XML 1.0."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, quoteattr

from suitecase.text.encoders.visible import visible

#: What XML 1.0 cannot hold, not even escaped, and `visible` leaves.
_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def attribute(text: str) -> str:
    """Return a text as the value of an attribute, in quotes."""
    return quoteattr(_writable(text), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def content(text: str) -> str:
    """Return a text as what stands in an element."""
    return escape(_writable(text))


def _writable(text: str) -> str:
    return _UNWRITABLE.sub("\ufffd", visible(text))
