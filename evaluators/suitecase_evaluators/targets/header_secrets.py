"""The secrets in the headers of requests, by the names of the headers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

_SECRET = re.compile(r"auth|key|token|secret|cookie|password|credential", re.IGNORECASE)
_SCHEME = re.compile(r"(?:Bearer|Basic|Token|ApiKey)\s+", re.IGNORECASE)


def header_secrets(headers: Mapping[str, str]) -> Iterator[str]:
    """Yield the values of headers that authenticate, without the scheme before them."""
    for name, value in headers.items():
        if _SECRET.search(name):
            yield _SCHEME.sub("", str(value), count=1)
