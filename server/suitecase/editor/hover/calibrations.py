"""Hovers on judges under `judges` and on their calibrations: how the judge compares with people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from suitecase.editor.judge_states import JudgeState, judge_state
from suitecase.editor.markdown import code, escaped
from suitecase.evidence.governed import governed
from suitecase.figures.statistics.agreement import NoValue
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.plural import counted


def calibration_text(name: str, suite: ParsedSuite, folder: Folder, path: Path) -> str | None:
    """Return how a judge compares with people; None if it names no calibration.

    Args:
        name: the name of the evaluator, under `judges`.
        suite: the file with the head.
        folder: its folder.
        path: its path.
    """
    whole = governed(suite, folder, path)
    state = judge_state(name, whole.suite, folder) if whole is not None else None
    command = code(f"suitecase calibrate {folder.shown(path)}")
    if state is None:
        return None
    if isinstance(state, str):
        return f"**{code(name)}** · {state}; {command} compares the judge with people."
    return "\n\n".join(section for section in _sections(name, state, command) if section)


def _sections(name: str, state: JudgeState, command: str) -> Iterator[str]:
    answers = state.judged.answers
    asked = state.calibration.reported_model or state.calibration.asked.get("model")
    by = f" by {escaped(str(asked))}" if asked else ""
    yield f"**{code(name)}**{by} · {counted(len(answers), 'labeled answer')}, {state.day}"
    if state.outdated:
        yield f"Outdated: {escaped(state.outdated)}. {command} asks the judge again."
    if not answers:
        return
    errors = state.judged.errors
    passed, failed = "judge passes", "judge fails"
    yield (
        f"| | {passed} | {failed} | |\n|---|---|---|---|\n"
        f"| people: good | {errors.good_passed:,} | {errors.good - errors.good_passed:,} "
        f"| {_share('sensitivity', errors.sensitivity, errors.good and errors.sensitivity_bounds())} |\n"
        f"| people: bad | {errors.bad - errors.bad_failed:,} | {errors.bad_failed:,} "
        f"| {_share('specificity', errors.specificity, errors.bad and errors.specificity_bounds())} |"
    )
    yield "\n".join(f"- {it}" for it in _rest(state))


def _rest(state: JudgeState) -> Iterator[str]:
    answers = state.judged.answers
    kappa = state.kappa
    yield f"kappa {kappa.reason if isinstance(kappa, NoValue) else f'{kappa:z.2f}'}"
    unread = sum(answer.judge is None for answer in answers)
    if unread:
        yield f"replies that could not be read: {unread:,} of {len(answers):,}"
    quotes = sum(answer.quotes for answer in answers)
    if quotes:
        valid = sum(answer.valid_quotes for answer in answers)
        yield f"quotes that stand in the answer: {valid:,} of {quotes:,}"
    probed = Counter(probe for answer in answers for probe in answer.probed)
    flips = Counter(probe for answer in answers for probe in answer.flips)
    if probed:
        turned = ", ".join(f"{code(it)} {flips[it]:,} of {n:,}" for it, n in probed.items())
        yield f"verdicts that probes turned: {turned}"


def _share(name: str, value: float | None, bounds: tuple[float, float] | int) -> str:
    if value is None or isinstance(bounds, int):
        return f"{name} none"
    low, high = bounds
    return f"{name} {value:z.2f} [{low:z.2f}, {high:z.2f}]"
