"""Puts a question again that could not be answered: the one layer that does so.

Waits grow by a factor from try to try, with jitter, so that questions that failed together do not
come back together. A server that says when to come back (`retry-after`) is obeyed.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from math import isfinite
from time import time
from typing import TypeVar

from suitecase_evaluators.system.waiting import waits_for_rate
from suitecase_evaluators.targets.config.placeholder import as_int, as_number
from suitecase_evaluators.targets.config.target import RetryConfig
from suitecase_evaluators.targets.target import TargetError

T = TypeVar("T")

#: Retries after the first try of a model: three tries in all.
MODEL_RETRIES = 2
#: A wait is this share longer or shorter than computed, at random.
JITTER = 0.25


def _is_transient(status: int) -> bool:
    return status in (408, 409, 429) or 500 <= status <= 599


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """When a question is put again; delays in seconds."""

    max_retries: int = MODEL_RETRIES
    initial_delay: float = 1.0
    max_delay: float = 60.0
    factor: float = 2.0
    #: None means 408, 409, 429 and 500 to 599.
    status_codes: frozenset[int] | None = None

    def covers(self, status: int) -> bool:
        """Whether a question that got this HTTP status is put again."""
        return _is_transient(status) if self.status_codes is None else status in self.status_codes

    def delay(self, tries: int) -> float:
        """Return the seconds to wait after so many tries, without jitter."""
        # A float overflows long after any wait has reached its maximum.
        growth = min(self.factor ** min(tries - 1, 64), 1e9)
        return min(self.initial_delay * growth, self.max_delay)

    @classmethod
    def of(cls, config: RetryConfig | None, *, default_retries: int) -> RetryPolicy:
        """Return the policy of a resolved configuration, with defaults for what it leaves out."""
        config = config or RetryConfig()
        usual = cls(max_retries=default_retries)
        retries = as_int(config.max_retries)
        initial = as_number(config.initial_delay_ms)
        most = as_number(config.max_delay_ms)
        return cls(
            max_retries=usual.max_retries if retries is None else retries,
            initial_delay=usual.initial_delay if initial is None else initial / 1000,
            max_delay=usual.max_delay if most is None else most / 1000,
            factor=as_number(config.backoff_factor) or usual.factor,
            status_codes=(None if config.status_codes is None else frozenset(config.status_codes)),
        )


class TransientError(Exception):
    """A try that failed in a way another one may not.

    `error` is what is raised when no try is left; `retry_after` the seconds the server asked for.
    `of_rate` says that the server allows no more requests for now.
    """

    def __init__(
        self, error: TargetError, *, retry_after: float | None = None, of_rate: bool = False
    ) -> None:
        super().__init__(error.message)
        self.error = error
        self.retry_after = retry_after
        self.of_rate = of_rate


async def with_retries(attempt: Callable[[int], Awaitable[T]], policy: RetryPolicy) -> T:
    """Call `attempt` with 1, 2, ... until it does not raise TransientError, or no try is left.

    Raises:
        TargetError: of the last try, with the number of tries where there was more than one; or
            whatever else `attempt` raised, at once.
    """
    tries = 0
    while True:
        tries += 1
        try:
            return await attempt(tries)
        except TransientError as error:
            last = error
        if tries > policy.max_retries or (last.retry_after or 0.0) > policy.max_delay:
            raise TargetError(
                last.error.message + _why_no_more(last, tries, policy), kind=last.error.kind
            ) from None  # its own causes may hold what messages must not
        seconds = _wait(last, tries, policy)
        if last.of_rate:
            waits_for_rate(seconds)
        await asyncio.sleep(seconds)


def _wait(error: TransientError, tries: int, policy: RetryPolicy) -> float:
    if error.retry_after is not None:
        return error.retry_after
    jitter = random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311 - spreads load, keeps no secret
    return min(policy.delay(tries) * jitter, policy.max_delay)


def _why_no_more(last: TransientError, tries: int, policy: RetryPolicy) -> str:
    if tries <= policy.max_retries and last.retry_after is not None:
        return (
            f" It asks to wait {last.retry_after:.0f} s, longer than "
            f"`retry.max_delay_ms` allows ({policy.max_delay:.0f} s)."
        )
    return f" Tried {tries} times." if tries > 1 else ""


def seconds_of(headers: object) -> float | None:
    """Return the seconds that `retry-after-ms` or `retry-after` asks for; None without either.

    Args:
        headers: a mapping of header names in lower case, or one that ignores case.
    """
    get = getattr(headers, "get", None)
    if get is None:
        return None
    milliseconds, value = get("retry-after-ms"), get("retry-after")
    for text, unit in ((milliseconds, 1000.0), (value, 1.0)):
        try:
            seconds = float(text) / unit
        except (TypeError, ValueError):
            continue
        if isfinite(seconds):
            return max(seconds, 0.0)
    try:
        return max(parsedate_to_datetime(str(value)).timestamp() - time(), 0.0)
    except (TypeError, ValueError):
        return None
