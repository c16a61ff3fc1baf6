"""Names that gates share with the evaluators, rubrics and tags of a whole suite."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from suitecase.editor.index.occurrence import FIGURES, Scope
from suitecase.editor.index.summary import Found, Summary
from suitecase.schema.key_roles import Kind

#: What has one name in the whole suite.
OF_SUITE = (Kind.METRIC, Kind.SLICE, Kind.TAG)
#: What gates and metrics can name.
GATED = (*OF_SUITE, Kind.EVALUATOR, Kind.RUBRIC)


def linked_by_gates(
    kind: Kind, name: str, scopes: Collection[Scope], files: list[Summary]
) -> Iterator[tuple[Summary, Found]]:
    """Yield what must have the same name, since a gate is about all of them together.

    From gates: the evaluators, rubrics or members that they are about. From these: the gates.

    Args:
        kind: the kind of the name.
        name: the name.
        scopes: its scopes.
        files: the files of the suite.
    """
    for scope in scopes:
        if scope[:1] == FIGURES:
            owner = scope[1] if len(scope) > 1 else None
            for summary in files:
                yield from ((summary, it) for it in _measured(summary, name, owner))
    owners = {
        it.occurrence.owner
        for summary in files
        for it in _measured_by_kind(summary, kind, name)
        if it.scope in scopes
    }
    for summary in files if owners else ():
        for found in (*summary.named(Kind.EVALUATOR, name), *summary.named(Kind.RUBRIC, name)):
            if found.occurrence.formula is not None and found.occurrence.owner in owners:
                yield summary, found


def _measured(summary: Summary, name: str, owner: object) -> Iterator[Found]:
    """Yield the definitions of what a figure is about."""
    kinds = (Kind.EVALUATOR,) if owner is None else (Kind.EVALUATOR, Kind.RUBRIC)
    for kind in kinds:
        for it in _measured_by_kind(summary, kind, name):
            if it.occurrence.owner == owner:
                yield it


def _measured_by_kind(summary: Summary, kind: Kind, name: str) -> Iterator[Found]:
    """Yield the definitions of a name that can be part of a figure: members of members cannot."""
    for it in summary.named(kind, name):
        depth = sum(isinstance(step, int) for step in it.occurrence.scope)
        if it.occurrence.defines and depth <= (it.occurrence.owner is not None):
            yield it
