"""Which target answers a case, and which one judges the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from suitecase.format.target_files import EMBEDDED, ParsedTarget, ParsedTargets
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.text.node import Mapping, Scalar


@dataclass(frozen=True, slots=True)
class Answering:
    """The target of a case, where it is set, and the target that judges."""

    target: str
    named_in: Literal["case", "suite", "nowhere"]
    judge: str


def answering(suite: ParsedSuite, number: int | None, targets: ParsedTargets | None) -> Answering:
    """Return the answering and the judging target according to the files; run options may differ.

    Args:
        suite: the suite.
        number: the case; None for the suite's default.
        targets: the suite's targets file, if any.
    """
    own = target_named(suite.cases[number]) if number is not None else None
    common = target_named(suite.head)
    selected = own or common
    target = selected.text if selected is not None else EMBEDDED
    named_in: Literal["case", "suite", "nowhere"] = (
        "case" if own else "suite" if common else "nowhere"
    )
    return Answering(target, named_in, judge_of(target, targets))


def target_named(part: ParsedCase | ParsedHead) -> Scalar | None:
    """Return the target that a part names for its answers."""
    execution = part.node.get("execution") if part.node is not None else None
    target = execution.get("target") if isinstance(execution, Mapping) else None
    return target if isinstance(target, Scalar) and target.text.strip() else None


def judge_of(target: str, targets: ParsedTargets | None) -> str:
    """Return the target that judges a target's answers: its `judge_target`, else itself."""
    entry = target_entry(target, targets)
    judge = entry.judge_target if entry is not None else None
    return judge.text if judge is not None else target


def target_entry(name: str, targets: ParsedTargets | None) -> ParsedTarget | None:
    """Return the entry of a target, valid or not."""
    return targets.entry(name) if targets is not None else None
