"""How many processes grade a run that does not say it."""

from __future__ import annotations

import pytest

from suitecase.run.sharing.chosen import useful_processes


@pytest.mark.parametrize(
    ("jobs", "calls", "cores", "expected"),
    [
        (100_000, 64, 1, 1),
        (100_000, 64, 2, 1),
        (100_000, 64, 3, 3),
        (100_000, 64, 16, 4),
        (100_000, 8, 16, 1),
        (2_500, 640, 16, 2),
        (900, 640, 16, 1),
    ],
)
def test_processes_are_as_many_as_jobs_calls_and_processors_are_worth(
    jobs: int, calls: int, cores: int, expected: int
) -> None:
    """On two processors, one process is faster than two with a coordinator."""
    assert useful_processes(jobs, calls, cores) == expected
