"""The error of commands where what they are about is not there: no suite, no results, no such file."""

from __future__ import annotations

from pathlib import Path

import click


class NothingThereError(click.ClickException):
    """What a command is about is not there. It was used rightly, so its usage is not printed."""

    exit_code = 2


def no_suite_here(folder: Path, refusal: str = "") -> NothingThereError:
    """Return what to raise where a folder has no suite: what was searched, and the next step.

    Args:
        folder: the folder.
        refusal: what messages say before the reason, such as `.: cannot be run: `.
    """
    from suitecase.formats.unrecognized import no_suite_in  # what it looks at few folders need

    return NothingThereError(refusal + no_suite_in(folder))
