"""The answers that people have labeled, with their texts out of results files.

Labels have the digest of an answer. Its text, and what its target did, is in the results that were
labeled.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from suitecase.authoring.judging.opinion import people_pass, rubrics_of
from suitecase.evidence.calibration_file import Value
from suitecase.evidence.judge_probes import probes_of
from suitecase.evidence.labels.digests import VERDICT, answer_digest
from suitecase.evidence.labels.items import items_of
from suitecase.evidence.labels.people import PeoplesLabels
from suitecase.format.target_files import EMBEDDED
from suitecase.format.workspace import RESULTS_FOLDER
from suitecase.formats.suitecase.effective_suite import EffectiveCase
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.run.plan import Plan
from suitecase.run.previous_results import results_of
from suitecase.run.target_pool import TargetPool, UnknownTargetError
from suitecase_evaluators.answers.records.reading import read_records
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.grade.registry import judge_calls, with_members
from suitecase_evaluators.system.path_kinds import is_folder
from suitecase_evaluators.targets.recorded_answer import recorded_answer
from suitecase_evaluators.targets.target import Reply

#: A case and the digest of an answer to it.
Key = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabeledAnswer:
    """An answer with the values that people agree on.

    Attributes:
        case: the case.
        config: the judge.
        digest: the digest of the answer's text.
        reply: the answer.
        target: the target that gave it, and `repeat` which time it was asked.
        judge: the target that judges.
        people: the value of each item.
        people_pass: whether the answer passes by them.
        wording: the digest of the wording of each item.
        probes: the probes to try.
        number: the number of the case among those with labeled answers, from 0.
    """

    case: EffectiveCase
    config: EvaluatorConfig
    digest: str
    reply: Reply
    target: str
    repeat: int
    judge: str
    people: Mapping[str, Value]
    people_pass: bool
    wording: Mapping[str, str]
    probes: tuple[str, ...] = ()
    number: int = 0


@dataclass(slots=True)
class LabeledAnswers:
    """The answers of which there are labels.

    Attributes:
        answers: those to calibrate with, in the order of the cases.
        not_found: those whose text is in none of the results files.
        unsettled: those on which people differ, without a value that settles it.
        incomplete: those of which an item has no label.
        ungraded: those of cases that the judge does not grade, or that the suite does not have.
        results: the results files that answers were found in.
        searched: how many results files were looked at.
    """

    answers: list[LabeledAnswer] = field(default_factory=list)
    not_found: list[Key] = field(default_factory=list)
    unsettled: list[Key] = field(default_factory=list)
    incomplete: list[Key] = field(default_factory=list)
    ungraded: list[Key] = field(default_factory=list)
    results: list[Path] = field(default_factory=list)
    searched: int = 0


def judges_of(case: EffectiveCase, name: str) -> EvaluatorConfig | None:
    """Return the evaluator of a name that grades a case and asks a judge, also as a member."""
    configs = with_members(evaluator.config for evaluator in case.evaluators)
    return next(
        (config for config in configs if config.name == name and any(judge_calls((config,)))), None
    )


def results_files(plan: Plan, labels: Iterable[Path]) -> list[Path]:
    """Return where the labeled answers may be: the results of the suite, the newest first.

    Looked for in the workspace's folder of results, beside the suite, and beside the label files.

    Raises:
        OSError: one of them, or a folder of them, cannot be read.
    """
    workspace = plan.folder.workspace
    suite = plan.folder.shown(plan.suite.path)
    folders = [workspace.root / RESULTS_FOLDER, plan.suite.path.parent]
    folders += [label.parent for label in labels]
    inside = [
        folder for folder in dict.fromkeys(folders) if is_folder(folder) and workspace.holds(folder)
    ]
    return list(dict.fromkeys(path for it in inside for path in results_of(it, suite)))


def labeled_answers(
    plan: Plan,
    suite: ParsedSuite,
    people: PeoplesLabels,
    pool: TargetPool,
    results: Sequence[Path],
    probes: Iterable[str] | None,
) -> LabeledAnswers:
    """Return the answers to calibrate a judge with.

    Args:
        plan: the suite as it is graded.
        suite: the suite as it is written.
        people: what people say about its answers.
        pool: the targets.
        results: the results files that have the answers; the first one counts that has an answer.
        probes: the probes that the suite names; None for all.

    Raises:
        OSError: a results file cannot be read.
        TargetError: a target does not exist.
    """
    found = LabeledAnswers()
    cases = {it.id: it for it in plan.suite.cases}
    items = items_of(suite, people.name)
    wanted: dict[Key, Mapping[str, Value]] = {}
    for key, values in people.adjudicated().items():
        case = cases.get(key[0])
        config = judges_of(case, people.name) if case is not None else None
        if config is None:
            found.ungraded.append(key)
            continue
        needed = [rubric.id or "" for rubric in rubrics_of(config)] or [VERDICT]
        if any(it not in values for it in needed):
            found.incomplete.append(key)
            continue
        settled = {name: value for name in needed if (value := values[name]) is not None}
        if len(settled) < len(needed):
            found.unsettled.append(key)
            continue
        wanted[key] = settled
    records = _records(wanted.keys(), results, found)
    found.not_found = [it for it in wanted if it not in records]
    order = {it.id: number for number, it in enumerate(plan.suite.cases)}
    chosen = tuple(probes) if probes is not None else None
    numbers: dict[str, int] = {}
    for key in sorted(records, key=lambda it: (order[it[0]], it[1])):
        case, record = cases[key[0]], records[key]
        config = judges_of(case, people.name)
        if config is None:
            continue
        first = key[0] not in numbers
        number = numbers.setdefault(key[0], len(numbers))
        tried = probes_of(chosen, config)
        wording = {name: it.wording for name, it in items.get(key[0], {}).items()}
        found.answers.append(
            LabeledAnswer(
                case=case,
                config=config,
                digest=key[1],
                reply=recorded_answer(record.fields, _details(record)),
                target=record.target,
                repeat=record.repeat,
                judge=_judge(config, record, case, pool),
                people=wanted[key],
                people_pass=people_pass(config, wanted[key]),
                wording={name: it for name in wanted[key] if (it := wording.get(name)) is not None},
                # The empty answers are the same for all answers of a case.
                probes=tried if first else tuple(it for it in tried if it != "empty"),
                number=number,
            )
        )
    return found


def _records(
    wanted: Iterable[Key], results: Sequence[Path], found: LabeledAnswers
) -> dict[Key, ResultRecord]:
    missing = set(wanted)
    by_case = {case for case, _ in missing}
    records: dict[Key, ResultRecord] = {}
    for path in results:
        if not missing:
            break
        found.searched += 1
        before = len(missing)
        for record in read_records(path):
            if record.eval_id not in by_case or record.candidate_answer is None:
                continue
            key = record.eval_id, answer_digest(record.candidate_answer)
            if key in missing:
                missing.discard(key)
                records[key] = record
        if len(missing) < before:
            found.results.append(path)
    return records


def _details(record: ResultRecord) -> Mapping[str, object]:
    details = record.fields.get("details")
    return details if isinstance(details, dict) else {}


def _judge(
    config: EvaluatorConfig, record: ResultRecord, case: EffectiveCase, pool: TargetPool
) -> str:
    """Return the target that judges an answer.

    A target that has been removed from the targets file since has none; that of the case counts.
    """
    own = next(
        (
            judge_call.target
            for judge_call in judge_calls((config,))
            if judge_call.target is not None
        ),
        None,
    )
    if own is not None:
        return own
    try:
        return pool.judge_of(record.target or EMBEDDED)
    except UnknownTargetError:
        return pool.judge_of(case.target or EMBEDDED)
