"""How long a question waits before it is put again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from suitecase_evaluators.targets.config import RetryConfig
from suitecase_evaluators.targets.retry import (
    RetryPolicy,
    TransientError,
    seconds_of,
    with_retries,
)
from suitecase_evaluators.targets.target import TargetError


def test_waits_grow_up_to_the_longest() -> None:
    policy = RetryPolicy.of(
        RetryConfig(initial_delay_ms=500, max_delay_ms=3000, backoff_factor=3), default_retries=2
    )
    assert [policy.delay(tries) for tries in (1, 2, 3, 5000)] == [0.5, 1.5, 3.0, 3.0]


def test_defaults_are_three_tries_with_a_second_between() -> None:
    policy = RetryPolicy.of(None, default_retries=2)
    assert (policy.max_retries, policy.delay(1), policy.delay(2)) == (2, 1.0, 2.0)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({}, None),
        (None, None),
    ],
)
def test_what_servers_ask_for(headers: dict[str, str] | None, seconds: float | None) -> None:
    assert seconds_of(headers) == seconds


def test_a_time_of_day_may_be_asked_for() -> None:
    at = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    found = seconds_of({"retry-after": at})
    assert found is not None
    assert 80 < found <= 90


async def test_other_errors_are_raised_at_once() -> None:
    tried: list[int] = []

    async def attempt(number: int) -> str:
        tried.append(number)
        raise TargetError("refused", kind="rejected")

    with pytest.raises(TargetError, match=r"^refused$"):
        await with_retries(attempt, RetryPolicy(initial_delay=0.001))
    assert tried == [1]


async def test_the_last_error_is_the_one_that_is_told() -> None:
    async def attempt(number: int) -> str:
        raise TransientError(TargetError(f"try {number} failed.", kind="timeout"))

    with pytest.raises(TargetError, match=r"^try 3 failed\. Tried 3 times\.$") as caught:
        await with_retries(attempt, RetryPolicy(initial_delay=0.001))
    assert caught.value.kind == "timeout"
