"""Findings that are known: what a tree had when it took Suitecase up, so that only new ones show.

A finding is recognized by its file, its rule, its case and the text of its line, not by the number
of the line, so that it stays known where text is added above it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

VERSION = 1


class Fingerprint(NamedTuple):
    """What a finding is recognized by.

    `file` has slashes and is relative to the workspace; `case` is the id of the case, empty
    outside of one; `line` is the text of the line it starts on, with its blanks made one, or the
    message where that line is empty.
    """

    file: str
    code: str
    case: str
    line: str

    @property
    def digest(self) -> str:
        """A short name for it, the same on every machine."""
        from hashlib import sha256

        return sha256("\0".join(self).encode("utf-8", "replace")).hexdigest()[:32]


class BaselineError(Exception):
    """A text that is no baseline, and why."""


@dataclass(frozen=True, slots=True)
class Known:
    """A baseline: how often each finding is known."""

    counts: Counter[Fingerprint]

    def to_text(self) -> str:
        """Return the baseline as it is written: sorted, so that its changes are small."""
        import json

        rows = [
            {**fingerprint._asdict(), "count": number}
            for fingerprint, number in sorted(self.counts.items())
        ]
        return (
            json.dumps({"version": VERSION, "findings": rows}, indent=2, ensure_ascii=False) + "\n"
        )


def known_from(found: Iterable[Fingerprint]) -> Known:
    """Return the baseline of some findings."""
    return Known(Counter(found))


def read_known(text: str) -> Known:
    """Read a baseline.

    Raises:
        BaselineError: the text is none.
    """
    import json

    try:
        written = json.loads(text)
    except ValueError as error:
        raise BaselineError(f"it is not JSON: {error}") from None
    if not isinstance(written, dict) or not isinstance(written.get("findings"), list):
        raise BaselineError("it has no list of `findings`")
    if written.get("version") != VERSION:
        raise BaselineError(f"its version is {written.get('version')!r}; {VERSION} is known")
    counts: Counter[Fingerprint] = Counter()
    for number, row in enumerate(written["findings"], 1):
        if not isinstance(row, dict):
            raise BaselineError(f"finding {number} is no mapping")
        parts = [row.get(name) for name in Fingerprint._fields]
        count = row.get("count", 1)
        if not all(isinstance(it, str) for it in parts) or type(count) is not int or count < 1:
            raise BaselineError(f"finding {number} lacks one of {', '.join(Fingerprint._fields)}")
        counts[Fingerprint(*map(str, parts))] += count
    return Known(counts)
