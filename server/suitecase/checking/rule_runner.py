"""Running rules on the parts of a suite, with the findings cached by the text of each part."""

from __future__ import annotations

import re
import traceback
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

from suitecase.checking.kept_findings import keep_findings, kept_findings
from suitecase.checking.rules import rules_on_figures, rules_on_governance
from suitecase.checking.rules.dispatch import Rules, rules_for
from suitecase.checking.sound_elements import (
    SOUND_BY_THEMSELVES,
    SoundElements,
    forms_in,
    sound_in,
)
from suitecase.evidence.governed import governed
from suitecase.format.dialect import DialectFile, DialectPart
from suitecase.format.other_file import OtherFile
from suitecase.format.reading import ParsedFile
from suitecase.format.rule import Edit, Finding, Origin, Rule
from suitecase.format.target_files import ParsedTargets
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.text.cache import Cache
from suitecase.text.document import Content, Document, Piece
from suitecase.text.lines import Lines
from suitecase.text.node import Entry, Mapping, Node, Sequence, Span, Tagged, child_at
from suitecase.text.time_limits import EndedError, Watch, watch_of_thread

if TYPE_CHECKING:
    from suitecase.figures.gates.names import SuiteFigures

Part = ParsedHead | ParsedCase | ParsedTargets | DialectPart


@dataclass(frozen=True, slots=True)
class RuleFailure:
    """A rule that raised, which is a bug. The other rules still run."""

    rule: Rule
    trace: str


class FoundInPart(NamedTuple):
    """The findings in a part, with places in it, and the rules that failed."""

    findings: tuple[Finding, ...]
    failures: tuple[RuleFailure, ...]


def run_part_rules(
    suite: ParsedFile,
    folder: Folder,
    failures: list[RuleFailure],
    path: Path | None = None,
    *,
    cases: bool = True,
) -> Iterator[Finding]:
    """Yield the findings in the parts of a file.

    Local findings are cached with the part, so that an unchanged part is not checked again.
    Findings that depend on other files are cached as long as the workspace caches those files.

    Args:
        suite: the file.
        folder: its folder.
        failures: receives the rules that fail.
        path: its path, by which the data set of a sidecar is found.
        cases: whether the findings in cases are among them.
    """
    document = suite.document
    if isinstance(suite, OtherFile):
        return
    if isinstance(suite, ParsedTargets):
        yield from _of_part(document.head, suite, folder, failures)
        return
    if isinstance(suite, DialectFile):
        yield from _of_dialect_file(suite, folder, failures, cases=cases)
        return
    if suite.kind != "dataset":  # its head is another file, with its own findings
        yield from _of_part(document.head, suite.head, folder, failures)
    if suite.head.defines_figures:
        from suitecase.figures.gates.sidecars import figures_to_check

        figures = figures_to_check(suite, folder.workspace, path)
        if figures is not None:
            of_figures = _OF_FIGURES.of(figures, _find_in_figures, figures)
            yield from _placed(of_figures, document.head, failures)
    yield from _about_governance(suite, folder, failures, path)
    if cases:
        yield from _of_cases(suite, folder, failures)


def _of_dialect_file(
    file: DialectFile, folder: Folder, failures: list[RuleFailure], *, cases: bool
) -> Iterator[Finding]:
    """Yield the findings in the parts of a file of another tool, and those about the whole."""
    yield from _of_part(file.document.head, file.head, folder, failures)
    if cases:
        yield from _of_cases(file, folder, failures)
    for whole in file.wholes(folder):
        kept = kept_findings(file, whole, folder)
        if kept is not None:
            yield from kept
            continue
        failed: list[RuleFailure] = []
        rules = rules_for(whole)
        found = run_rules(rules.local, whole, failed)
        found += run_rules(rules.cross_file, whole, failed, folder)
        if not failed:
            keep_findings(file, whole, folder, found)
        failures += failed
        yield from found


def _of_cases(
    suite: ParsedSuite | DialectFile, folder: Folder, failures: list[RuleFailure]
) -> Iterator[Finding]:
    document = suite.document
    for number, found in suite.case_index.where(local_findings):
        yield from _placed(found, document.cases[number], failures)
    in_folder = InFolder.of(folder)
    for number, found in suite.case_index.where_now(cross_file_subjects, in_folder):
        yield from _placed(found, document.cases[number], failures)


def _about_governance(
    suite: ParsedSuite, folder: Folder, failures: list[RuleFailure], path: Path | None
) -> list[Finding]:
    """Return the findings about judges, labels, sources and releases, with places in the document."""
    whole = governed(suite, folder, path)
    return run_rules(rules_on_governance(), whole, failures, folder) if whole is not None else []


def _of_part(
    piece: Piece, part: Part, folder: Folder, failures: list[RuleFailure]
) -> Iterator[Finding]:
    for found in (local_findings(part), cross_file_findings(part, folder)):
        if found is not None:
            yield from _placed(found, piece, failures)


