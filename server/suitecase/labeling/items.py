"""What raters are asked about an answer, in words: the rubric items of an evaluator, or its verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from suitecase.suite.labels.digests import text_digest
from suitecase.suite.labels.items import Item, items_of
from suitecase.suite.model import Case
from suitecase.suite.parsed import ParsedSuite
from suitecase_evaluators.criteria import CriteriaConfig
from suitecase_evaluators.evaluator import EvaluatorConfig
from suitecase_evaluators.rubric import TOP

CHECK_SCALE = "true: met\nfalse: not met"
VERDICT_SCALE = "true: good\nfalse: not good"


@dataclass(frozen=True, slots=True)
class SheetItem:
    """An item that raters give a value.

    Attributes:
        id: the id of the rubric item, or `verdict`.
        wording: the digest of its wording.
        mode: `check` for true or false, `range` for a score.
        criterion: what is asked.
        scale: the values, and what they mean.
    """

    id: str
    wording: str
    mode: Literal["check", "range"]
    criterion: str
    scale: str

    @property
    def values(self) -> tuple[str, ...]:
        """The values as raters write them."""
        if self.mode == "check":
            return ("true", "false")
        return tuple(str(it) for it in range(TOP + 1))


def sheet_items(suite: ParsedSuite, evaluator: str) -> Mapping[str, tuple[SheetItem, ...]]:
    """Return what raters are asked about the answers to each case that an evaluator grades, by case."""
    cases = {it.id.text: it.model for it in reversed(suite.cases) if it.id is not None}
    return {
        case: tuple(_sheet_item(name, it, suite, cases.get(case)) for name, it in items.items())
        for case, items in items_of(suite, evaluator).items()
    }


def _sheet_item(name: str, item: Item, suite: ParsedSuite, case: Case | None) -> SheetItem:
    rubric = item.rubric
    if rubric is None:
        texts = (it for it in _texts(suite, case) if text_digest(it) == item.wording)
        return SheetItem(name, item.wording, "check", next(texts, ""), VERDICT_SCALE)
    anchors = [
        f"{low} to {high}: {text}" if low != high else f"{low}: {text}"
        for low, high, text in rubric.ranges
    ]
    criterion = rubric.expected_outcome or name
    return SheetItem(name, item.wording, item.mode, criterion, "\n".join(anchors) or CHECK_SCALE)


def _texts(suite: ParsedSuite, case: Case | None) -> Iterator[str]:
    """Yield the texts that an answer to a case may be judged by as a whole."""
    head = suite.head.model
    listed: list[EvaluatorConfig] = []
    if case is not None:
        yield case.expected_outcome or ""
        listed += case.evaluators or ()
        listed += (case.execution.evaluators if case.execution else None) or ()
    if head is not None:
        yield head.evaluation_criteria or ""
        listed += (head.execution.evaluators if head.execution else None) or ()
    yield from (it.criteria for it in listed if isinstance(it, CriteriaConfig))
