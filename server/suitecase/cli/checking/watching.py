"""Checking again whenever a file changes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from suitecase.cli import EXIT_OK, EXIT_UNGRADED, EXIT_USAGE
from suitecase.cli.output.terminal import echo, output_is_closed
from suitecase.cli.shown_paths import shown_path
from suitecase.format.workspace import Workspace, find_root
from suitecase.text.git_ignored import GitIgnored
from suitecase.text.skipped_folders import INSTALLED
from suitecase.text.working_directory import working_directory
from suitecase_evaluators.system.path_kinds import is_folder

#: Seconds between polls of the files; more if polling is slow.
PAUSE = 0.3
#: The maximum share of time spent polling.
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
            files = watched_files(paths)
            code = check()
            # What could not be written was perhaps changed meanwhile, and is to be looked at again.
            if writes and code not in (EXIT_USAGE, EXIT_UNGRADED):
                files = watched_files(paths)
            if output_is_closed():
                return code  # nobody looks at what further changes come to
            echo("Waiting for changes; Ctrl-C ends.", err=True)
            while True:
                started = time.monotonic()
                now = watched_files(paths)
                if now != files:
                    break
                elapsed = time.monotonic() - started
                time.sleep(max(PAUSE, elapsed / SHARE))
            changed = sorted({path for path, _ in now.items() ^ files.items()})
            echo("", err=True)
            echo(f"{shown_path(Path(changed[0]))} changed; checking again.", err=True)
    except KeyboardInterrupt:
        echo("", err=True)
        return EXIT_OK


def watched_files(paths: Sequence[Path]) -> dict[str, tuple[int, int]]:
    """Return all that may change what a check finds, with time and size.

    That is every file of the folders that are checked, and of those the files that are checked lie
    in, with the configuration and the targets above them; not what this process itself prints to.
    """
    found: dict[str, tuple[int, int]] = {}
    for path in paths:
        absolute = working_directory() / path
        folder = absolute if is_folder(absolute) else absolute.parent
        git = GitIgnored(folder, find_root(folder / "suite", working_directory()))
        for place, folders, files in os.walk(folder):
            git.enter(place, files, folders)
            folders[:] = [
                it
                for it in folders
                if it not in INSTALLED
                and (not it.startswith(".") or it in (".suitecase", ".agentv"))
                and not git.leaves_out(place, it, is_folder=True)
            ]
            _note(found, (f"{place}{os.sep}{name}" for name in files))
        for up in Workspace(find_root(folder / "suite", working_directory())).folders_up(folder):
            beside = ("suitecase.toml", "pyproject.toml", "targets.yaml", "targets.yml")
            _note(found, (str(up / name) for name in beside))
            for hidden in (".suitecase", ".agentv"):
                with suppress(OSError):  # there may be none, and it may be somebody else's
                    _note(found, (str(it) for it in (up / hidden).iterdir()))
    return found


def _note(found: dict[str, tuple[int, int]], paths: Iterator[str]) -> None:
    printed = {_identity(os.fstat(number)) for number in (1, 2)}
    for path in paths:
        try:
            status = os.stat(path)  # noqa: PTH116 - for each file of a tree, twice a second
        except OSError:
            continue
        if _identity(status) not in printed:
            found[path] = (status.st_mtime_ns, status.st_size)


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino
