"""The conditions of publication: the one list of what forbids it.

Nothing else decides whether a run may be published, and nothing in the list can be switched off:
neither comments nor a configuration silence it. A draft is written in spite of it, and says so on every
page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from suitecase.authoring.releasing.calibrated import judge_conditions
from suitecase.authoring.releasing.condition import Condition, Kind
from suitecase.authoring.releasing.release import Release
from suitecase.checking.check import check
from suitecase.checking.options import CheckOptions
from suitecase.checking.rules import rule_named
from suitecase.evidence.governed import lock_name
from suitecase.evidence.labels.people import peoples_labels
from suitecase.evidence.releases.case_digests import PARTS, CaseDigests
from suitecase.evidence.releases.differences import differences
from suitecase.evidence.releases.file_digests import FileDigests
from suitecase.evidence.releases.lock_file import LockFile, LockProblem
from suitecase.evidence.releases.lock_state import PARTS_IN_WORDS, LockState, lock_of, lock_state
from suitecase.evidence.releases.suite_digests import SuiteDigests
from suitecase.evidence.rules.licenses import unlicensed_source
from suitecase.evidence.rules.locks import ON_LOCKS
from suitecase.evidence.sources import cases_of_source, named_sources, sources_of
from suitecase.figures.deciding import not_asked
from suitecase.figures.decision import Decision, Outcome
from suitecase.figures.gate_words import value_of
from suitecase.figures.gates.grammar import Gate, figures_in
from suitecase.figures.gates.names import suite_figures
from suitecase.figures.gates.parsing import parse_gate
from suitecase.format.rule import Severity
from suitecase.formats.suitecase.parsed import parse_sidecar
from suitecase.text.plural import counted

#: Errors of the suite that other conditions are about, with more to say.
_ELSEWHERE = ON_LOCKS | {unlicensed_source}
#: As many errors are listed one by one.
_MOST_ERRORS = 20


def conditions_of(release: Release) -> tuple[Condition, ...]:
    """Return everything that forbids publication, in the order of `Kind`."""
    found = [
        *_errors(release),
        *run_conditions(release),
        *_rehearsal(release),
        *_gates(release),
        *judge_conditions(release),
        *label_conditions(release),
        *lock_conditions(release),
        *_licenses(release),
    ]
    order = list(Kind)
    return tuple(sorted(dict.fromkeys(found), key=lambda it: order.index(it.kind)))


def _errors(release: Release) -> Iterator[Condition]:
    found = dict.fromkeys(
        Condition(Kind.SUITE, f"{it['code']} {it['message']}", Path(it["file"]), it["line"])
        for it in release.errors.all
        if rule_named(it["code"]) not in _ELSEWHERE
    )
    found.update(dict.fromkeys(_silenced(release)))
    errors = list(found)
    yield from errors[:_MOST_ERRORS]
    more = len(errors) - _MOST_ERRORS
    if more > 0:
        text = f"the suite has {counted(more, 'more error')}; `suitecase check` lists them"
        yield Condition(Kind.SUITE, text, release.path)


def _silenced(release: Release) -> Iterator[Condition]:
    """Yield the errors about releases that a comment, a configuration or a baseline silences."""
    parts = [(release.suite, release.path)]
    if release.suite.sidecar is not None and release.head_file != release.path:
        parts.append((parse_sidecar(release.suite.sidecar.text), release.head_file))
    plainly = CheckOptions(use_config=False, use_baseline=False)
    for part, path in parts:
        analysis = check(part, release.folder, path, options=plainly)
        for finding in (*analysis.findings, *analysis.silenced):
            rule = finding.rule
            if (
                rule.affects == "release"
                and rule.severity is Severity.ERROR
                and rule not in _ELSEWHERE
                and finding.external is None
            ):
                text = f"{finding.code} {finding.message}"
                yield Condition(Kind.SUITE, text, path, analysis.place(finding.span).line)


def _gates(release: Release) -> Iterator[Condition]:
    targets = len({gate.target for gate in release.figures.gates}) > 1
    for decision in release.figures.gates:
        if decision.outcome.is_met or decision.warns:
            continue
        of = f" of `{decision.target}`" if targets else ""
        yield Condition(
            Kind.GATE,
            f"`{decision.gate}`{of} {_outcome(decision)}",
            release.head_file,
            decision.line,
            undecided=decision.outcome is Outcome.UNDECIDED,
        )


def _outcome(decision: Decision) -> str:
    if decision.outcome is Outcome.FAILS:
        return f"fails: {value_of(decision)}"
    return "is undecided" + (f": {decision.reason}" if decision.reason else "")


def _rehearsal(release: Release) -> Iterator[Condition]:
    """Yield how many answers or grades are from stand-ins, which say nothing of a model."""
    tables = release.tables.by_target.values()
    number, answers = (
        sum(table.rehearsed for table in tables),
        sum(table.answers for table in tables),
    )
    if number:
        every = (
            "the run is a rehearsal" if number == answers else "a part of the run is a rehearsal"
        )
        remark = release.run.tally.answerers.remark() or "a stand-in took the place of a model."
        text = (
            f"{every}, in {number:,} of {counted(answers, 'answer')}: {remark[0].lower()}{remark[1:-1]}; "
            "run it with a target that calls a model, and a `judge_target` that does"
        )
        yield Condition(Kind.REHEARSAL, text, release.run.path)


def _licenses(release: Release) -> Iterator[Condition]:
    declared = sources_of(release.suite.head)
    for name, source in declared.items():
        if source.license is None:
            cases = len(cases_of_source(release.suite, name))
            line = release.line_of("governance", "sources", name)
            text = f"the source `{name}` of {counted(cases, 'case')} has no license"
            yield Condition(Kind.LICENSE, text, release.head_file, line)
    # A suite that declares no sources may use `metadata.source` for anything, as `check` has it.
    named = named_sources(suite_figures(release.suite)) if declared else {}
    for name, numbers in named.items():
        if name not in declared:
            text = (
                f"{counted(len(numbers), 'case')} {'is' if len(numbers) == 1 else 'are'} of the source "
                f"`{name}`, which has no license: it is not under `governance.sources`"
            )
            yield Condition(Kind.LICENSE, text, release.path, release.line_of_case(numbers[0]))


def label_conditions(release: Release) -> Iterator[Condition]:
    """Yield the labels that cannot be read, whose agreement is not measured, or that no gate is about.

    What a gate on agreement comes to is decided with the other gates.
    """
    asked_for = {name for gate in release.asked.gates for name in _agreement_in(gate.text)}
    for name in release.head.human or {}:
        line = release.line_of("human", name)
        labels = peoples_labels(release.suite, name, release.folder)
        for why in labels.incomplete if labels is not None else ():
            text = f"labels of `{name}` are left out: {why}"
            yield Condition(
                Kind.LABELS, text, release.head_file, release.line_of("human", name, "labels")
            )
        if labels is not None and not any(
            len(item.ratings) > 1 for item in labels.by_item.values()
        ):
            text = f"agreement on `{name}` is not measured: no answer was labeled by two people"
            yield Condition(Kind.LABELS, text, release.head_file, line, undecided=True)
        if name not in asked_for:
            text = f"no gate asks for the agreement of people on `{name}`, such as "
            text += f"`human.{name}.alpha >= 0.667`"
            yield Condition(Kind.LABELS, text, release.head_file, line)


def _agreement_in(text: str) -> Iterator[str]:
    """Yield the names of evaluators whose labels a gate is about."""
    gate = parse_gate(text)
    for figure in figures_in(gate) if isinstance(gate, Gate) else ():
        names = [name.text for name in figure.names]
        if names[0] == "human" and len(names) > 1:
            yield names[1]


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
    for difference in found[:_MOST_DIFFERENCES]:
        number, span = difference.place
        if number is None:
            path, line = release.head_file, release.suite.head_line(span)
        else:
            path, line = release.path, release.suite.line(number, span)
        yield Condition(Kind.LOCK, difference.message, path, line)
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
    recorded = {answer.eval_id for answer in release.run.answers}
    unknown = [case_id for case_id in recorded if case_id not in release.asked.cases]
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
        parts = {part for part, digest in own.items() if digest != getattr(digests, part)}
        if parts:
            changed.setdefault(record.eval_id, set()).update(parts)
    if changed:
        every = {part for parts in changed.values() for part in parts}
        words = ", ".join(PARTS_IN_WORDS[part] for part in PARTS if part in every)
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
        return {case: locked.digests for case, locked in lock.cases.items()}, lock.version
    digests = SuiteDigests(release.suite, release.head, FileDigests(release.folder))
    found: dict[str, CaseDigests] = {}
    for number, case in release.case_ids.items():
        own = digests.of(number)
        if own is not None:
            found.setdefault(case, own)
    return found, "the suite as it is now"


def _named(cases: Sequence[str]) -> str:
    listed = ", ".join(f"`{case}`" for case in cases[:_MOST])
    more = len(cases) - _MOST
    return f"the {'case' if len(cases) == 1 else 'cases'} {listed}" + (
        f" and {more:,} more" if more > 0 else ""
    )
