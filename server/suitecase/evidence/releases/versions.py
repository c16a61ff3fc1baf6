"""Versions of suites: which of two is the later one."""

from __future__ import annotations

import re

_PARTS = re.compile(r"\d+|[^\W\d_]+")
#: Words that come before the version they are of, as in `2.0-rc1`.
_EARLIER = ("dev", "alpha", "a", "beta", "b", "pre", "rc")


def is_later(version: str, than: str) -> bool:
    """Whether a version comes after another one: `2026.10` after `2026.9`, `2.0` after `2.0-rc1`."""
    return _key(version) > _key(than)


def _key(version: str) -> list[tuple[int, int, str]]:
    # Between words for what comes before (0) and numbers (2) is the end (1).
    key: list[tuple[int, int, str]] = []
    for part in _PARTS.findall(version.casefold()):
        if part.isdecimal():
            digits = part.lstrip("0")  # Python converts no number of thousands of digits
            key.append((2, len(digits), digits))
        else:
            key.append((0 if part in _EARLIER else 2, 0, part))
    return [*key, (1, 0, "")]
