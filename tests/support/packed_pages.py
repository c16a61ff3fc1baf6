"""What pages of many cases have in compressed parts."""

from __future__ import annotations

import zlib
from base64 import b64decode

from support.report_pages import Page


def unpacked(page: Page, name: str) -> bytes:
    """Return what an element with a compressed part has in it."""
    (tag,) = page.named("script", id=name)
    assert tag.attributes["type"] == "text/plain"
    return zlib.decompress(b64decode(tag.text), -zlib.MAX_WBITS)
