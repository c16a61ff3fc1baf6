"""What the gates of a suite came to in its last whole run, for hints, diagnostics, lenses and tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from suitecase.editor.grading_hashes import grading_fingerprint
from suitecase.editor.inlay_hints import Hint
from suitecase.editor.results import DecidedGates, DocumentResults, is_stale
from suitecase.figures.decision import Decision, Outcome
from suitecase.figures.figures_file import decisions_of
from suitecase.figures.gate_words import counts_text, label_of, named, value_of
from suitecase.figures.gates.names import SuiteFigures, has_figures, suite_figures
from suitecase.figures.gates.written import WrittenGate, gates_of
from suitecase.figures.wording import short_figure
from suitecase.format.rule import Related, Severity
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.cache import Cache
from suitecase.text.node import Mapping, Node, Span
from suitecase.text.plural import counted

#: As many cases are related to a gate's diagnostic.
_MOST_RELATED = 20
_WORST_FIRST = (Outcome.FAILS, Outcome.UNDECIDED, Outcome.REHEARSED, Outcome.HOLDS)


@dataclass(frozen=True, slots=True)
class GateResult:
    """A gate of a suite with what was decided about it: one decision for each target.

    `span` is its text's in the document.
    """

    gate: WrittenGate
    span: Span
    decisions: tuple[Decision, ...]
    stale: bool

    @property
    def outcome(self) -> Outcome:
        """The worst of its outcomes."""
        found = {decision.outcome for decision in self.decisions}
        return next(outcome for outcome in _WORST_FIRST if outcome in found)


def restored_gates(
    suite: ParsedSuite,
    results: DocumentResults,
    decisions: tuple[Decision, ...],
    at: datetime,
) -> DecidedGates:
    """Return decisions of an earlier session; they are stale if the results of any case are."""
    current = all(
        (result := results.last.get(name)) is not None
        and result.at <= at
        and (number := suite.case_named(name)) is not None
        and not is_stale(suite, number, result)
        for name in suite.case_ids
    )
    return DecidedGates(decisions, at, grading_fingerprint(suite) if current else None)


def gate_results(suite: ParsedSuite, results: DocumentResults) -> Iterator[GateResult]:
    """Yield the gates of a suite about which something was decided, in their order."""
    decided = results.gates
    if decided is None or suite.kind != "suite" or not has_figures(suite):
        return
    stale = decided.is_stale(suite)
    for gate in _gates(suite):
        decisions = decisions_of(decided.decisions, gate.node.text)
        if decisions:
            yield GateResult(gate, suite.head_place(gate.node.span), decisions, stale)


def _gates(suite: ParsedSuite) -> list[WrittenGate]:
    """Return the gates of a suite; they depend on its head alone."""
    return _GATES.of(suite.head.content, gates_of, suite.head)


_GATES: Cache[list[WrittenGate]] = Cache()


def hint_text(result: GateResult) -> str:
    """Return the hint after a gate: `0.88 [0.83, 0.92] · holds`."""
    several = len(result.decisions) > 1
    texts = []
    for decision in result.decisions:
        measured = short_figure(decision.figure) if decision.figure is not None else "not measured"
        target = f"{decision.target}: " if several else ""
        texts.append(f"{target}{measured} · {label_of(decision).lower()}")
    return " | ".join(texts) + (" (stale)" if result.stale else "")


def explained(decision: Decision) -> str:
    """Return what was measured, why the gate came out so, and what it would take."""
    parts = [value_of(decision), decision.reason, decision.needed]
    if decision.cases:
        parts.append(f"cases that count against it: {named(decision.cases, decision.more_cases)}")
    if decision.missing_cases:
        parts.append(f"cases with missing answers: {named(decision.missing_cases)}")
    if decision.why:
        parts.append(f"the reason for the threshold: {decision.why}")
    return "; ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class GateMark:
    """A gate that does not hold; `related` are the cases that count against it."""

    span: Span
    severity: Severity
    outcome: Outcome
    message: str
    related: tuple[Related, ...]


def gate_marks(suite: ParsedSuite, results: DocumentResults) -> Iterator[GateMark]:
    """Yield marks of gates that fail or are undecided."""
    for result in gate_results(suite, results):
        for decision in result.decisions:
            if decision.outcome.is_met:
                continue
            severity = Severity.INFO if decision.warns or result.stale else Severity.WARNING
            words = "fails" if decision.outcome is Outcome.FAILS else "is undecided"
            target = f" with `{decision.target}`" if len(result.decisions) > 1 else ""
            message = f"the gate {words}{target}: {explained(decision)}"
            if result.stale:
                message += " (stale: the suite or its results have changed since)"
            related = tuple(_related(suite, decision))
            yield GateMark(result.span, severity, decision.outcome, message, related)


def _related(suite: ParsedSuite, decision: Decision) -> Iterator[Related]:
    words = [(case, "counts against it") for case in decision.cases]
    words += [(missing_case, "has missing answers") for missing_case in decision.missing_cases]
    for name, what in words[:_MOST_RELATED]:
        number = suite.case_named(name)
        case_id = suite.cases[number].id if number is not None else None
        if number is not None and case_id is not None:
            yield Related(f"case `{name}` {what}", suite.place(number, case_id.span))


@dataclass(frozen=True, slots=True)
class HeadLens:
    """A lens on `gates` or on a slice; `cases` are those it runs, None for all."""

    span: Span
    title: str
    cases: tuple[str, ...] | None


#: A lens names the cases it runs, so that of a larger slice there is none.
_MOST_OF_SLICE = 500


def head_lenses(suite: ParsedSuite, results: DocumentResults) -> Iterator[HeadLens]:
    """Yield the lenses on `gates` and on each slice."""
    if suite.kind != "suite" or not has_figures(suite) or not suite.cases:
        return
    head = suite.head.node
    key = head.key("gates") if head is not None else None
    if key is not None and _gates(suite):
        title = "▶ Run all cases"
        found = [
            decision for result in gate_results(suite, results) for decision in result.decisions
        ]
        if results.gates is not None and found:
            stale = " (stale)" if results.gates.is_stale(suite) else ""
            title += f"  {counts_text(found)}, {results.gates.at.astimezone():%Y-%m-%d}{stale}"
        yield HeadLens(suite.head_place(key.span), title, None)
    if head is not None and "slices" in head:
        yield from _of_slices(suite, head.get("slices"))


def _of_slices(suite: ParsedSuite, node: Node | None) -> Iterator[HeadLens]:
    figures = suite_figures(suite)
    ids_of = _CASES.of(figures, _ids_by_slice, figures)
    for name, entry in node if isinstance(node, Mapping) else ():
        ids = ids_of.get(name, ())
        if 0 < len(ids) <= _MOST_OF_SLICE and all(ids) and not entry.merged:
            yield HeadLens(
                suite.head_place(entry.key.span), f"▶ Run {counted(len(ids), 'case')}", ids
            )


#: The cases of each slice, which stay the same while none of them changes its tags or metadata.
_CASES: Cache[dict[str, tuple[str, ...]]] = Cache()


def _ids_by_slice(figures: SuiteFigures) -> dict[str, tuple[str, ...]]:
    return {
        name: tuple(dict.fromkeys(figures.profiles[it].facts.id for it in figures.selected(name)))
        for name in figures.slices
    }


def gate_hints(suite: ParsedSuite, within: Span, results: DocumentResults) -> list[Hint]:
    """Return the hints after gates in a span: what was measured, and the outcome."""
    found: list[Hint] = []
    for result in gate_results(suite, results):
        if within.start <= result.span.end <= within.end:
            tooltip = "\n".join(
                f"{label_of(decision)}: {explained(decision)}" for decision in result.decisions
            )
            if result.stale:
                tooltip += "\nThe suite or its results have changed since."
            found.append(Hint(result.span.end, hint_text(result), tooltip))
    return found


@dataclass(frozen=True, slots=True)
class GateTest:
    """A gate as a test.

    Attributes:
        gate: its text.
        span: its place in the document.
        outcome: what was decided in the last whole run; None if nothing was.
        warns: whether it is only reported.
        text: what was measured, and the outcome.
        message: why it came out so.
        at: when it was decided.
        stale: whether the suite or its results have changed since.
    """

    gate: str
    span: Span
    outcome: Outcome | None = None
    warns: bool = False
    text: str = ""
    message: str = ""
    at: datetime | None = None
    stale: bool = False


def gate_tests(suite: ParsedSuite, results: DocumentResults) -> Iterator[GateTest]:
    """Yield the gates of a suite as tests, each text once."""
    if suite.kind != "suite" or not has_figures(suite):
        return
    decided = {
        gate_result.gate.node.text: gate_result for gate_result in gate_results(suite, results)
    }
    gates = {it.node.text: it for it in _gates(suite)}
    for text, gate in gates.items():
        span = suite.head_place(gate.node.span)
        found = decided.get(text)
        if found is None or results.gates is None:
            yield GateTest(text, span)
            continue
        yield GateTest(
            text,
            span,
            found.outcome,
            all(decision.warns for decision in found.decisions),
            hint_text(found),
            "\n".join(explained(decision) for decision in found.decisions),
            results.gates.at,
            found.stale,
        )
