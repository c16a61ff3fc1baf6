"""Locking a suite, or comparing it with its lock."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import click

from suitecase.cli import EXIT_FINDINGS
from suitecase.cli.output.terminal import echo
from suitecase.cli.shown_paths import shown_path
from suitecase.cli.suite_argument import SuiteArgument
from suitecase.cli.suite_reading import read_suite
from suitecase.cli.writing import require_inside, require_led_inside, unwritten, write_text
from suitecase.evidence.governed import lock_name
from suitecase.evidence.releases.differences import Difference, differences
from suitecase.evidence.releases.lock_file import LockFile, LockProblem, lock_text
from suitecase.evidence.releases.lock_state import LockState, lock_of, lock_state
from suitecase.evidence.releases.locking import make_lock
from suitecase.format.dataset_files import dataset_of, sidecar_of
from suitecase.format.rule import Finding
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.model import SuiteHead
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.working_directory import working_directory
from suitecase_evaluators.system.path_kinds import real_path


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What locking a suite came to.

    Attributes:
        suite: the suite.
        path: its path.
        head_path: the path of the file with its head.
        lock_path: the path of its lock file.
        lock: the lock as it is now.
        before: how the suite differs from the lock that there was; None if there was none.
        differences: why it was not locked, or is not current.
        written: whether the lock file was written.
    """

    suite: ParsedSuite
    path: Path
    head_path: Path
    lock_path: Path
    lock: LockFile
    before: LockState | None
    differences: tuple[Difference, ...]
    written: bool

    @property
    def is_current(self) -> bool:
        """Whether the lock that there was is that of the suite."""
        return self.before is not None and self.before.is_current

    def place(self, difference: Difference) -> tuple[Path, int]:
        """Return the file and the line, from 1, of a difference."""
        number, span = difference.place
        if number is None:
            return self.head_path, self.suite.head_line(span)
        return self.path, self.suite.line(number, span)


class _UnsoundError(click.ClickException):
    """The suite has errors."""

    exit_code = EXIT_FINDINGS


def lock_suite(argument: Path, *, check: bool) -> Outcome:
    """Lock a suite unless its version forbids it.

    Args:
        argument: the path of a suite, a data set or a sidecar.
        check: write nothing.

    Raises:
        click.ClickException: it cannot be locked, or compared with its lock.
    """
    if not check:
        require_inside(argument)
    place = working_directory() / argument
    path = real_path(place.parent) / place.name
    if not check:
        require_led_inside(argument, path)
    path = dataset_of(path) or path
    suite, folder = read_suite(path, " cannot be locked")
    if not suite.cases:
        raise click.UsageError(f"{shown_path(path)} cannot be locked: it is not a suite")
    lock_path = folder.path / lock_name(path)
    existing = lock_of(path, folder)
    if isinstance(existing, LockProblem):
        raise click.UsageError(_unusable(lock_path, existing))
    if existing is None and check:
        raise click.UsageError(
            f"{shown_path(path)} is not locked: there is no {lock_path.name} beside it; "
            f"`suitecase lock {shown_path(path)}` writes it"
        )
    head = _sound_head(suite, path, folder)
    head_path = (sidecar_of(path) or path) if suite.kind == "dataset" else path
    version = _version(head, head_path)
    before = lock_state(suite, path, folder) if existing is not None else None
    found = differences(suite, before, folder) if before is not None else ()
    at = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    lock = make_lock(suite, head, version, path, folder, at)
    if existing is not None and lock.same_release(existing):
        lock = existing
    written = not check and not found and lock is not existing
    if written:
        _write(lock_path, lock, None if existing is None else str(folder.read(lock_path)))
    return Outcome(
        suite=suite,
        path=path,
        head_path=head_path,
        lock_path=lock_path,
        lock=lock,
        before=before,
        differences=found,
        written=written,
    )


def _sound_head(suite: ParsedSuite, path: Path, folder: Folder) -> SuiteHead:
    """Return the head of a suite, which has to be without errors apart from its lock."""
    from suitecase.cli.running.refusal import errors
    from suitecase.evidence.rules.locks import ON_LOCKS
    from suitecase.run.blocking_findings import suite_errors

    def counts(finding: Finding) -> bool:
        return finding.rule not in ON_LOCKS

    found = suite_errors(suite, path, folder, counts)
    head = suite.head.model
    if found.all or head is None:
        for line in errors(SuiteArgument(path, ()), found.all):
            echo(line, err=True)
        raise _UnsoundError(f"{shown_path(path)} has errors, so it cannot be locked")
    return head


def _version(head: SuiteHead, path: Path) -> str:
    version = head.version
    if isinstance(version, str) and version.strip():
        return version
    shown = shown_path(path)
    if version is None or version == "":
        raise click.UsageError(
            f'{shown} has no `version`; add one, such as version: "{datetime.now(UTC):%Y}.1"'
        )
    raise click.UsageError(
        f"the `version` of {shown} must be text, so that 1.10 does not become 1.1; write it in "
        f'quotes: version: "{version}"'
    )


def _unusable(path: Path, problem: LockProblem) -> str:
    line = f":{problem.line}" if problem.line is not None else ""
    return (
        f"{shown_path(path)}{line} cannot be used: {problem.message}. Restore it from version "
        "control, or delete it and lock the suite again"
    )


def _write(path: Path, lock: LockFile, before: str | None) -> None:
    try:
        write_text(path, lock_text(lock), before)
    except OSError as error:
        raise unwritten(path, error) from error
