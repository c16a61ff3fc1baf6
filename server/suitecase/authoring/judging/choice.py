"""What is calibrated: the judges that a command names, with their labels and the file to write."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from suitecase.authoring.judging.labeled_answers import (
    LabeledAnswers,
    labeled_answers,
    results_files,
)
from suitecase.evidence.calibration_file import looks_like_calibration
from suitecase.evidence.labels.people import (
    READ_LABELS,
    PeoplesLabels,
    first_clauses,
    peoples_labels,
)
from suitecase.evidence.named_judges import parts_of_judges
from suitecase.format.workspace import Found
from suitecase.formats.suitecase.model import SuiteHead
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.run.plan import Plan
from suitecase.run.target_pool import TargetPool
from suitecase.text.near_names import nearest
from suitecase.text.plural import counted
from suitecase_evaluators.system.path_kinds import is_folder


class NothingToCalibrateError(Exception):
    """There is nothing to calibrate; `message` says why, and what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(frozen=True, slots=True)
class ChosenJudge:
    """A judge to calibrate.

    Attributes:
        name: the name of the evaluator.
        reference: the calibration file as the suite names it, and `path` where it is or will be.
        people: the labels.
        labeled: the labeled answers.
        parts: what the verdicts of the judge depend on.
    """

    name: str
    reference: str
    path: Path
    people: PeoplesLabels
    labeled: LabeledAnswers
    parts: dict[str, str]


def names_of_judges(head: SuiteHead, wanted: Sequence[str]) -> list[str]:
    """Return the names of the judges to calibrate: those that are wanted, or all with a calibration.

    Raises:
        NothingToCalibrateError: a judge has no calibration file or no labels, or there is none.
    """
    judges = head.judges or {}
    names = list(wanted) or [name for name, it in judges.items() if it.calibration is not None]
    if not names:
        # A suite with one judge or labels for one most likely means that.
        likely = next(iter([*judges, *(head.human or {})]), "rubric")
        raise NothingToCalibrateError(
            f"no judge names a calibration file. Say where it is to be written:\n\n{_keys(likely)}"
        )
    for name in names:
        if name not in judges or judges[name].calibration is None:
            meant = None if name in (head.human or {}) else nearest(name, judges)
            hint = f" Did you mean `{meant}`?" if meant else ""
            raise NothingToCalibrateError(
                f"`judges.{name}` names no calibration file.{hint} Say where it is to be written:\n\n"
                f"{_keys(name)}"
            )
        if name not in (head.human or {}):
            raise NothingToCalibrateError(
                f"no labels are named for `{name}`, so there is nothing to compare it with. Let people "
                "label answers with sheets that `suitecase labels` writes, and name the files:\n\n"
                f"human:\n  {name}:\n    labels: [labels/{name}.csv]"
            )
    return list(dict.fromkeys(names))


def _keys(name: str) -> str:
    return f"judges:\n  {name}:\n    calibration: labels/{name}.calibration.json"


def chosen_judge(
    name: str,
    plan: Plan,
    suite: ParsedSuite,
    pool: TargetPool,
    results: Sequence[Path],
    *,
    probes: bool,
) -> ChosenJudge:
    """Return a judge with the answers to calibrate it with.

    Args:
        name: its name, one of `names_of_judges`.
        plan: the suite as it is graded.
        suite: the suite as it is written.
        pool: the targets.
        results: the results files with the answers; if there are none, they are looked for.
        probes: whether probes are tried.

    Raises:
        NothingToCalibrateError: there is no such answer, not all labels can be read, or the file would be
            outside the workspace.
        OSError: a results file cannot be read.
        TargetError: a target does not exist.
    """
    head = plan.suite.head
    protocol = (head.judges or {})[name]
    reference = protocol.calibration or ""
    people = peoples_labels(suite, name, plan.folder)
    parts = parts_of_judges(suite, name, plan.folder)
    if people is None or parts is None:
        raise NothingToCalibrateError(f"no case is graded by a judge that is called `{name}`")
    if people.incomplete:
        # Verdicts of people are those of all of them: the judge would be held against a part.
        raise NothingToCalibrateError(
            f"`{name}` cannot be calibrated: {first_clauses(people.incomplete)}{_what_to_do(people)}"
        )
    files = list(results) or results_files(plan, {path for path, _ in people.labels})
    chosen = () if not probes else protocol.probes
    labeled = labeled_answers(plan, suite, people, pool, files, chosen)
    if not labeled.answers:
        raise NothingToCalibrateError(
            f"`{name}` cannot be calibrated: {_why_none(people, labeled)}"
        )
    path = _place(reference, plan)
    return ChosenJudge(name, reference, path, people, labeled, parts)


