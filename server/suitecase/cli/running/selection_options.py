"""The options of `suitecase run` that select targets and cases."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

_F = TypeVar("_F", bound=Callable[..., object])

_OPTIONS = (
    click.option(
        "--target",
        "targets",
        metavar="NAME",
        multiple=True,
        help="Use this target instead of the ones that the suite names: one of the targets file, or the address "
        "of a server with OpenAI's API, such as http://127.0.0.1:8080/v1 (with #MODEL if it serves several). Can be repeated: each suite is "
        "run with each target, all in one results file, and a table compares them.",
    ),
    click.option(
        "--filter",
        "filters",
        metavar="GLOB",
        multiple=True,
        help="Run only cases whose id matches, such as `greets-*`. Can be repeated: any of them.",
    ),
    click.option(
        "--tags",
        "tags",
        metavar="TAG",
        multiple=True,
        help="Run only cases with this tag. Can be repeated: any of them.",
    ),
    click.option(
        "--failed",
        is_flag=True,
        help="Run only cases whose last result, in the suite's newest results, is not a pass: they"
        " failed, are borderline, or could not be graded.",
    ),
    click.option(
        "--limit",
        metavar="N",
        type=click.IntRange(min=1),
        help="Run only the first N of the selected cases of each suite. Gates are not decided then.",
    ),
    click.option(
        "--keep-going",
        is_flag=True,
        help="Run the other cases if some have errors or need something that is missing. Those are"
        " listed, and the exit code is not 0.",
    ),
)


def selection_options(command: _F) -> _F:
    """Add the options that select targets and cases to a command, in the order of its help."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
