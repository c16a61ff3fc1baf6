"""Findings of one kind in one file, which people read once.

A generator that makes one mistake makes it in each of thousands of cases. Formats for programs have
every finding.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from suitecase.cli.checking.findings import FileFindings
from suitecase.format.rule import Finding, Severity
from suitecase.text.shell_words import shell_word

#: As many with the same message are each shown, and as many whose messages differ in names and numbers.
MOST_EQUAL, MOST_ALIKE = 5, 10
#: So many places are named of more.
_PLACES = 3
#: What differs between messages of one kind: names and numbers.
_PARTICULAR = re.compile(r"`[^`]*`|\d[\d,.]*")


@dataclass(frozen=True, slots=True)
class Alike:
    """A finding, and how many there are of its kind in the file.

    Attributes:
        first: the first of them.
        all: all of them, in the order of the file; only the first if they are few.
    """

    first: Finding
    all: Sequence[Finding]

    def places(self, file: FileFindings) -> str | None:
        """Return the number of findings and the first places; None of a single one."""
        if len(self.all) == 1:
            return None
        places = [file.place(it.span) for it in self.all[:_PLACES]]
        named = ", ".join(f"{place.line}:{place.column}" for place in places)
        return f"{len(self.all):,} like this in the file, at {named} and {len(self.all) - _PLACES:,} more places"


def alike(findings: Sequence[Finding]) -> list[Alike]:
    """Return findings of a file in their order; of many of one kind, the first for all."""
    if len(findings) <= MOST_EQUAL:
        return [Alike(finding, (finding,)) for finding in findings]
    equal, others = _split(findings, lambda it: it.message, MOST_EQUAL)
    kinds, single = _split(others, lambda it: _PARTICULAR.sub("", it.message), MOST_ALIKE)
    by_first = {id(kind[0]): kind for kind in (*equal, *kinds, *((it,) for it in single))}
    return [
        Alike(finding, by_first[id(finding)]) for finding in findings if id(finding) in by_first
    ]


def _split(
    findings: Sequence[Finding], key: Callable[[Finding], str], most: int
) -> tuple[list[list[Finding]], list[Finding]]:
    """Return the groups of one rule and key with more than `most` findings, and all other findings."""
    groups: dict[tuple[str, Severity, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.code, finding.severity, key(finding)), []).append(finding)
    large = [group for group in groups.values() if len(group) > most]
    others = [it for group in groups.values() if len(group) <= most for it in group]
    return large, others


def how_to_see_all(file: FileFindings) -> str:
    """Return the command that lists each finding of a file."""
    return f"`suitecase check --format concise {shell_word(file.shown)}` lists each"
