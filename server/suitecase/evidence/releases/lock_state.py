"""How a suite differs from the version that its lock file holds.

What a case, the head and files have to do with it is compared on its own, so that each difference is
found once: a case is compared as if the head and the files were still those that are locked. Of a
case whose text is the locked one nothing else is compared, and of others what was found is kept until
they change, so a keystroke costs one case.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from weakref import ref

from suitecase.evidence.governed import lock_beside, lock_name
from suitecase.evidence.releases.case_digests import HeadDigests, head_digests
from suitecase.evidence.releases.file_digests import FileDigests, digest_of_file, named_file
from suitecase.evidence.releases.head_parts import changed_keys
from suitecase.evidence.releases.judge_drift import JudgeDrift, judge_drifts
from suitecase.evidence.releases.lock_file import LockedCase, LockFile, LockProblem, read_lock
from suitecase.evidence.releases.locking import deprecated_ids, text_digest
from suitecase.evidence.releases.slice_digests import slices_digest
from suitecase.evidence.releases.suite_digests import SuiteDigests
from suitecase.evidence.releases.versions import is_later
from suitecase.format.workspace import Folder, Unreadable, Workspace
from suitecase.formats.suitecase.model import SuiteHead
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedSuite
from suitecase.text.cache import Cache
from suitecase.text.node import Scalar

#: What can differ of a case, in words.
PARTS_IN_WORDS = {
    "question": "its question",
    "expected": "what it expects",
    "grading": "its grading",
    "slices": "its tags or metadata",
}


@dataclass(frozen=True, slots=True)
class CaseDrift:
    """A case that is not the one that is locked; `changed` are the parts that differ."""

    number: int
    id: str
    changed: tuple[str, ...]

    @property
    def in_words(self) -> str:
        """What differs: `its question and its grading`."""
        parts = [PARTS_IN_WORDS[it] for it in self.changed]
        return " and ".join((", ".join(parts[:-1]), parts[-1])) if len(parts) > 1 else parts[0]


@dataclass(frozen=True, slots=True, eq=False)
class LockState:
    """A suite beside its lock.

    Attributes:
        path: the path of the lock file.
        lock: what it says.
        version: the version of the suite as it is written; None if it has none.
        cases: the cases that differ.
        added: the cases that are not in the lock, with their numbers.
        removed: the ids of the cases that only the lock has.
        dropped: the ids of the cases whose entry under `governance.deprecated` only the lock has.
        documented: the ids of cases that `governance.deprecated` lists.
        keys: the keys of the head whose values differ, as paths.
        files: the files whose content differs, as the lock names them.
        judges: the judges that differ.
    """

    path: Path
    lock: LockFile
    version: str | None
    cases: tuple[CaseDrift, ...]
    added: tuple[tuple[int, str], ...]
    removed: tuple[str, ...]
    dropped: tuple[str, ...]
    documented: frozenset[str]
    keys: tuple[str, ...]
    files: tuple[str, ...]
    judges: tuple[JudgeDrift, ...]

    @property
    def undocumented(self) -> tuple[str, ...]:
        """The ids of the removed cases that `governance.deprecated` does not list."""
        return (*(it for it in self.removed if it not in self.documented), *self.dropped)

    @property
    def is_current(self) -> bool:
        """Whether the suite is the locked version."""
        cases = (self.cases, self.added, self.removed, self.dropped)
        return self.version == self.lock.version and not any(
            (*cases, self.keys, self.files, self.judges)
        )

    @property
    def is_raised(self) -> bool:
        """Whether the suite has a later version than its lock, so that it may differ."""
        return self.version is not None and is_later(self.version, self.lock.version)


def lock_of(path: Path, folder: Folder) -> LockFile | LockProblem | None:
    """Return the lock of a suite, or why it cannot be used; None if there is none.

    Args:
        path: the suite, the data set or its sidecar.
        folder: its folder.
    """
    name, beside = lock_name(path), lock_beside(path, folder)
    if beside is None:
        return None
    text = folder.read(beside)
    if isinstance(text, Unreadable):
        return LockProblem(f"it cannot be read: {text.reason}")
    if not name.endswith(".eval.lock") and '"digest"' not in text:
        return None  # the lock file of another program, such as `poetry.lock`
    lock = read_lock(text)
    if isinstance(lock, LockFile) and lock_name(Path(lock.suite)) != name:
        return LockProblem(f"it is the lock of `{lock.suite}`")
    return lock


def written_version(suite: ParsedSuite) -> str | None:
    """Return the version of a suite as it is written; None if it has none."""
    node = suite.head.node.get("version") if suite.head.node is not None else None
    return node.text if isinstance(node, Scalar) and node.value is not None else None


def lock_state(suite: ParsedSuite, path: Path, folder: Folder) -> LockState | None:
    """Return how a suite differs from its lock; None if it has none that can be used.

    Args:
        suite: the suite or the data set.
        path: its path, or that of its sidecar.
        folder: its folder.
    """
    lock = lock_of(path, folder)
    head = suite.head.model
    if not isinstance(lock, LockFile) or head is None:
        return None
    inherited = _inherited(suite, head, lock, folder)
    entries = suite.case_index.values(_entry)
    files = tuple(
        name
        for name, digest in lock.files.items()
        if digest_of_file(named_file(name, folder), folder.workspace) != digest
    )
    judges = judge_drifts(suite, head, lock, dict(inherited.judges), folder, same_files=not files)
    known = _STATES.get(suite.head.content)
    if known is not None and known.fits(lock, inherited, entries, files, judges, folder.workspace):
        return known.state
    comparison = _Comparison(suite, head, lock, folder)
    cases, added, present = comparison.of_cases(entries)
    gone = set() if lock.cases.keys() <= present else lock.cases.keys() - present
    documented = deprecated_ids(head)
    state = LockState(
        path=folder.path / lock_name(path),
        lock=lock,
        version=written_version(suite),
        cases=cases,
        added=added,
        removed=tuple(case for case in lock.cases if case in gone) if gone else (),
        dropped=tuple(it for it in lock.deprecated if it not in present | documented),
        documented=documented,
        keys=changed_keys(head, inherited, lock),
        files=files,
        judges=judges,
    )
    workspace = ref(folder.workspace) if comparison.looks else None
    known = _Known(lock, inherited, entries, files, judges, workspace, state)
    _STATES.set(suite.head.content, known)
    return state


#: The id of a case, and the digest of its text.
_Entry = tuple[str, str]


def _entry(case: ParsedCase) -> _Entry:
    return (case.id.text if case.id is not None else "", text_digest(case))


_LOOKS: Cache[Callable[[ParsedCase], _Entry | None]] = Cache()


def _differing_from(lock: LockFile) -> Callable[[ParsedCase], _Entry | None]:
    """Return a look for `ParsedSuite.case_index`: the entry of a case that the lock does not have."""

    def make() -> Callable[[ParsedCase], _Entry | None]:
        locked = {(name, it.text) for name, it in lock.cases.items()}

        def look(case: ParsedCase) -> _Entry | None:
            entry = _entry(case)
            return None if entry in locked else entry

        return look

    return _LOOKS.of(lock, make)


_HEADS: Cache[tuple[ref[Workspace], LockFile, HeadDigests]] = Cache()


def _inherited(suite: ParsedSuite, head: SuiteHead, lock: LockFile, folder: Folder) -> HeadDigests:
    """Return the digests of a head, as if its files were those that are locked."""
    known = _HEADS.get(suite.head.content)
    if known is None or known[0]() is not folder.workspace or known[1] is not lock:
        digests = head_digests(head, FileDigests(folder, lock.files))
        known = ref(folder.workspace), lock, digests
        _HEADS.set(suite.head.content, known)
    return known[2]


@dataclass(frozen=True, slots=True)
class _Known:
    """The state of a suite, and what it depends on apart from the head."""

    lock: LockFile
    inherited: HeadDigests
    entries: Sequence[_Entry]
    files: tuple[str, ...]
    judges: tuple[JudgeDrift, ...]
    #: The files around the suite, if what differs depends on them.
    workspace: ref[Workspace] | None
    state: LockState

    def fits(
        self,
        lock: LockFile,
        inherited: HeadDigests,
        entries: Sequence[_Entry],
        files: tuple[str, ...],
        judges: tuple[JudgeDrift, ...],
        workspace: Workspace,
    ) -> bool:
        return (
            self.lock is lock
            and self.inherited == inherited
            and self.files == files
            and self.judges == judges
            and (self.workspace is None or self.workspace() is workspace)
            and self.entries == entries
        )


_STATES: Cache[_Known] = Cache()


@dataclass(frozen=True, slots=True)
class _Compared:
    """What differs of a case, for what that depends on."""

    lock: LockFile
    appended: bool
    workspace: ref[Workspace] | None
    changed: tuple[str, ...]


_COMPARED: Cache[_Compared] = Cache()


class _Comparison:
    """Compares cases with a lock."""

    def __init__(self, suite: ParsedSuite, head: SuiteHead, lock: LockFile, folder: Folder) -> None:
        self._suite, self._head, self._lock, self._folder = suite, head, lock, folder
        #: Whether what differs depends on files.
        self.looks = False

    def of_cases(
        self, entries: Sequence[_Entry]
    ) -> tuple[tuple[CaseDrift, ...], tuple[tuple[int, str], ...], set[str]]:
        """Return the cases that differ, those that are added, and the ids of all."""
        drifting: list[CaseDrift] = []
        added: list[tuple[int, str]] = []
        ids = [case_id for case_id, _ in entries]
        present = set(ids)
        # Only the first case of an id counts.
        is_unique = len(present) == len(ids)
        first = (
            {} if is_unique else dict(zip(reversed(ids), range(len(ids) - 1, -1, -1), strict=True))
        )
        present.discard("")
        others = self._others(entries)
        for number, case_id in others:
            if not case_id or first.get(case_id, number) < number:
                continue
            locked = self._lock.cases.get(case_id)
            if locked is None:
                added.append((number, case_id))
                continue
            changed = self._changed(number, locked)
            if changed:
                drifting.append(CaseDrift(number, case_id, changed))
        return tuple(drifting), tuple(added), present

    def _others(self, entries: Sequence[_Entry]) -> list[tuple[int, str]]:
        """Return the numbers and ids of the cases that are not as the lock has them, letter by letter."""
        if self._suite.document.segmented:
            found = self._suite.case_index.where(_differing_from(self._lock))
            return [(number, case_id) for number, (case_id, _) in found]
        # Cases may refer to each other by aliases if the suite was not parsed case by case.
        return [(number, case_id) for number, (case_id, _) in enumerate(entries)]

    def _changed(self, number: int, locked: LockedCase) -> tuple[str, ...]:
        content = self._suite.cases[number].content
        appended = self._suite.appended_to(number)
        workspace = self._folder.workspace
        known = _COMPARED.get(content)
        if (
            known is None
            or known.lock is not self._lock
            or known.appended != appended
            or (known.workspace is not None and known.workspace() is not workspace)
        ):
            files = FileDigests(self._folder, self._lock.files)
            changed = self._differing(number, locked, files)
            around = ref(workspace) if files.looked else None
            known = _Compared(self._lock, appended, around, changed)
            _COMPARED.set(content, known)
        self.looks = self.looks or known.workspace is not None
        return known.changed

    def _differing(self, number: int, locked: LockedCase, files: FileDigests) -> tuple[str, ...]:
        case = self._suite.cases[number].model
        digests = SuiteDigests(self._suite, self._head, files, self._lock.inherited).of(number)
        if case is None or digests is None:
            return ()  # it has errors, which are reported
        changed = digests.differing(locked.digests)
        if slices_digest(case, self._lock.head.metadata) != locked.slices:
            changed += ("slices",)
        return changed
