"""What is said before anything is asked: which targets cannot be, and which have no known price."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from suitecase.run.choosing import named
from suitecase.run.jobs import Job
from suitecase.run.prices import is_priced
from suitecase.run.protocol import RunRequest
from suitecase.run.regrading import PreviousAnswers
from suitecase.run.target_pool import TargetPool, UnknownTargetError
from suitecase_evaluators.targets.environment import resolve
from suitecase_evaluators.targets.target import TargetError


class UnknownPriceError(Exception):
    """A budget was set for models whose price nobody knows; `message` is for people."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def set_up(jobs: Sequence[Job], pool: TargetPool, request: RunRequest) -> dict[str, TargetError]:
    """Make every target that will be asked: what is missing is said before anything is asked.

    Returns:
        by the id of each case that cannot be run here, what is missing.

    Raises:
        TargetError: no case can be run, or none is to be run where one cannot.
    """
    problems: dict[str, TargetError | None] = {}

    def problem_of(name: str) -> TargetError | None:
        if name not in problems:
            try:
                # Of a dry run nobody is asked, so no key is needed.
                pool.config(name) if request.dry_run else pool.target(name)
                problems[name] = None
            except TargetError as error:
                problems[name] = error
        return problems[name]

    def asked(job: Job) -> Iterator[str]:
        yield job.target
        configs = (it.config for it in job.case.evaluators)
        yield from (judge for judge, _ in pool.judge_calls(configs, job.target))

    lacking: dict[str, TargetError] = {}
    for job in jobs:
        # A target that is not there has no judge to ask for.
        problem = next((it for name in asked(job) if (it := problem_of(name)) is not None), None)
        if problem is not None:
            lacking.setdefault(job.case.id, problem)
    ids = {job.case.id for job in jobs}
    if lacking and not (request.keep_going and len(lacking) < len(ids)):
        raise _missing(lacking, request)
    return lacking


def _missing(lacking: Mapping[str, TargetError], request: RunRequest) -> TargetError:
    """Return what is missing as one error that names the cases which need it."""
    by_message: dict[str, list[str]] = {}
    for case, error in lacking.items():
        if isinstance(error, UnknownTargetError) and error.name == request.target:
            return error
        by_message.setdefault(error.message, []).append(case)
    messages = (f"{message} (needed by {named(cases)})" for message, cases in by_message.items())
    first = next(iter(lacking.values()))
    return TargetError("\n".join(messages), kind=first.kind)


def require_prices(jobs: Sequence[Job], answers: PreviousAnswers, pool: TargetPool) -> None:
    """Refuse a budget where it could not count what a model costs.

    What a program costs is known only once it has answered; `Limits` sees to that.

    Args:
        jobs: those that are not done.
        answers: the answers that are there already, and are only graded.

    Raises:
        UnknownPriceError: the price of a model that would be asked is not known.
    """
    unknown: dict[tuple[str, str | None], None] = {}
    priced: dict[tuple[str, str | None], bool] = {}
    for job in jobs:
        calls: list[tuple[str, str | None]] = []
        if not answers.has(job):
            calls.append((job.target, None))
        configs = (it.config for it in job.case.evaluators)
        calls += [(judge, it.model) for judge, it in pool.judge_calls(configs, job.target)]
        for it in calls:
            if it not in priced:
                priced[it] = _has_price(pool, *it)
            if not priced[it]:
                unknown[it] = None
    if unknown:
        raise UnknownPriceError(_unknown_prices(list(unknown), pool))


def _has_price(pool: TargetPool, name: str, model: str | None) -> bool:
    config = pool.config(name)
    # Of a dry run the environment need not have everything.
    with suppress(TargetError):
        config = resolve(config, os.environ)
    return is_priced(config, model)


def _unknown_prices(unknown: Sequence[tuple[str, str | None]], pool: TargetPool) -> str:
    models: list[str] = []
    for name, model in unknown:
        model_name = model or pool.config(name).asked_model
        models.append(
            f"`{model_name}` of the target `{name}`" if model_name else f"the target `{name}`"
        )
    which = "model" if len(models) == 1 else "models"
    own = next((model for _, model in unknown if model is not None), None)
    where = "its entry" if len(models) == 1 else "their entries"
    hint = f"; make `{own}` a target of its own" if own is not None else ""
    return (
        f"--budget-usd cannot count what is asked: no price is known for the {which} "
        f"{', '.join(models)}. Set the price in {where} of the targets file, in US dollars (0 if "
        f"asking is free): `price: {{input_per_million: 0.5, output_per_million: 1.5}}`{hint}; or "
        "run without --budget-usd"
    )
