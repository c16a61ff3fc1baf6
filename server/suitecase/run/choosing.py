"""Which cases of a suite are run: by id, by pattern, by tag, and by how they did last time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from suitecase.rule import nearest
from suitecase.run.earlier import FailedCases, failed_cases
from suitecase.run.protocol import Failed, RunRequest
from suitecase.suite.resolve import EffectiveCase, EffectiveSuite

#: So many cases are named where more might be.
NAMED_CASES = 8


def named(ids: Iterable[str], most: int = NAMED_CASES) -> str:
    """Return the names of cases as people read them; of many, the first ones."""
    listed = list(ids)
    rest = f" and {len(listed) - most:,} more" if len(listed) > most else ""
    return ", ".join(f"`{it}`" for it in listed[:most]) + rest


@dataclass(frozen=True, slots=True)
class Chosen:
    """The cases a request means, in the order of the suite.

    Attributes:
        choice: how they were chosen, for people; None where all are meant, or they were named.
        failed: what failed before, where that decides.
    """

    cases: tuple[EffectiveCase, ...]
    choice: str | None = None
    failed: FailedCases | None = None


def chosen_cases(suite: EffectiveSuite, request: RunRequest, shown: str) -> Chosen | Failed:
    """Return the cases a request means, or why there are none.

    Each way of choosing narrows what the others leave. Within one way, any match counts.

    Args:
        shown: the suite's path as its records have it.
    """
    cases = suite.cases
    if request.cases is not None:
        known = [case.id for case in cases]
        for name in request.cases:
            if name not in known:
                meant = nearest(name, known)
                hint = f"did you mean `{meant}`?" if meant else f"it has {named(known)}"
                return Failed(message=f"{shown} has no case `{name}`; {hint}", kind="usage")
        cases = tuple(case for case in cases if case.id in request.cases)
    failed: FailedCases | None = None
    ways: list[str] = []
    if request.filters:
        ways.append("an id like " + " or ".join(f"`{it}`" for it in request.filters))
        cases = tuple(
            it for it in cases if any(fnmatchcase(it.id, glob) for glob in request.filters)
        )
    if request.tags:
        ways.append("the tag " + " or ".join(f"`{it}`" for it in request.tags))
        wanted = frozenset(request.tags)
        cases = tuple(it for it in cases if not wanted.isdisjoint(it.case.tags or ()))
    if request.failed_in is not None:
        failed = failed_cases(Path(request.failed_in), shown)
        if failed is None:
            return Failed(
                message=f"{shown} has no results in {request.failed_in}, so nothing is known to "
                "have failed; run it without --failed first",
                kind="unchosen",
            )
        ways.append(f"a last result in {failed.path} that is no pass")
        cases = tuple(it for it in cases if it.id in failed.cases)
    if not ways:
        return Chosen(cases)
    how = " and ".join(ways)
    if not cases:
        hint = f"; it has {named(it.id for it in suite.cases)}" if request.filters else ""
        if request.tags and not request.filters:
            tags = dict.fromkeys(tag for it in suite.cases for tag in it.case.tags or ())
            hint = f"; its tags are {named(tags)}" if tags else "; its cases have no tags"
        return Failed(message=f"{shown} has no case with {how}{hint}", kind="unchosen")
    count = f"{len(cases):,} of {len(suite.cases):,}"
    choice = f"{shown}: chosen {count} cases, with {how}: {named(it.id for it in cases)}"
    return Chosen(cases, choice, failed)
