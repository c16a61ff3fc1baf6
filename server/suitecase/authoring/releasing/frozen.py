"""Conditions on what was frozen: the suite is the locked version, and the run answers all of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from suitecase.authoring.releasing.condition import Condition, Kind
from suitecase.authoring.releasing.release import Release
from suitecase.evidence.governed import lock_name
from suitecase.evidence.releases.case_digests import PARTS, CaseDigests
from suitecase.evidence.releases.differences import differences
from suitecase.evidence.releases.file_digests import FileDigests
from suitecase.evidence.releases.lock_file import LockFile, LockProblem
from suitecase.evidence.releases.lock_state import PARTS_IN_WORDS, LockState, lock_of, lock_state
from suitecase.evidence.releases.suite_digests import SuiteDigests
from suitecase.figures.deciding import not_asked
from suitecase.text.plural import counted

#: As many cases are named.
_MOST = 3
#: As many differences from the lock are listed one by one.
_MOST_DIFFERENCES = 20


def lock_conditions(release: Release) -> Iterator[Condition]:
    """Yield what is wrong with the lock file, and how the suite differs from it."""
    name = lock_name(release.path)
    lock = lock_of(release.path, release.folder)
    version = release.line_of("version")
    if release.version is None:
        text = "the suite has no `version`, so nothing says which version is published"
        yield Condition(Kind.LOCK, text, release.head_file, release.line_of())
    if lock is None:
        text = f"there is no lock file `{name}`; `suitecase lock` writes it"
        yield Condition(Kind.LOCK, text, release.head_file, version)
    elif isinstance(lock, LockProblem):
        text = f"`{name}` cannot be used: {lock.message}"
        yield Condition(Kind.LOCK, text, release.folder.path / name, lock.line)
    else:
        state = lock_state(release.suite, release.path, release.folder)
        if state is not None:
            yield from _drift(release, state)


def _drift(release: Release, state: LockState) -> Iterator[Condition]:
    if state.is_raised:
        text = (
            f"version {state.version} is not locked: the lock file is of {state.lock.version}; "
            f"`suitecase lock {release.asked.suite_path}` locks it"
        )
        yield Condition(Kind.LOCK, text, release.head_file, release.line_of("version"))
    found = list(differences(release.suite, state, release.folder))
    for it in found[:_MOST_DIFFERENCES]:
        number, span = it.place
        if number is None:
            path, line = release.head_file, release.suite.head_line(span)
        else:
            path, line = release.path, release.suite.line(number, span)
        yield Condition(Kind.LOCK, it.message, path, line)
    if len(found) > _MOST_DIFFERENCES:
        more = counted(len(found) - _MOST_DIFFERENCES, "more difference")
        text = f"the suite has {more} from its lock; `suitecase lock --check` lists them"
        yield Condition(Kind.LOCK, text, release.path)


def run_conditions(release: Release) -> Iterator[Condition]:
    """Yield how the run is not one of the whole suite as it is published."""
    results = release.run.path
    for table in release.tables.by_target.values():
        left_out = not_asked(table, release.tables, release.asked)
        if left_out:
            text = (
                f"the run is a part: it has no answer of `{table.target}` to {_named(left_out)} of "
                f"{counted(len(release.asked.cases), 'case')}"
            )
            first = release.asked.cases[left_out[0]]
            yield Condition(Kind.RUN, text, release.path, first.line)
        if table.repeats < release.asked.repeats:
            text = (
                f"the run asked each case {counted(table.repeats, 'time')}, and the suite asks it "
                f"{counted(release.asked.repeats, 'time')}"
            )
            line = release.line_of("execution", "repeats")
            yield Condition(Kind.RUN, text, release.head_file, line)
        lacking = len(table.cases) * table.repeats - table.answers
        if lacking > 0:
            text = f"the run is a part: {counted(lacking, 'repeat')} of its cases were not asked"
            yield Condition(Kind.RUN, text, results)
    if release.tables.unfinished:
        text = f"the run is a part: it has {release.tables.answers:,} of its {release.tables.planned:,} answers"
        yield Condition(Kind.RUN, text, results)
    recorded = {it.eval_id for it in release.run.answers}
    unknown = [it for it in recorded if it not in release.asked.cases]
    if unknown:
        text = f"the run answers {_named(sorted(unknown))}, which the suite does not have"
        yield Condition(Kind.RUN, text, results)
    yield from _other_version(release)


def _other_version(release: Release) -> Iterator[Condition]:
    """Yield which answers are to another version than the one that is published."""
    frozen, name = _frozen(release)
    changed: dict[str, set[str]] = {}
    unknown: set[str] = set()
    for record in release.run.answers:
        digests = frozen.get(record.eval_id)
        if digests is None:
            continue
        own = {part: record.fields.get(f"{part}_hash") for part in PARTS}
        if None in own.values():
            known = release.asked.cases.get(record.eval_id)
            if known is None or record.version.text != known.hash:
                unknown.add(record.eval_id)
            continue
        parts = {part for part, it in own.items() if it != getattr(digests, part)}
        if parts:
            changed.setdefault(record.eval_id, set()).update(parts)
    if changed:
        every = {part for it in changed.values() for part in it}
        words = ", ".join(PARTS_IN_WORDS[it] for it in PARTS if it in every)
        differ = "differs" if len(changed) == 1 else "differ"
        text = f"the run is not of {name}: {_named(list(changed))} {differ} ({words})"
        first = release.asked.cases.get(next(iter(changed)))
        yield Condition(Kind.RUN, text, release.path, first.line if first is not None else None)
    if unknown:
        text = f"the results do not say that they are of {name}: {_named(sorted(unknown))}; run it again"
        yield Condition(Kind.RUN, text, release.run.path)


def _frozen(release: Release) -> tuple[Mapping[str, CaseDigests], str]:
    """Return the digests of the cases that are published: the locked ones, else those of today."""
    lock = lock_of(release.path, release.folder)
    if isinstance(lock, LockFile):
        return {case: it.digests for case, it in lock.cases.items()}, lock.version
    digests = SuiteDigests(release.suite, release.head, FileDigests(release.folder))
    found: dict[str, CaseDigests] = {}
    for number, case in release.case_ids.items():
        own = digests.of(number)
        if own is not None:
            found.setdefault(case, own)
    return found, "the suite as it is now"


def _named(cases: Sequence[str]) -> str:
    listed = ", ".join(f"`{it}`" for it in cases[:_MOST])
    more = len(cases) - _MOST
    return f"the {'case' if len(cases) == 1 else 'cases'} {listed}" + (
        f" and {more:,} more" if more > 0 else ""
    )
