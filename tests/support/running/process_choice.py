"""Which tests run their commands in processes of their own, and which in the test's: `--as-processes` says it."""

from __future__ import annotations

import secrets
import zlib

import pytest


class _Mode:
    """Whether the test that is running has its commands in its own process."""

    in_process = False


def in_process() -> bool:
    """Return whether the test that is running has its commands in its own process."""
    return _Mode.in_process


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--as-processes",
        choices=("marked", "quarter", "all"),
        default="marked",
        help="which tests run their commands in processes of their own: those with the mark `process`, also a "
        "quarter of the others, or all",
    )
    parser.addoption(
        "--quarter",
        type=int,
        help="the seed of the quarter, which the end of a run names; random without it",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "process: its commands run in processes of their own")
    # The workers of a run in parallel get the options from here.
    if config.option.quarter is None:
        config.option.quarter = secrets.randbelow(1000)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if config.option.as_processes == "quarter":
        terminalreporter.write_line(
            "Commands of a quarter of the tests were processes; the same ones again: "
            f"--as-processes quarter --quarter {config.option.quarter}"
        )


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    share = item.config.option.as_processes
    _Mode.in_process = (
        share != "all"
        and item.get_closest_marker("process") is None
        and not (share == "quarter" and _is_of_quarter(item.nodeid, item.config.option.quarter))
    )


def _is_of_quarter(test: str, seed: int) -> bool:
    return zlib.crc32(f"{seed} {test}".encode()) % 4 == 0
