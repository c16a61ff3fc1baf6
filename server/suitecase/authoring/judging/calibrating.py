"""Calibrations: made of what people and a judge say about the same answers."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from suitecase.authoring.judging.asking import JudgedAnswer
from suitecase.authoring.judging.labeled_answers import LabeledAnswer
from suitecase.authoring.judging.probes import VERSION, asks, probed
from suitecase.evidence.calibration_file import CalibratedAnswer, Calibration
from suitecase.evidence.calibration_writing import in_order
from suitecase.evidence.labels.people import PeoplesLabels
from suitecase.format.workspace import Folder, Found, Unreadable
from suitecase.formats.suitecase.judge_hash import judge_hash
from suitecase.run.case_prompt import FileGoneError, build_prompt
from suitecase.run.estimate import QuestionCounts, call_counts
from suitecase.run.plan import Plan
from suitecase.run.subject import subject_of
from suitecase.run.target_pool import TargetPool
from suitecase_evaluators.answers.records.values import timestamp
from suitecase_evaluators.grade.evaluator import EvaluatorConfig, Subject
from suitecase_evaluators.grade.registry import description_of, judge_calls


def calibration_of(
    people: PeoplesLabels,
    judged: Sequence[JudgedAnswer],
    parts: Mapping[str, str],
    models: Iterable[str],
    folder: Folder,
    pool: TargetPool,
) -> Calibration:
    """Return a calibration.

    Args:
        people: the labels that it is made with.
        judged: what the judge says about each answer.
        parts: what the verdicts of the judge depend on.
        models: the models that replied, as providers report them.
        folder: the suite's folder.
        pool: the targets.
    """
    keys = {(it.labeled.case.id, it.labeled.digest) for it in judged}
    raters = {label.rater for _, label in people.labels if (label.case, label.answer) in keys}
    tried = Counter(name for it in judged for name in it.probed)
    return Calibration(
        judge=people.name,
        at=timestamp(),
        judge_hash=judge_hash(parts),
        judge_parts=dict(parts),
        asked=_asked([it.labeled for it in judged], pool),
        reported_model=", ".join(sorted(models)) or None,
        labels=label_digests(people.human.labels, folder),
        adjudication=people.human.adjudication,
        raters=tuple(sorted(raters)),
        probes_version=VERSION if tried else None,
        probes=dict(sorted(tried.items())),
        answers=in_order(map(_answer, judged)),
    )


def label_digests(references: Iterable[str], folder: Folder) -> dict[str, str]:
    """Return the digests of label files, by what the suite calls them."""
    digests: dict[str, str] = {}
    for reference in references:
        found = folder.find(reference.strip())
        text = folder.read(found.path) if isinstance(found, Found) else None
        if text is not None and not isinstance(text, Unreadable):
            digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
            digests[reference] = f"sha256:{digest}"
    return digests


def _answer(judged: JudgedAnswer) -> CalibratedAnswer:
    labeled, opinion = judged.labeled, judged.opinion
    return CalibratedAnswer(
        case=labeled.case.id,
        answer=labeled.digest,
        people=labeled.people,
        judge=opinion.values,
        people_pass=labeled.people_pass,
        judge_pass=opinion.passed,
        quotes=opinion.quotes,
        probed=judged.probed,
        flips=judged.turned,
        wording=labeled.wording,
    )


def _asked(answers: Iterable[LabeledAnswer], pool: TargetPool) -> dict[str, Any]:
    """Return how the judge was asked, for readers of the file; of several judges, each value."""
    values: dict[str, list[Any]] = {}
    for config, judge in {
        (answer.config.type, answer.judge): (answer.config, answer.judge) for answer in answers
    }.values():
        settings = {
            "target": judge,
            "model": getattr(config, "model", None) or pool.config(judge).asked_model,
            "temperature": getattr(config, "temperature", None) or 0,
            "max_output_tokens": getattr(config, "max_output_tokens", None),
            "votes": getattr(config, "votes", None),
        }
        for name, value in settings.items():
            of_name = values.setdefault(name, [])
            of_name += [value] if value is not None and value not in of_name else []
    return {name: it[0] if len(it) == 1 else it for name, it in values.items() if it}


def calls_of(answers: Iterable[LabeledAnswer]) -> list[tuple[str, str | None]]:
    """Return the targets that are asked, each with the model that it is asked for."""
    found = {
        (call.target or answer.judge, call.model): None
        for answer in answers
        for call in judge_calls((answer.config,))
    }
    return list(found)


def estimated_questions(
    answers: Iterable[LabeledAnswer], plan: Plan, pool: TargetPool
) -> list[dict[str, Any]]:
    """Return the questions of a calibration, as the estimate of a run has them.

    Which answers `injection` is tried on depends on the verdicts, so it counts as asked at most.
    """
    found: dict[tuple[str, str | None], QuestionCounts] = {}
    for answer in answers:
        sure, more, characters = _questions_about(answer, plan, pool)
        for call in judge_calls((answer.config,)):
            key = call.target or answer.judge, call.model
            counts = found.setdefault(key, QuestionCounts(characters=0))
            counts.least += call.least * sure
            counts.most += call.most * (sure + more)
            known = counts.characters is not None and characters is not None
            sent = call.least * (characters or 0)
            counts.characters = (counts.characters or 0) + sent if known else None
    return [
        call_counts(pool.config(target), model, "judging", counts)
        for (target, model), counts in found.items()
    ]


def _questions_about(
    answer: LabeledAnswer, plan: Plan, pool: TargetPool
) -> tuple[int, int, int | None]:
    """Return how often a judge is asked about an answer: surely, and if the judge fails the answer.

    And how many characters it is sent in the questions that are sure; None if that is not known.
    """
    try:
        prompt = build_prompt(
            answer.case, plan.suite, plan.folder, takes_files=pool.takes_files(answer.target)
        )
    except FileGoneError:
        return 1, 0, None
    subject = subject_of(answer.case, plan, prompt, answer.reply, None)
    sure, more = 1, 0
    characters = _sent(answer.config, subject)
    for name in filter(asks, answer.probes):
        probe = probed(name, answer.config, subject, passed=True, number=answer.number)
        if probe is not None:
            sure += 1
            sent = _sent(probe.config, probe.subject)
            characters = characters + sent if characters is not None and sent is not None else None
        elif probed(name, answer.config, subject, passed=False) is not None:
            more += 1
    return sure, more, characters


def _sent(config: EvaluatorConfig, subject: Subject) -> int | None:
    prompt = description_of(config).prompt(config)
    if prompt is None or prompt.by_program:
        return None
    return len(prompt.filled(prompt.written, subject))
