"""Keeps large pages for a while, since going back to one should not take seconds again."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field

#: How long a page is kept, in seconds, and how many bytes of pages are.
_KEPT = 120.0
_MOST_BYTES = 30_000_000


@dataclass(slots=True)
class PageCache:
    """The slow pages that somebody has looked at last, by whatever they depend on.

    Attributes:
        slow: a page that takes less time, in seconds, is made again: it may also depend on its suite,
            which somebody may be editing.
    """

    slow: float = 0.5
    _pages: OrderedDict[str, tuple[float, bytes]] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def find(self, key: str) -> bytes | None:
        """Return a page that was made a short time ago."""
        with self._lock:
            made, page = self._pages.get(key, (0.0, b""))
            return page if page and time.monotonic() - made < _KEPT else None

    def kept(self, key: str, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """Yield a page piece by piece, and keep it if it is slow to make and whole."""
        began = time.monotonic()
        whole = bytearray()
        spent = 0.0
        for piece in pieces:
            # The time that the browser takes for a piece does not count.
            spent += time.monotonic() - began
            if len(whole) <= _MOST_BYTES:
                whole += piece
            yield piece
            began = time.monotonic()
        if spent >= self.slow and len(whole) <= _MOST_BYTES:
            self._keep(key, bytes(whole))

    def _keep(self, key: str, page: bytes) -> None:
        with self._lock:
            self._pages.pop(key, None)
            self._pages[key] = (time.monotonic(), page)
            while sum(len(it) for _, it in self._pages.values()) > _MOST_BYTES:
                self._pages.popitem(last=False)
