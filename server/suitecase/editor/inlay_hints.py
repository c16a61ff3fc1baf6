"""Inlay hints for values that apply without being written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from suitecase.checking.rules.composite_weights import averaged
from suitecase.checking.rules.evaluator_lists import own_list
from suitecase.editor.answering import Answering, answering
from suitecase.editor.results import CaseResult, is_stale
from suitecase.editor.shares import Shares, share_label, shares_at
from suitecase.editor.verdicts import short
from suitecase.format.target_files import ParsedTargets
from suitecase.formats.suitecase.elements import ParsedEvaluator
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.lines import LINE_BREAK
from suitecase.text.node import Mapping as Tree
from suitecase.text.node import Node, Scalar, Sequence, Span, at
from suitecase_evaluators.answers.rubric import TOP
from suitecase_evaluators.schema.field_role import FieldRole

Path = tuple[str | int, ...]

_REQUIRED = "An answer that does not meet this fails the case. `required: false` lets it be missed."


@dataclass(frozen=True, slots=True, kw_only=True)
class HintKinds:
    """The kinds of hints to show.

    Attributes:
        defaults: `required`, for items that do not set it.
        weights: the share that results from a weight.
        judges: the target that will judge.
        targets: the target that answers, if a case inherits it.
        verdicts: the last result of a case.
        gates: what a gate came to in the last run.
        rows: in suites of other tools, how many rows tests make.
        inherited: in suites of other tools, what a test takes over from the default of all tests.
    """

    defaults: bool = True
    weights: bool = True
    judges: bool = True
    targets: bool = True
    verdicts: bool = True
    gates: bool = True
    rows: bool = True
    inherited: bool = True


@dataclass(frozen=True, slots=True)
class Hint:
    """A label at an offset of the document, and its tooltip."""

    offset: int
    label: str
    tooltip: str


def hints(
    suite: ParsedSuite,
    within: Span,
    kinds: HintKinds,
    results: Mapping[str, CaseResult],
    targets: ParsedTargets | None,
) -> list[Hint]:
    """Return the hints in a span of a suite, in order.

    Args:
        suite: the suite, as far as it parses.
        within: the span.
        kinds: the kinds of hints to return.
        results: the last result of each case, by id.
        targets: the targets file of the suite, if any.
    """
    found: list[Hint] = []
    document = suite.document
    common = answering(suite, None, targets)
    if suite.kind != "dataset" and suite.head.node is not None:
        part = _Part(suite, None, suite.head.node, suite.head.source, kinds, common)
        found += (
            Hint(document.head.offset(hint.offset, end=True), hint.label, hint.tooltip)
            for hint in part.hints()
        )
    numbers = document.cases.touching(within) if document.segmented else range(len(suite.cases))
    for number in numbers:
        case, piece = suite.cases[number], document.cases[number]
        node = case.node
        if node is None:
            continue
        place = piece.absolute(node.span)
        if place.end < within.start or within.end < place.start:
            continue
        asked = answering(suite, number, targets)
        part = _Part(suite, number, node, case.source, kinds, asked)
        at_id = [*_verdict(suite, number, results)] if kinds.verdicts else []
        found += (
            Hint(piece.offset(hint.offset, end=True), hint.label, hint.tooltip)
            for hint in (*at_id, *part.hints())
        )
    return sorted(
        (it for it in found if within.start <= it.offset <= within.end), key=lambda it: it.offset
    )


def _verdict(suite: ParsedSuite, number: int, results: Mapping[str, CaseResult]) -> Iterator[Hint]:
    own = suite.cases[number].id
    result = results.get(own.text) if own is not None else None
    if own is not None and result is not None:
        stale = is_stale(suite, number, result)
        tooltip = "The case has changed since it was run." if stale else "How the case did last."
        yield Hint(own.end, short(result, stale=stale), tooltip)


@dataclass(frozen=True, slots=True)
class _Part:
    """The head or a case, with the inputs of its hints; their offsets are in its text."""

    suite: ParsedSuite
    number: int | None
    node: Tree
    source: str
    kinds: HintKinds
    answering: Answering

    def hints(self) -> Iterator[Hint]:
        """Yield the hints of the part."""
        if self.number is not None:
            yield from self._inherited_target()
            yield from self._rubrics(("rubrics",))
        yield from self._unwritten_judge()
        listed = own_list(self.suite.head if self.number is None else self.suite.cases[self.number])
        if listed is None or not isinstance(listed.value, Sequence):
            return
        execution = self.node.get("execution")
        in_execution = isinstance(execution, Tree) and execution.get("evaluators") is listed.value
        path: Path = ("execution", "evaluators") if in_execution else ("evaluators",)
        yield from self._evaluators(listed.value, path)

    def _inherited_target(self) -> Iterator[Hint]:
        own = self.node.get("id")
        if self.kinds.targets and isinstance(own, Scalar) and self.answering.named_in == "suite":
            tooltip = "The target that answers, which the suite names for all its cases."
            yield Hint(own.end, f"answered by {self.answering.target}", tooltip)

    def _unwritten_judge(self) -> Iterator[Hint]:
        """Yield the judge of an implicit evaluator."""
        entry = self.node.entries.get(self._judged_key())
        if self.kinds.judges and entry is not None and not entry.merged:
            text = isinstance(entry.value, Scalar)
            # Between a key and its string, a hint would read as part of the string.
            yield self._judge(self._first_line(entry.value) if text else self._behind(entry.key))

    def _judged_key(self) -> str:
        """Return the key that implies a judge: rubrics, criteria, or the expected outcome."""
        head = self.suite.head.node
        mode = head.get("evaluation_mode") if head is not None else None
        if self.number is None:
            by_criteria = isinstance(mode, Scalar) and mode.text == "llm"
            return "evaluation_criteria" if by_criteria else ""
        rubrics = self.node.get("rubrics")
        if isinstance(rubrics, Sequence) and rubrics.items:
            return "rubrics"
        listed = (own_list(self.suite.cases[self.number]), own_list(self.suite.head))
        return "expected_outcome" if listed == (None, None) and mode is None else ""

    def _judge(self, offset: int) -> Hint:
        targets = self.answering
        tooltip = (
            f"`{targets.judge}` judges its own answers: it names no `judge_target`."
            if targets.judge == targets.target
            else f"`{targets.judge}` is asked to judge: it is the `judge_target` of `{targets.target}`."
        )
        return Hint(offset, f"judged by {targets.judge}", tooltip)

    def _rubrics(self, path: Path) -> Iterator[Hint]:
        node, _, taken = at(self.node, path)
        if taken < len(path) or not isinstance(node, Sequence):
            return
        shares = self._shares(path)
        for index, item in enumerate(node.items):
            if self._is_alias(item):
                continue
            if self.kinds.defaults:
                yield from self._required(item)
            yield from self._share(item, shares, index)

    def _required(self, item: Node) -> Iterator[Hint]:
        if isinstance(item, Scalar):
            yield Hint(self._first_line(item), "required", _REQUIRED)
        elif isinstance(item, Tree):
            required = item.entries.get("required")
            if "score_ranges" not in item:
                if required is None and item.entries:
                    yield Hint(self._first_line(item), "required", _REQUIRED)
            elif required is not None and "required_min_score" not in item and not required.merged:
                value = required.value
                if isinstance(value, Scalar) and value.value is True:
                    tooltip = "On an item with score ranges, `required: true` means the top score."
                    yield Hint(value.end, f"at least {TOP}", tooltip)

    def _evaluators(self, node: Sequence, path: Path) -> Iterator[Hint]:
        shares = self._shares(path)
        for index, item in enumerate(node.items):
            if self._is_alias(item) and shares is not None:
                yield from self._share_hint(item.end, shares, index)
            if not isinstance(item, Tree) or self._is_alias(item):
                continue
            evaluator_path = (*path, index)
            evaluator = ParsedEvaluator(item)
            yield from self._share(item, shares, index)
            if self.kinds.judges:
                yield from self._asked_judge(evaluator)
            yield from self._rubrics((*evaluator_path, "rubrics"))
            members = item.get("evaluators")
            if isinstance(members, Sequence):
                yield from self._evaluators(members, (*evaluator_path, "evaluators"))
                yield from self._named_weights(evaluator, evaluator_path)

    def _asked_judge(self, evaluator: ParsedEvaluator) -> Iterator[Hint]:
        config = evaluator.read()
        calls = evaluator.description.judge_calls(config) if config is not None else ()
        if not any(call.least and call.target is None for call in calls):
            return
        # Of a composite it is the aggregator that asks.
        asking = next(evaluator.holders(FieldRole.AGGREGATION_PROMPT), None)
        kind = (asking.node if asking is not None else evaluator.node).get("type")
        if isinstance(kind, Scalar) and not self._is_alias(kind):
            yield self._judge(kind.end)

    def _named_weights(self, evaluator: ParsedEvaluator, path: Path) -> Iterator[Hint]:
        members, weights = averaged(evaluator)
        shares = self._shares((*path, "evaluators"))
        if shares is None or weights is None:
            return
        for index, member in enumerate(members):
            entry = weights.entries.get(member.name.text) if member.name is not None else None
            if entry is not None and not entry.merged and not self._is_alias(entry.value):
                yield from self._share_hint(entry.value.end, shares, index)

    def _shares(self, path: Path) -> Shares | None:
        """Return the shares of a list, if any of them is not obvious."""
        if not self.kinds.weights:
            return None
        shares = shares_at(self.suite, self.number, self.node, path)
        return shares if shares is not None and shares.written and shares.total > 0 else None

    def _share(self, item: Node, shares: Shares | None, index: int) -> Iterator[Hint]:
        if shares is None or index in shares.elsewhere:
            return
        entry = item.entries.get("weight") if isinstance(item, Tree) else None
        has_weight = entry is not None and not entry.merged
        offset = entry.value.end if entry is not None and has_weight else self._first_line(item)
        yield from self._share_hint(offset, shares, index)

    def _share_hint(self, offset: int, shares: Shares, index: int) -> Iterator[Hint]:
        share = shares.of(index)
        weight = shares.weights[index]
        if share is not None and len(shares.weights) + (shares.beside > 0) > 1:
            tooltip = f"Weight {weight:g} of {shares.total:g} in all."
            yield Hint(offset, share_label(share), tooltip)

    def _is_alias(self, node: Node) -> bool:
        return self.source.startswith("*", node.start)

    def _first_line(self, item: Node) -> int:
        """Return the end of an item's own first line."""
        if isinstance(item, Tree):
            entries = [entry for _, entry in item if not entry.merged]
            first = min(entries, key=lambda it: it.key.start, default=None)
            if first is None:
                return item.start
            ends_there = "\n" not in self.source[first.key.start : first.value.end]
            return first.value.end if ends_there else self._behind(first.key)
        line_break = LINE_BREAK.search(self.source, item.start, item.end)
        return line_break.start() if line_break else item.end

    def _behind(self, key: Scalar) -> int:
        return key.end + self.source.startswith(":", key.end)