def _place(reference: str, plan: Plan) -> Path:
    folder = plan.folder
    found = folder.find(reference.strip())
    if isinstance(found, Found):
        text = folder.read(found.path)
        if not isinstance(text, str) or not looks_like_calibration(text):
            raise NothingToCalibrateError(
                f"the calibration cannot be written: {reference} exists and is not a calibration; name "
                "another file"
            )
        return found.path
    path = Path(os.path.normpath(folder.path / reference.strip().lstrip("/")))
    if not folder.workspace.holds(path) or is_folder(path):
        where = "is a folder" if is_folder(path) else "is outside the workspace"
        raise NothingToCalibrateError(f"the calibration cannot be written: {reference} {where}")
    return path


def _what_to_do(people: PeoplesLabels) -> str:
    if people.unread:
        return f"; {READ_LABELS}"
    return "; `suitecase labels` writes sheets for raters"


def _why_none(people: PeoplesLabels, labeled: LabeledAnswers) -> str:
    """Return why no labeled answer can be used."""
    if not people.labels:
        stale = len(people.stale)
        more = f" ({counted(stale, 'label')} of an earlier wording)" if stale else ""
        return f"{', '.join(people.human.labels)}: no labels that count{more}"
    if labeled.not_found:
        number = counted(len(labeled.not_found), "labeled answer")
        if not labeled.searched:
            return (
                f"there are no results of this suite in which the text of {number} could be found; name "
                "the results that were labeled with --run"
            )
        files = counted(labeled.searched, "results file")
        return (
            f"none of {number} is in {files} of this suite; name the results that were labeled with "
            "--run"
        )
    if labeled.unsettled:
        return (
            f"people differ on {counted(len(labeled.unsettled), 'answer')}, and nothing settles that "
            "yet; `suitecase agreement` lists them"
        )
    if labeled.incomplete:
        return (
            f"{counted(len(labeled.incomplete), 'answer')} lack labels of some items, and no answer has "
            "labels of all"
        )
    return "no case that it grades has labeled answers"


def notes_about(judge: ChosenJudge) -> list[str]:
    """Return which labeled answers are left out, and why."""
    labeled = judge.labeled
    notes: list[str] = []
    if labeled.not_found:
        number = counted(len(labeled.not_found), "labeled answer")
        files = counted(labeled.searched, "results file")
        notes.append(
            f"{number} not found in {files}: labels of answers that are no longer there "
            f"({_named(labeled.not_found)}); name further results with --run"
        )
    if labeled.unsettled:
        number = counted(len(labeled.unsettled), "answer")
        notes.append(
            f"{number} left out, since people differ and nothing settles that yet "
            f"({_named(labeled.unsettled)}); `suitecase agreement` lists them"
        )
    if labeled.incomplete:
        number = counted(len(labeled.incomplete), "answer")
        notes.append(
            f"{number} left out, since not every item has a label ({_named(labeled.incomplete)})"
        )
    if labeled.ungraded:
        number = counted(len(labeled.ungraded), "answer")
        notes.append(
            f"{number} left out, since `{judge.name}` does not grade the case "
            f"({_named(labeled.ungraded)})"
        )
    return notes


_MOST_NAMED = 3


def _named(keys: Sequence[tuple[str, str]]) -> str:
    listed = [f"`{case}` {digest}" for case, digest in keys[:_MOST_NAMED]]
    more = len(keys) - _MOST_NAMED
    return ", ".join(listed) + (f" and {more:,} more" if more > 0 else "")
