"""What is not written and yet holds, shown where it would be written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from suitecase.ide.answering import answering
from suitecase.ide.results import CaseResult, is_stale
from suitecase.ide.shares import Shares, percent, shares_at
from suitecase.ide.verdicts import short
from suitecase.rules.evaluator_lists import own_list
from suitecase.suite.elements import WrittenEvaluator, WrittenEvaluators
from suitecase.suite.target_files import WrittenTargets
from suitecase.suite.written import WrittenSuite
from suitecase.syntax.node import Mapping as Tree
from suitecase.syntax.node import Node, Scalar, Sequence, Span
from suitecase_evaluators.rubric import TOP

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HintKinds:
    """Which kinds of hints are shown.

    Attributes:
        defaults: `required`, where an item does not say whether it is.
        weights: the share that a weight comes to.
        judges: the target that will be asked to judge.
        targets: the target that answers, where a case inherits it.
        verdicts: how a case did last.
    """

    defaults: bool = True
    weights: bool = True
    judges: bool = True
    targets: bool = True
    verdicts: bool = True


@dataclass(frozen=True, slots=True)
class Hint:
    """A text behind an offset of the document, and more to say about it."""

    offset: int
    label: str
    tooltip: str


def hints(
    suite: WrittenSuite,
    within: Span,
    kinds: HintKinds,
    results: Mapping[str, CaseResult],
    targets: WrittenTargets | None,
) -> list[Hint]:
    """Return the hints of a stretch of a suite, in the order they stand.

    Args:
        suite: the suite, as far as it can be read.
        within: only what stands here is looked at.
        kinds: which hints are wanted.
        results: the last result of each case, by its id.
        targets: the targets file that holds for the suite, if there is one.
    """
    found: list[Hint] = []
    document = suite.document
    if suite.kind != "dataset" and suite.head.node is not None:
        part = _Part(suite, None, suite.head.node, suite.head.source, kinds, targets)
        found += (
            Hint(document.head.offset(it.offset, end=True), it.label, it.tooltip)
            for it in part.hints()
        )
    for number, (case, piece) in enumerate(zip(suite.cases, document.cases, strict=True)):
        node = case.node
        if node is None:
            continue
        place = piece.absolute(node.span)
        if place.end < within.start or within.end < place.start:
            continue
        part = _Part(suite, number, node, case.source, kinds, targets)
        at_id = [*_verdict(suite, number, results)] if kinds.verdicts else []
        found += (
            Hint(piece.offset(it.offset, end=True), it.label, it.tooltip)
            for it in (*at_id, *part.hints())
        )
    return sorted(
        (it for it in found if within.start <= it.offset <= within.end), key=lambda it: it.offset
    )


def _verdict(
    suite: WrittenSuite, number: int, results: Mapping[str, CaseResult]
) -> Iterator[Hint]:
    own = suite.cases[number].id
    result = results.get(own.text) if own is not None else None
    if own is not None and result is not None:
        stale = is_stale(suite, number, result)
        told = "The case has changed since it was run." if stale else "How the case did last."
        yield Hint(own.end, short(result, stale=stale), told)


@dataclass(frozen=True, slots=True)
class _Part:
    """The head or a case, with what its hints follow from."""

    suite: WrittenSuite
    number: int | None
    node: Tree
    source: str
    kinds: HintKinds
    targets: WrittenTargets | None

    def hints(self) -> Iterator[Hint]:
        """Yield the hints of the part, with offsets in its text."""
        if self.number is not None:
            yield from self._target()
            yield from self._of_rubrics(("rubrics",))
            yield from self._implied_judge()
        listed = own_list(self.suite.head if self.number is None else self._case)
        if listed is None:
            return
        execution = self.node.get("execution")
        in_execution = isinstance(execution, Tree) and execution.get("evaluators") is listed.value
        path: Path = ("execution", "evaluators") if in_execution else ("evaluators",)
        yield from self._of_evaluators(listed.value, path)

    @property
    def _case(self):  # type: ignore[no-untyped-def]
        assert self.number is not None
        return self.suite.cases[self.number]
