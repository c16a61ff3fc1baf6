"""Lenses that tell how judges, labels and the locked version of a suite stand. They run nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from suitecase.editor.judge_states import JudgeState, judge_state
from suitecase.evidence.governed import GovernedSuite
from suitecase.evidence.labels.coefficients import coefficient
from suitecase.evidence.labels.people import PeoplesLabels, peoples_labels
from suitecase.evidence.releases.lock_state import LockState, lock_state
from suitecase.figures.gates.meaning import FigureKind
from suitecase.figures.statistics.agreement import NoValue
from suitecase.format.workspace import Folder
from suitecase.text.node import Mapping, Span
from suitecase.text.plural import counted


@dataclass(frozen=True, slots=True)
class StateLens:
    """A lens without a command, on a key of the head."""

    span: Span
    title: str


def state_lenses(suite: GovernedSuite, folder: Folder) -> Iterator[StateLens]:
    """Yield the lenses on `version`, on names under `judges` and on names under `human`.

    Args:
        suite: the suite, as far as it parses.
        folder: its folder.
    """
    if not suite.has_head or suite.model is None:
        return
    yield from _of_version(suite, folder)
    for name, span in _names(suite, "judges"):
        state = judge_state(name, suite.suite, folder)
        if state is not None:
            yield StateLens(span, judge_title(state))
    for name, span in _names(suite, "human"):
        people = peoples_labels(suite.suite, name, folder)
        if people is not None:
            yield StateLens(span, people_title(people))


def judge_title(state: JudgeState | str) -> str:
    """Return how a judge compares with people: `kappa 0.77 · 120 answers, 2026-02-03`."""
    if isinstance(state, str):
        return state
    if state.outdated:
        return f"outdated since {state.day}: {state.outdated}"
    answers = counted(len(state.judged.answers), "answer")
    return f"{_shown('kappa', state.kappa)} · {answers}, {state.day}"


def people_title(people: PeoplesLabels) -> str:
    """Return how far people agree: `alpha 0.74 · 9 to adjudicate`."""
    if not people.labels:
        return "no labels yet" if not people.unread else "labels cannot be read"
    parts = [_shown("alpha", coefficient(people, FigureKind.ALPHA, None))]
    if people.incomplete:
        parts.append("without labels that cannot be read")
    differing = len({key[:2] for key in people.to_adjudicate})
    if differing:
        parts.append(f"{differing:,} to adjudicate")
    if people.stale:
        parts.append(f"{counted(len(people.stale), 'label')} of an earlier wording")
    return " · ".join(parts)


def version_title(state: LockState) -> str:
    """Return whether a suite is the locked version: `frozen`, or `3 cases differ from 2026.2`."""
    if state.is_current:
        return "frozen"
    cases = len(state.cases) + len(state.added) + len(state.removed)
    what: list[str] = []
    if cases:
        what.append(f"{counted(cases, 'case')} {'differs' if cases == 1 else 'differ'}")
    if state.keys or state.files or state.judges:
        what.append("keys, files or judges differ" if not what else "keys, files or judges too")
    if not what:
        return f"locked: {state.lock.version}"
    return f"{', '.join(what)} from {state.lock.version}"


def _of_version(suite: GovernedSuite, folder: Folder) -> Iterator[StateLens]:
    node = suite.head.node
    key = node.key("version") if node is not None else None
    if suite.lock is None or suite.path is None or key is None:
        return
    state = lock_state(suite.suite, suite.path, folder)
    title = version_title(state) if state is not None else "the lock cannot be used"
    yield StateLens(suite.head_span(key.span), title)


def _names(suite: GovernedSuite, key: str) -> Iterator[tuple[str, Span]]:
    node = suite.under(key)
    for name, entry in node if isinstance(node, Mapping) else ():
        if not entry.merged:
            yield name, suite.head_span(entry.key.span)


def _shown(name: str, value: float | NoValue) -> str:
    return f"{name} none" if isinstance(value, NoValue) else f"{name} {value:z.2f}"
