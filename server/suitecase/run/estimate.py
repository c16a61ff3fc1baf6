"""Dry runs: the calls that a run would make, and their estimated cost.

An estimate has `suite_path`, `dataset`, `cases` (the number of selected cases), `repeats`,
`records` (the number in a finished run), `kept` (how many of them exist already), `choice`, `notes`
(what else people should know before the run, such as who grades), `evaluators`, `variables` (what
of the environment leaves the machine; see `sent_variables`) and `questions`:

- each of `evaluators` has a `type` and the number of `cases` that it grades;
- each of `questions` has the `target`, its `provider`, the `model` (None if the target has none),
  `asks` (`model` or `program`; None if a call is free), the `purpose` (`answer` or `judging`), the
  number of calls (`least` and `most`), `tokens` (the estimated input; None if it depends on
  answers), `input_cost_usd` (None if `tokens` or the price is unknown; output is not included), and
  `priced`: whether the price is known, None for programs and mocks.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from suitecase.run.case_prompt import FileGoneError, build_prompt
from suitecase.run.case_store import Cases
from suitecase.run.jobs import Job, Jobs
from suitecase.run.plan import Plan
from suitecase.run.prices import input_price, is_priced
from suitecase.run.regrading import PreviousAnswers
from suitecase.run.target_pool import TargetPool
from suitecase_evaluators.answers.sandbox_level import Level, highest
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.grade.registry import with_members
from suitecase_evaluators.targets.config.llm import LlmConfig
from suitecase_evaluators.targets.config.script import ScriptConfig
from suitecase_evaluators.targets.config.target import TargetConfig
from suitecase_evaluators.targets.environment import sent_with_settings
from suitecase_evaluators.targets.model_call import KEY_VARIABLES
from suitecase_evaluators.targets.sandbox.confinement import Sandbox, reachable
from suitecase_evaluators.targets.variable_names import PLACEHOLDER

#: A rule of thumb for English; other languages and code need more tokens.
CHARACTERS_PER_TOKEN = 4


#: The target, the model if it is not the target's own, and the purpose.
Question = tuple[str, str | None, str]


@dataclass(slots=True)
class QuestionCounts:
    """The calls of one target and model, for one purpose."""

    least: int = 0
    most: int = 0
    characters: int | None = None


def estimate(
    planned: Plan, jobs: Jobs, pool: TargetPool, answers: PreviousAnswers
) -> dict[str, Any]:
    """Return the estimate of a run.

    Args:
        jobs: the jobs that are not done.
        answers: existing answers, which are only graded.

    Raises:
        TargetError: a target does not exist.
    """
    questions: dict[Question, QuestionCounts] = {}
    for index in jobs.asked():
        job = jobs.job(index)
        configs = [counts.config for counts in job.case.evaluators]
        asked = 0
        for repeat in jobs.repeats_of(index):
            previous = answers.find(replace(job, repeat=repeat))
            if previous is None:
                asked += 1
            else:
                _add_judging(questions, previous.broken(configs), job, pool, 1)
        if asked:
            _add_answers(questions, job, planned, pool, asked)
            _add_judging(questions, configs, job, pool, asked)
    types = _types(planned.cases)
    records = jobs.planned
    return {
        "suite_path": planned.folder.shown(planned.suite.path),
        "dataset": planned.suite.dataset,
        "cases": len(planned.cases),
        "repeats": records // max(len(planned.cases), 1),
        "records": records,
        "kept": records - len(jobs),
        "choice": planned.choice,
        "notes": list(planned.notes),
        "evaluators": [{"type": kind, "cases": number} for kind, number in types.items()],
        "variables": sent_variables(planned, (target for target, *_ in questions), pool),
        "questions": [
            call_counts(pool.config(target), model, purpose, counts)
            for (target, model, purpose), counts in questions.items()
        ],
    }


def _add_answers(
    questions: dict[Question, QuestionCounts], job: Job, planned: Plan, pool: TargetPool, times: int
) -> None:
    """Add the answers to a case."""
    counts = questions.setdefault((job.target, None, "answer"), QuestionCounts(characters=0))
    counts.least += times
    counts.most += times
    sent = _characters(job, planned, pool)
    countable = counts.characters is not None and sent is not None
    counts.characters = (counts.characters or 0) + (sent or 0) * times if countable else None


def _add_judging(
    questions: dict[Question, QuestionCounts],
    configs: Sequence[EvaluatorConfig],
    job: Job,
    pool: TargetPool,
    times: int,
) -> None:
    """Add the calls of judges about the answers to a case."""
    for judge, call in pool.judge_calls(configs, job.target):
        counts = questions.setdefault((judge, call.model, "judging"), QuestionCounts())
        counts.least += call.least * times
        counts.most += call.most * times


def _types(cases: Cases) -> Counter[str]:
    """Return how many cases each type of evaluators grades."""
    first: dict[int, int] = {}
    numbers: Counter[int] = Counter()
    for index in range(len(cases)):
        kind = cases.kind(index)
        first.setdefault(kind, index)
        numbers[kind] += 1
    types: Counter[str] = Counter()
    for kind, index in first.items():
        configs = (evaluator.config for evaluator in cases[index].evaluators)
        for name in dict.fromkeys(with_member.type for with_member in with_members(configs)):
            types[name] += numbers[kind]
    return types


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


#: Fields with the address of a target.
_ADDRESSES = ("url", "api_base", "endpoint", "resource")


def sent_variables(planned: Plan, asked: Iterable[str], pool: TargetPool) -> list[dict[str, Any]]:
    """Return what leaves the machine, by target.

    Args:
        planned: the run.
        asked: the names of the targets and judges that are asked.
        pool: the targets of the run.
    """
    found: list[dict[str, Any]] = []
    for name in dict.fromkeys(asked):
        config = pool.config(name)
        if config.asks is None or not _has_network(config, pool.sandbox):
            continue
        is_whole = config.command is not None and not isinstance(config, ScriptConfig)
        names = dict.fromkeys((*_of_settings(config), *planned.sent_variables))
        if names or is_whole:
            found.append(
                {
                    "target": config.name,
                    "provider": config.provider,
                    "address": _host(config),
                    "variables": list(names),
                    "whole_environment": is_whole,
                }
            )
    return found


def _has_network(config: TargetConfig, sandbox: Sandbox) -> bool:
    command = config.command
    if command is None:
        return True
    return reachable(highest(sandbox.targets, command.sandbox)) is not Level.ISOLATED


def _of_settings(config: TargetConfig) -> Iterator[str]:
    """Yield the variables that a target's settings name, and the one its key is looked up in."""
    yield from sent_with_settings(config)
    if isinstance(config, LlmConfig) and config.api_key is None:
        model = config.asked_model or ""
        usual = KEY_VARIABLES.get(config.provider) or KEY_VARIABLES.get(model.partition("/")[0], ())
        yield from [variable for variable in usual if os.environ.get(variable)][:1]


def _host(config: TargetConfig) -> str | None:
    """Return the host of a target's address, or the variable that has it; the rest may hold a key."""
    for name in _ADDRESSES:
        address = getattr(config, name, None)
        if not isinstance(address, str):
            continue
        if (variable := PLACEHOLDER.match(address)) is not None:
            return variable[0]
        try:
            return urlsplit(address if "://" in address else f"//{address}").hostname or None
        except ValueError:
            return None
    return None