#: The local and the cross-file findings in a part, these for the last workspace.
_LOCAL: Cache[FoundInPart | None] = Cache()
_CROSS_FILE: Cache[tuple[ref[Workspace], FoundInPart | None]] = Cache()
_CROSS_FILE_SUBJECTS: Cache[list[tuple[Any, Rules]]] = Cache()


#: The findings about the figures of a suite, with places in its head.
_OF_FIGURES: Cache[FoundInPart] = Cache()


def _find_in_figures(figures: SuiteFigures) -> FoundInPart:
    """Return the findings about figures, which depend on the head and on all cases."""
    failures: list[RuleFailure] = []
    content = figures.head.content
    found = run_rules(rules_on_figures(), figures, failures, content=content)
    lines = Lines(content.text)
    kept = (without_harmful_fix(it, lines, content.node) for it in found)
    return FoundInPart(tuple(kept), tuple(failures))


def local_findings(part: Part) -> FoundInPart | None:
    """Return the local findings in a part, from the cache if possible."""
    return _LOCAL.of(part.content, _find_local, part)


def _find_local(part: Part) -> FoundInPart | None:
    subjects = [(subject, rules_for(subject)) for subject in _subjects(part)]
    # Which rules apply is looked up once for both kinds.
    _CROSS_FILE_SUBJECTS.set(
        part.content, [subject for subject in subjects if subject[1].cross_file]
    )
    return _found(((it, rules.local) for it, rules in subjects), part, None, SOUND_BY_THEMSELVES)


def cross_file_findings(part: Part, folder: Folder) -> FoundInPart | None:
    """Return the cross-file findings in a part, with the files of a workspace."""
    known = _CROSS_FILE.get(part.content)
    if known is not None and known[0]() is folder.workspace:
        return known[1]
    subjects = ((it, rules.cross_file) for it, rules in cross_file_subjects(part))
    of_part = Folder(folder.workspace, folder.path, part.source)
    found = _found(subjects, part, of_part, sound_in(folder))
    _CROSS_FILE.set(part.content, (ref(folder.workspace), found))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class InFolder:
    """Looks for the cross-file findings in a case, with the files of a workspace, while these are used."""

    workspace: ref[Workspace]
    path: Path

    @classmethod
    def of(cls, folder: Folder) -> InFolder:
        """Return the predicate of a folder."""
        return cls(ref(folder.workspace), folder.path)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, InFolder):
            return NotImplemented
        return self.workspace is other.workspace and self.path == other.path

    def __hash__(self) -> int:
        return hash((id(self.workspace), self.path))

    def __call__(self, case: Part) -> FoundInPart | None:
        workspace = self.workspace()
        if workspace is None:
            raise ReferenceError("the check with these files has ended")
        return cross_file_findings(case, Folder(workspace, self.path))


def cross_file_subjects(part: Part) -> list[tuple[Any, Rules]]:
    """Return the subjects in a part of cross-file rules, with these rules."""
    return _CROSS_FILE_SUBJECTS.of(part.content, _find_cross_file_subjects, part)


def _find_cross_file_subjects(part: Part) -> list[tuple[Any, Rules]]:
    return [
        (subject, rules) for subject in _subjects(part) if (rules := rules_for(subject)).cross_file
    ]


def _subjects(part: Part) -> list[Any]:
    """Return the subjects of rules in a part; none if its text did not parse."""
    return [] if part.content.broken else [part, *part.elements()]


def _found(
    subjects: Iterable[tuple[Any, Iterable[Rule]]],
    part: Part,
    folder: Folder | None,
    sound: SoundElements,
) -> FoundInPart | None:
    failures: list[RuleFailure] = []
    found: list[Finding] = []
    form_of = forms_in(part)
    for subject, rules in subjects:
        form = form_of(subject) if form_of is not None else None
        if form is not None and form in sound:
            continue
        found_here = run_rules(rules, subject, failures, folder, part.content)
        found += found_here
        if form is not None and not found_here and not failures and not _any_ended():
            sound.add(form)
    if not found and not failures:
        return None
    lines, root = Lines(part.content.text), part.content.node
    kept = (
        replace(without_harmful_fix(finding, lines, root), origin=Origin(finding.span.start, {}))
        if not isinstance(part, ParsedHead | ParsedTargets)
        else without_harmful_fix(finding, lines, root)
        for finding in found
    )
    return FoundInPart(tuple(kept), tuple(failures))


