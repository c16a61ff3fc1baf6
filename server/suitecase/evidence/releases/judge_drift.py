"""How the judges of a suite differ from those that its lock holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from weakref import ref

from suitecase.evidence.named_judges import cases_of_judges
from suitecase.evidence.releases.lock_file import LockedJudge, LockFile
from suitecase.evidence.releases.locked_judges import locked_judges
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.model import SuiteHead
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.cache import Cache


@dataclass(frozen=True, slots=True)
class JudgeDrift:
    """A judge that is not the one that is locked.

    Attributes:
        name: the name of its evaluators.
        key: the key of its protocol that the difference is under; None for the protocol as a whole.
        in_words: what differs, as the end of a sentence that starts with the judge.
    """

    name: str
    key: str | None
    in_words: str


@dataclass(frozen=True, slots=True)
class _Known:
    """What was found, and what it depends on apart from the head."""

    workspace: ref[Workspace]
    lock: LockFile
    same_files: bool
    cases: list[object]
    found: tuple[JudgeDrift, ...]

    def fits(self, other: _Known) -> bool:
        return (
            self.workspace is other.workspace
            and self.lock is other.lock
            and self.same_files == other.same_files
            and self.cases == other.cases
        )


_DRIFTS: Cache[_Known] = Cache()


def judge_drifts(
    suite: ParsedSuite,
    head: SuiteHead,
    lock: LockFile,
    protocols: dict[str, str],
    folder: Folder,
    *,
    same_files: bool,
) -> tuple[JudgeDrift, ...]:
    """Return how the judges of a suite differ from those that are locked.

    Args:
        suite: the suite.
        head: its head.
        lock: its lock.
        protocols: the digests of the protocols, as if their files were those that are locked.
        folder: the suite's folder.
        same_files: whether all files are as they are locked; others are reported themselves.
    """
    if not lock.judges and not head.judges:
        return ()
    now = _Known(ref(folder.workspace), lock, same_files, cases_of_judges(suite), ())
    known = _DRIFTS.get(suite.head.content)
    if known is None or not known.fits(now):
        known = replace(now, found=tuple(_found(suite, head, lock, protocols, folder, same_files)))
        _DRIFTS.set(suite.head.content, known)
    return known.found


def _found(
    suite: ParsedSuite,
    head: SuiteHead,
    lock: LockFile,
    protocols: dict[str, str],
    folder: Folder,
    same_files: bool,
) -> Iterator[JudgeDrift]:
    now = locked_judges(suite, head, protocols, folder)
    for name in sorted({*now, *lock.judges}):
        yield from _drift(name, lock.judges.get(name), now.get(name), same_files=same_files)


def _drift(
    name: str, locked: LockedJudge | None, now: LockedJudge | None, *, same_files: bool
) -> Iterator[JudgeDrift]:
    if locked is None or now is None:
        words = "was not declared" if locked is None else "was declared, and is not any more"
        yield JudgeDrift(name, None, words)
    elif locked.model != now.model:
        before = f"`{locked.model}`" if locked.model else "no model"
        yield JudgeDrift(name, "model", f"asked {before}")
    elif locked.protocol != now.protocol:
        yield JudgeDrift(name, None, "graded by another protocol")
    elif same_files and locked.hash != now.hash:
        yield JudgeDrift(
            name, "target", "had another target or other settings, or was asked in another way"
        )
    elif locked.calibration != now.calibration:
        yield JudgeDrift(name, "calibration", "had another calibration")
