"""Setting up targets before the first call: unavailable targets, and unknown prices."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from suitecase.run.choosing import named
from suitecase.run.jobs import Job, Jobs
from suitecase.run.prices import is_priced
from suitecase.run.protocol import RunRequest
from suitecase.run.regrading import PreviousAnswers
from suitecase.run.target_pool import TargetPool, UnknownTargetError
from suitecase_evaluators.grade.registry import description_of, with_members
from suitecase_evaluators.grade.row_code import row_unavailable
from suitecase_evaluators.targets.environment import resolve
from suitecase_evaluators.targets.target import TargetError


class UnknownPriceError(Exception):
    """There is a budget, but the price of a model is unknown; `message` is shown to users."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def set_up(jobs: Jobs, pool: TargetPool, request: RunRequest) -> dict[int, TargetError]:
    """Create every target that will be called, so that errors are reported before the first call.

    Returns:
        for the index of each case that cannot be run, its error.

    Raises:
        TargetError: no case can be run, or one cannot and `keep_going` is not set.
    """
    problems: dict[str, TargetError | None] = {}

    def problem_of(name: str) -> TargetError | None:
        if name not in problems:
            try:
                # A dry run calls nothing, so it needs no key.
                pool.config(name) if request.dry_run else pool.target(name)
                problems[name] = None
            except TargetError as error:
                problems[name] = error
        return problems[name]

    def problem_of_scripts(job: Job) -> TargetError | None:
        if request.dry_run:
            return None
        for config in with_members(evaluator.config for evaluator in job.case.evaluators):
            why = description_of(config).unavailable(config, pool.folder, os.environ)
            if why is not None:
                return TargetError(f"evaluator `{config.name}`: {why}", kind="configuration")
        row = job.case.row
        why = None if row is None else row_unavailable(row, pool.folder, os.environ)
        return None if why is None else TargetError(why, kind="configuration")

    def targets_of(job: Job) -> Iterator[str]:
        yield job.target
        configs = (evaluator.config for evaluator in job.case.evaluators)
        yield from (judge for judge, _ in pool.judge_calls(configs, job.target))

    kinds: dict[tuple[str, int], TargetError | None] = {}
    unavailable: dict[int, TargetError] = {}
    asked = 0
    for index in jobs.asked():
        asked += 1
        kind = jobs.kind(index)
        if kind not in kinds:
            # The judge of a missing target is unknown.
            job = jobs.job(index)
            problems_of_targets = filter(None, map(problem_of, targets_of(job)))
            kinds[kind] = next(problems_of_targets, None) or problem_of_scripts(job)
        problem = kinds[kind]
        if problem is not None:
            unavailable[index] = problem
    if unavailable and not (request.keep_going and len(unavailable) < asked):
        raise _missing(unavailable, jobs.cases.ids, request)
    return unavailable


def _missing(
    unavailable: Mapping[int, TargetError], ids: Sequence[str], request: RunRequest
) -> TargetError:
    """Return one error with all messages and the cases that need each target."""
    by_message: dict[str, list[str]] = {}
    for index, error in unavailable.items():
        if isinstance(error, UnknownTargetError) and error.name == request.target:
            return error
        by_message.setdefault(error.message, []).append(ids[index])
    messages = (f"{message} (needed by {named(cases)})" for message, cases in by_message.items())
    first = next(iter(unavailable.values()))
    return TargetError("\n".join(messages), kind=first.kind)


def require_prices(jobs: Jobs, answers: PreviousAnswers, pool: TargetPool) -> None:
    """Make sure that the price of every model is known, as a budget requires.

    The cost of a program is only known after its answer; see `Limits`.

    Args:
        jobs: the jobs that are not done.
        answers: existing answers, which are only graded.

    Raises:
        UnknownPriceError: the price of a model is unknown.
    """
    calls: dict[tuple[str, str | None], None] = {}
    ids = jobs.cases.ids
    unanswered = jobs.without(lambda index, repeat: (ids[index], repeat) in answers.places)
    asked = frozenset(unanswered.targets())
    for job in jobs.kinds():
        if job.target in asked:
            calls[job.target, None] = None
        configs = (evaluator.config for evaluator in job.case.evaluators)
        for judge, it in pool.judge_calls(configs, job.target):
            calls[judge, it.model] = None
    require_prices_of(calls, pool)


def require_prices_of(calls: Iterable[tuple[str, str | None]], pool: TargetPool) -> None:
    """Make sure that the price of every model is known that is called.

    Args:
        calls: names of targets, each with the model that it is asked for; None for its own.

    Raises:
        UnknownPriceError: the price of a model is unknown.
    """
    unknown = [call for call in dict.fromkeys(calls) if not _has_price(pool, *call)]
    if unknown:
        raise UnknownPriceError(_unknown_prices(unknown, pool))


def _has_price(pool: TargetPool, name: str, model: str | None) -> bool:
    config = pool.config(name)
    # For a dry run, variables may be missing.
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
        f"--budget-usd cannot be enforced: the price is unknown for the {which} "
        f"{', '.join(models)}. Set the price in {where} of the targets file, in US dollars (0 if "
        f"calls are free): `price: {{input_per_million: 0.5, output_per_million: 1.5}}`{hint}; or "
        "run without --budget-usd"
    )
