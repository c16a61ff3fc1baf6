"""Who answers a case, and who judges the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from suitecase.suite.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.suite.target_files import EMBEDDED, ParsedTarget, ParsedTargets
from suitecase.syntax.node import Mapping, Scalar


@dataclass(frozen=True, slots=True)
class Answering:
    """The target of a case, where it is named, and the target that judges."""

    target: str
    named_in: Literal["case", "suite", "nowhere"]
    judge: str


def answering(suite: ParsedSuite, number: int | None, targets: ParsedTargets | None) -> Answering:
    """Return who answers and who judges, as far as files say; options of a run may say otherwise.

    Args:
        suite: the suite.
        number: the case; None for what holds where a case does not say.
        targets: the targets file that holds for the suite, if there is one.
    """
    own = target_named(suite.cases[number]) if number is not None else None
    common = target_named(suite.head)
    named = own or common
    target = named.text if named is not None else EMBEDDED
    where: Literal["case", "suite", "nowhere"] = "case" if own else "suite" if common else "nowhere"
    return Answering(target, where, judge_of(target, targets))


def target_named(part: ParsedCase | ParsedHead) -> Scalar | None:
    """Return the target a part names as the one that answers."""
    execution = part.node.get("execution") if part.node is not None else None
    target = execution.get("target") if isinstance(execution, Mapping) else None
    return target if isinstance(target, Scalar) and target.text.strip() else None


def judge_of(target: str, targets: ParsedTargets | None) -> str:
    """Return the target that judges the answers of a target: its `judge_target`, else itself."""
    found = written_target(target, targets)
    judge = found.judge_target if found is not None else None
    return judge.text if judge is not None else target


def written_target(name: str, targets: ParsedTargets | None) -> ParsedTarget | None:
    """Return the entry of a target, sound or not."""
    return targets.entry(name) if targets is not None else None
