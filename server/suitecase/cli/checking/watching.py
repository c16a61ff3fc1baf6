"""Checking again whenever a file changes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from suitecase.cli import EXIT_OK
from suitecase.cli.checking.files import watched_files
from suitecase.cli.shown_paths import shown_path

#: Seconds between two looks at the files; longer where looking takes long.
PAUSE = 0.3
#: No more than this share of the time is spent looking.
SHARE = 0.1


def watch(paths: Sequence[Path], check: Callable[[], int], *, writes: bool) -> int:
    """Check, and check again on each change, until Ctrl-C.

    Args:
        paths: what is checked.
        check: checks once.
        writes: says that a check writes files, which must not start another.
    """
    try:
        while True:
            seen = watched_files(paths)
            check()
            if writes:
                seen = watched_files(paths)
            click.echo("Waiting for changes; Ctrl-C ends.", err=True)
            while True:
                started = time.monotonic()
                now = watched_files(paths)
                if now != seen:
                    break
                took = time.monotonic() - started
                time.sleep(max(PAUSE, took / SHARE))
            changed = sorted({path for path, _ in now.items() ^ seen.items()})
            click.echo(f"\n{shown_path(Path(changed[0]))} changed; checking again.", err=True)
    except KeyboardInterrupt:
        click.echo("", err=True)
        return EXIT_OK
