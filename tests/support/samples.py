"""The part of a sweep that the ordinary tests try: another one each time, and all of it by `make sweep`.

`SUITECASE_SAMPLE` is the seed of the part, and the end of a run that fails names it. `SUITECASE_EVERY_OFFSET` asks for
all of each sweep.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from random import Random
from typing import TypeVar

import pytest

T = TypeVar("T")
#: Whether all of each sweep is tried.
EVERY = bool(os.environ.get("SUITECASE_EVERY_OFFSET"))
#: The processes of a run in parallel, which collect the same tests, have the seed from the one that starts them.
SEED = os.environ.setdefault("SUITECASE_SAMPLE", str(secrets.randbelow(1000)))


def sample(things: Iterable[T], share: int = 3) -> list[T]:
    """Return one of each so many things that follow one another, in their order; all of them for `make sweep`.

    Args:
        things: all that could be tried.
        share: how many there are for each that is returned.
    """
    everything = list(things)
    if EVERY:
        return everything
    random = dice()
    return [
        random.choice(everything[first : first + share])
        for first in range(0, len(everything), share)
    ]


def dice() -> Random:
    """Return dice that fall as the seed says."""
    return Random(SEED)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, exitstatus: pytest.ExitCode
) -> None:
    if exitstatus == pytest.ExitCode.TESTS_FAILED and not EVERY:
        terminalreporter.write_line(
            f"Sweeps had a part of their examples; the same part again: SUITECASE_SAMPLE={SEED}"
        )
