"""Dry runs: the calls that a run would make, and their estimated cost.

An estimate has `suite_path`, `dataset`, `cases` (the number of selected cases), `repeats`,
`records` (the number in a finished run), `kept` (how many of them exist already), `choice`,
`evaluators` and `questions`:

- each of `evaluators` has a `type` and the number of `cases` that it grades;
- each of `questions` has the `target`, its `provider`, the `model` (None if the target has none),
  `asks` (`model` or `program`; None if a call is free), the `purpose` (`answer` or `judging`), the
  number of calls (`least` and `most`), `tokens` (the estimated input; None if it depends on
  answers), `input_cost_usd` (None if `tokens` or the price is unknown; output is not included), and
  `priced`: whether the price is known, None for programs and mocks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from suitecase.run.case_prompt import FileGoneError, build_prompt
from suitecase.run.jobs import Job
from suitecase.run.plan import Plan
from suitecase.run.prices import input_price, is_priced
from suitecase.run.regrading import PreviousAnswers
from suitecase.run.target_pool import TargetPool
from suitecase_evaluators.registry import with_members
from suitecase_evaluators.targets.config.target import TargetConfig

#: A rule of thumb for English; other languages and code need more tokens.
CHARACTERS_PER_TOKEN = 4


@dataclass(slots=True)
class QuestionCounts:
    """The calls of one target and model, for one purpose."""

    least: int = 0
    most: int = 0
    characters: int | None = None


def estimate(
    planned: Plan, jobs: Sequence[Job], pool: TargetPool, records: int, answers: PreviousAnswers
) -> dict[str, Any]:
    """Return the estimate of a run.

    Args:
        jobs: the jobs that are not done.
        records: the number of records of the finished run.
        answers: existing answers, which are only graded.

    Raises:
        TargetError: a target does not exist.
    """
    questions: dict[tuple[str, str | None, str], QuestionCounts] = {}
    characters: dict[str, int | None] = {}
    for job in jobs:
        configs = [counts.config for counts in job.case.evaluators]
        previous = answers.find(job)
        if previous is None:
            if job.case.id not in characters:
                characters[job.case.id] = _characters(job, planned, pool)
            asked_of = questions.setdefault(
                (job.target, None, "answer"), QuestionCounts(characters=0)
            )
            asked_of.least += 1
            asked_of.most += 1
            sent = characters[job.case.id]
            countable = asked_of.characters is not None and sent is not None
            asked_of.characters = (asked_of.characters or 0) + (sent or 0) if countable else None
        else:
            configs = previous.broken(configs)
        for judge, call in pool.judge_calls(configs, job.target):
            judging = questions.setdefault((judge, call.model, "judging"), QuestionCounts())
            judging.least += call.least
            judging.most += call.most
    types = Counter(
        kind
        for case in planned.cases
        for kind in {
            counts.type for counts in with_members(counts.config for counts in case.evaluators)
        }
    )
    return {
        "suite_path": planned.folder.shown(planned.suite.path),
        "dataset": planned.suite.dataset,
        "cases": len(planned.cases),
        "repeats": records // max(len(planned.cases), 1),
        "records": records,
        "kept": records - len(jobs),
        "choice": planned.choice,
        "evaluators": [{"type": kind, "cases": number} for kind, number in types.items()],
        "questions": [
            call_counts(pool.config(target), model, purpose, counts)
            for (target, model, purpose), counts in questions.items()
        ],
    }


def call_counts(
    config: TargetConfig, model: str | None, purpose: str, questions: QuestionCounts
) -> dict[str, Any]:
    """Return the calls of a target for one purpose, as an estimate has them."""
    tokens = None
    if questions.characters is not None:
        tokens = -(-questions.characters // CHARACTERS_PER_TOKEN)
    price = input_price(config, model)
    return {
        "target": config.name,
        "provider": config.provider,
        "model": model or config.asked_model,
        "asks": config.asks,
        "purpose": purpose,
        "least": questions.least,
        "most": questions.most,
        "tokens": tokens,
        "priced": is_priced(config, model) if config.asks == "model" else None,
        "input_cost_usd": None if tokens is None or price is None else tokens * price,
    }


def _characters(job: Job, planned: Plan, pool: TargetPool) -> int | None:
    """Return the number of characters of a job's prompt; None if its files cannot be read."""
    takes_files = pool.takes_files(job.target)
    try:
        prompt = build_prompt(job.case, planned.suite, planned.folder, takes_files=takes_files)
    except FileGoneError:
        return None
    return sum(len(turn.text) for turn in prompt.question.turns)