def run_rules(
    rules: Iterable[Rule],
    subject: Any,
    failures: list[RuleFailure],
    folder: Folder | None = None,
    content: Content | None = None,
) -> list[Finding]:
    """Return the findings of rules in a subject.

    Args:
        rules: the rules.
        subject: what they check.
        failures: receives the rules that fail; rules that already failed are not run.
        folder: the file's folder, for rules that read other files.
        content: the part that is the subject, or contains it.
    """
    found: list[Finding] = []
    watch = watch_of_thread() or _UNWATCHED
    for rule in rules:
        if failures and any(failure.rule is rule for failure in failures):
            continue
        if watch.ended and rule in watch.ended:
            continue
        watch.now = rule
        try:
            check = rule.check(subject) if folder is None else rule.check(subject, folder)
            # Most rules find nothing.
            found_here = list(check)
            if found_here:
                # Fixes are created here, so that their time and errors count as the rule's.
                found_here = [_assigned(it, rule, content) for it in found_here]
        except EndedError:
            if watch.taken() is not rule:
                raise  # the check is repeated without this rule
            found.append(timed_out_finding(rule, watch.ended[rule]))
            continue
        except Exception:  # noqa: BLE001 - one broken rule must not silence the others
            failures.append(RuleFailure(rule, traceback.format_exc()))
            continue
        found += found_here
    watch.now = None
    return found


_UNWATCHED = Watch()


def _any_ended() -> bool:
    """Whether a rule has timed out; it is not run again."""
    watch = watch_of_thread()
    return watch is not None and bool(watch.ended)


def timed_out_finding(rule: Rule, seconds: float) -> Finding:
    """Return the finding for a rule that timed out, since the subject may have errors."""
    message = (
        f"this rule was stopped after {seconds:g} s on this file, so its findings are unknown; "
        "simplify what is here"
    )
    return Finding(Span(0, 0), message, rule=rule, timed_out=True)


def _assigned(found: Finding, rule: Rule, content: Content | None) -> Finding:
    """Return a finding with its rule, and with its fix created."""
    fix, deferred = found.fix, found.deferred_fix
    if deferred is not None and content is not None:
        fix = deferred(content)
    return Finding(
        *(found.span, found.message, fix, found.related, found.external, found.cases),
        rule=rule,
        environment=found.environment,
    )


def without_harmful_fix(found: Finding, lines: Lines, root: Node | None) -> Finding:
    """Return a finding without its fix if the fix would do harm.

    A fix must not replace an alias, since its value is written elsewhere and may be much larger.
    And it must not rename a key to the name of another key of its mapping.

    Args:
        found: the finding.
        lines: the text that its places are offsets in.
        root: the tree of that text, or only its keys if no fix renames others.
    """
    edits = found.fix.edits if found.fix and not found.external else ()
    if any(lines.character(edit.span.start) == "*" for edit in edits):
        return replace(found, fix=None)
    if root is not None and any(_repeats_key(edit, edits, root) for edit in edits):
        return replace(found, fix=None)
    return found


def keys_at_top(document: Document) -> Mapping | None:
    """Return the top-level mapping of a document with its keys only, placed in the document."""
    if document.root is None:
        return None
    entries: dict[str, Entry] = {}
    for name, (key, _, merged) in document.root:
        span = document.head.absolute(key.span)
        placed = Tagged(span.start, span.end, key.text, key.style, key.tag)
        entries[name] = Entry(placed, placed, merged)
    return Mapping(0, len(document.lines), entries, flow=False)


#: The name of a key at the start of a text.
_KEY = re.compile(r"""(["']?)([\w$-]+)\1(?=:|\Z)""")


def _repeats_key(edit: Edit, edits: Collection[Edit], root: Node) -> bool:
    """Whether an edit renames a key to another one that no edit removes or renames."""
    key_match = _KEY.match(edit.text)
    mapping = _mapping_of_key(root, edit.span.start) if key_match else None
    other = mapping.entries.get(key_match[2]) if key_match and mapping else None
    if other is None or other.merged or other.key.start == edit.span.start:
        return False
    return not any(it.span.start <= other.key.start < it.span.end for it in edits)


def _mapping_of_key(node: Node | None, start: int) -> Mapping | None:
    """Return the mapping whose key starts at an offset."""
    while isinstance(node, Mapping | Sequence):
        if isinstance(node, Mapping):
            entries = [entry for entry in node.entries.values() if not entry.merged]
            if any(entry.key.start == start for entry in entries):
                return node
            node = next(
                (entry.value for entry in entries if entry.value.start <= start < entry.value.end),
                None,
            )
        else:
            node = child_at(node, start)
    return None


def _placed(found: FoundInPart, piece: Piece, failures: list[RuleFailure]) -> Iterator[Finding]:
    """Yield the findings of a part with places in the document; record failures once."""
    for failure in found.failures:
        if all(it.rule is not failure.rule for it in failures):
            failures.append(failure)
    is_moved = piece.start or piece.gap_at is not None
    yield from (
        (finding.moved(piece.absolute) for finding in found.findings)
        if is_moved
        else found.findings
    )
