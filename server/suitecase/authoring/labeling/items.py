"""What raters are asked about an answer, in words: the rubric items of an evaluator, or its verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from suitecase.evidence.labels.digests import text_digest
from suitecase.evidence.labels.items import Item, items_of
from suitecase.formats.suitecase.model import Case
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.schema.roles import key_with
from suitecase_evaluators.answers.rubric import TOP
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.grade.preference import REFERENCE
from suitecase_evaluators.grade.registry import description_of
from suitecase_evaluators.schema.field_role import FieldRole

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
        return tuple(str(number) for number in range(TOP + 1))


def sheet_items(suite: ParsedSuite, evaluator: str) -> Mapping[str, tuple[SheetItem, ...]]:
    """Return what raters are asked about the answers to each case that an evaluator grades, by case."""
    cases = {case.id.text: case.model for case in reversed(suite.cases) if case.id is not None}
    return {
        case: tuple(
            _sheet_item(name, it, suite, cases.get(case), evaluator) for name, it in items.items()
        )
        for case, items in items_of(suite, evaluator).items()
    }


def _sheet_item(
    name: str, item: Item, suite: ParsedSuite, case: Case | None, evaluator: str
) -> SheetItem:
    rubric = item.rubric
    if rubric is None:
        listed = _listed(suite, case)
        texts = (text for text in _texts(suite, case, listed) if text_digest(text) == item.wording)
        config = next((it for it in listed if it.name == evaluator), None)
        scale = _scale_of_verdict(config)
        return SheetItem(name, item.wording, "check", next(texts, "") or name, scale)
    anchors = [
        f"{low} to {high}: {text}" if low != high else f"{low}: {text}"
        for low, high, text in rubric.ranges
    ]
    criterion = rubric.expected_outcome or name
    return SheetItem(name, item.wording, item.mode, criterion, "\n".join(anchors) or CHECK_SCALE)


def _scale_of_verdict(config: EvaluatorConfig | None) -> str:
    """Return what the verdict of an evaluator means; None is a judge that no list names."""
    if config is None or not description_of(config).compares:
        return VERDICT_SCALE
    key = key_with(type(config), FieldRole.RESULTS)
    against = getattr(config, key) if key is not None else None
    other = f"answer in {against}" if against not in (None, REFERENCE) else "reference answer"
    return f"true: better than the {other}\nfalse: not better"


def _listed(suite: ParsedSuite, case: Case | None) -> list[EvaluatorConfig]:
    """Return the evaluators that a case lists, and those of the suite."""
    found: list[EvaluatorConfig] = []
    if case is not None:
        found += (case.execution.evaluators if case.execution else None) or case.evaluators or ()
    head = suite.head.model
    if head is not None:
        found += (head.execution.evaluators if head.execution else None) or ()
    return found


def _texts(
    suite: ParsedSuite, case: Case | None, listed: Iterable[EvaluatorConfig]
) -> Iterator[str]:
    """Yield the texts that an answer to a case may be judged by as a whole."""
    if case is not None:
        yield case.expected_outcome or ""
    if suite.head.model is not None:
        yield suite.head.model.evaluation_criteria or ""
    for config in listed:
        key = key_with(type(config), FieldRole.CRITERIA)
        text = getattr(config, key) if key is not None else None
        if isinstance(text, str):
            yield text
