"""What rules find in the parts of a suite, kept with the text of each part."""

from __future__ import annotations

import re
import traceback
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from suitecase.rule import Edit, Elsewhere, Finding, Fix, Related, Rule, Severity
from suitecase.rules import rule_named
from suitecase.rules.dispatch import Rules, rules_for
from suitecase.suite.target_files import WrittenTargets
from suitecase.suite.workspace import Folder, Workspace
from suitecase.suite.written import WrittenCase, WrittenHead, WrittenSuite
from suitecase.syntax.document import Content, Document, Piece
from suitecase.syntax.lines import Lines
from suitecase.syntax.node import Entry, Mapping, Node, Scalar, Sequence, Span, child_at
from suitecase.time_limits import EndedError, Watch, watch_of_thread

Part = WrittenHead | WrittenCase | WrittenTargets


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """A finding as it is kept with a case.

    `start` is where it starts in the case's text. What others derive from it stays in `memo`.
    """

    start: int
    memo: dict[Any, Any]


@dataclass(frozen=True, slots=True)
class ReportedFinding:
    """A finding with its rule; all places count from the start of the document."""

    rule: Rule
    span: Span
    message: str
    fix: Fix | None
    related: tuple[Related, ...]
    #: How bad the configuration says it is; None where it says nothing.
    configured: Severity | None = None
    #: The other file that all places count in; None for the document itself.
    elsewhere: Elsewhere | None = None
    #: The numbers of the cases it concerns, where its place does not say that.
    cases: frozenset[int] | None = None
    #: The rule took too long, and was ended.
    was_ended: bool = False
    #: As what it was found in a case, whose places move with it; None where it was not.
    origin: Origin | None = field(default=None, compare=False, repr=False)

    @property
    def code(self) -> str:
        return self.rule.code

    @property
    def severity(self) -> Severity:
        return self.configured or self.rule.severity

    def __reduce__(self) -> tuple[Any, ...]:
        # A rule's function cannot be pickled: its name stands for the rule.
        rest = (
            *(self.span, self.message, self.fix, self.related),
            *(self.configured, self.elsewhere, self.cases, self.was_ended),
        )
        return _with_rule, (ReportedFinding, self.rule.code, *rest)


@dataclass(frozen=True, slots=True)
class RuleFailure:
    """A rule that raised: a bug of ours. The other rules went on."""

    rule: Rule
    trace: str

    def __reduce__(self) -> tuple[Any, ...]:
        return _with_rule, (RuleFailure, self.rule.code, self.trace)


def _with_rule(kind: Any, code: str, *rest: Any) -> Any:
    return kind(rule_named(code), *rest)


class _Found(NamedTuple):
    """What rules found in a part, with places in it, and the rules that failed."""

    findings: tuple[ReportedFinding, ...]
    failures: tuple[RuleFailure, ...]


def found_in_parts(
    suite: WrittenSuite | WrittenTargets, folder: Folder, failures: list[RuleFailure]
) -> Iterator[ReportedFinding]:
    """Yield what rules find in the parts of a file one by one.

    What they find in a part without looking at other files is kept with it, so that an unchanged
    part is not checked again. What depends on other files is kept for as long as the workspace
    remembers what they say.

    Args:
        suite: the file.
        folder: where it lies.
        failures: takes the rules that fail.
    """
    document = suite.document
    if isinstance(suite, WrittenTargets):
        yield from _of_part(document.head, suite, folder, failures)
        return
    if suite.kind != "dataset":  # its head is another file, with findings of its own
        yield from _of_part(document.head, suite.head, folder, failures)
    for number, found in suite.facts.where(_alone):
        yield from _placed(found, document.cases[number], failures)
    for number, case in suite.facts.where(_looking_at_files):
        beside = _with_files(case, folder)
        if beside is not None:
            yield from _placed(beside, document.cases[number], failures)


def _of_part(
    piece: Piece, part: Part, folder: Folder, failures: list[RuleFailure]
) -> Iterator[ReportedFinding]:
    for found in (_alone(part), _with_files(part, folder)):
        if found is not None:
            yield from _placed(found, piece, failures)


def _alone(part: Part) -> _Found | None:
    """Return what is found in a part by looking at it alone, from memory if it was seen before."""
    memo = part.content.memo
    if "findings" not in memo:
        asked = ((it, rules_for(it).alone) for it in _subjects(part))
        memo["findings"] = _found(asked, part, None)
    found: _Found | None = memo["findings"]
    return found


def _with_files(part: Part, folder: Folder) -> _Found | None:
    """Return what is found in a part by looking at other files as a workspace knows them."""
    memo = part.content.memo
    known: tuple[Workspace, _Found | None] | None = memo.get("findings with files")
    if known is not None and known[0] is folder.workspace:
        return known[1]
    asked = ((it, rules.beside) for it, rules in _asking_files(part))
    found = _found(asked, part, Folder(folder.workspace, folder.path, part.source))
    memo["findings with files"] = (folder.workspace, found)
    return found


def _looking_at_files(case: WrittenCase) -> WrittenCase | None:
    return case if _asking_files(case) else None


def _asking_files(part: Part) -> list[tuple[Any, Rules]]:
    """Return what there is in a part for rules that look at other files, with these rules."""
    memo = part.content.memo
    if "with files" not in memo:
        memo["with files"] = [
            (subject, rules) for subject in _subjects(part) if (rules := rules_for(subject)).beside
        ]
    asking: list[tuple[Any, Rules]] = memo["with files"]
    return asking


def _subjects(part: Part) -> list[Any]:
    """Return what rules look at in a part; nothing in one whose text did not parse."""
    return [] if part.content.broken else [part, *part.elements()]


def _found(
    asked: Iterable[tuple[Any, Iterable[Rule]]], part: Part, folder: Folder | None
) -> _Found | None:
    failures: list[RuleFailure] = []
    found: list[ReportedFinding] = []
    for subject, rules in asked:
        found += run_rules(rules, subject, failures, folder, part.content)
    if not found and not failures:
        return None
    lines, root = Lines(part.content.text), part.content.node
    kept = (
        replace(without_harmful_fix(it, lines, root), origin=Origin(it.span.start, {}))
        if isinstance(part, WrittenCase)
        else without_harmful_fix(it, lines, root)
        for it in found
    )
    return _Found(tuple(kept), tuple(failures))


def run_rules(
    rules: Iterable[Rule],
    subject: Any,
    failures: list[RuleFailure],
    folder: Folder | None = None,
    content: Content | None = None,
) -> list[ReportedFinding]:
    """Return what rules find in a subject, those that look at other files from its folder.

    Args:
        rules: the rules.
        subject: what they look at.
        failures: takes the rules that fail; those that did are not run again.
        folder: where the file lies, for rules that look at other files.
        content: the part that the subject is, or is an element of.
    """
    found: list[ReportedFinding] = []
    watch = watch_of_thread() or _UNWATCHED
    for rule in rules:
        if failures and any(it.rule is rule for it in failures):
            continue
        if watch.ended and rule in watch.ended:
            continue
        watch.now = rule
        try:
            check = rule.check(subject) if folder is None else rule.check(subject, folder)
            made = [(it, _fix(it, content)) for it in check]
        except EndedError:
            if watch.taken() is not rule:
                raise  # what took its time is over, and all is to be asked again without it
            found.append(ended_finding(rule, watch.ended[rule]))
            continue
        except Exception:  # noqa: BLE001 - one broken rule must not silence the others
            failures.append(RuleFailure(rule, traceback.format_exc()))
            continue
        if made:
            found += [
                ReportedFinding(
                    *(rule, it.span, it.message, fix, it.related),
                    elsewhere=it.elsewhere,
                    cases=it.cases,
                )
                for it, fix in made
            ]
    watch.now = None
    return found


_UNWATCHED = Watch()


def ended_finding(rule: Rule, seconds: float) -> ReportedFinding:
    """Say that nobody knows what a rule would have found: what it guards is not known to be sound."""
    message = (
        f"this rule took longer than {seconds:g} s on this file and was ended; what it would have "
        "found is not known: make what stands here smaller"
    )
    return ReportedFinding(rule, Span(0, 0), message, None, (), was_ended=True)


def _fix(found: Finding, content: Content | None) -> Fix | None:
    if found.fix is None or isinstance(found.fix, Fix):
        return found.fix
    return found.fix(content) if content is not None else None


def without_harmful_fix(found: ReportedFinding, lines: Lines, root: Node | None) -> ReportedFinding:
    """Return a finding without its fix where that would do harm.

    A fix does not write over an alias: what that stands for, often much more than what was found,
    is written elsewhere. And it gives no key a name that another key of its mapping has.

    Args:
        found: the finding.
        lines: the text that its places count in.
        root: the tree of that text, or its keys where no fix renames others.
    """
    edits = found.fix.edits if found.fix and not found.elsewhere else ()
    if any(lines.character(edit.span.start) == "*" for edit in edits):
        return replace(found, fix=None)
    if root is not None and any(_repeats_key(edit, edits, root) for edit in edits):
        return replace(found, fix=None)
    return found


def keys_at_top(document: Document) -> Mapping | None:
    """Return the mapping at the top of a document with its keys alone, placed in the document."""
    if document.root is None:
        return None
    entries: dict[str, Entry] = {}
    for name, (key, _, merged) in document.root:
        span = document.head.absolute(key.span)
        placed = Scalar(span.start, span.end, key.text, key.style, key.tag)
        entries[name] = Entry(placed, placed, merged)
    return Mapping(0, len(document.lines), entries, flow=False)


#: What a key is called that is written at the start of a text.
_KEY = re.compile(r"""(["']?)([\w$-]+)\1(?=:|\Z)""")


def _repeats_key(edit: Edit, edits: Collection[Edit], root: Node) -> bool:
    """Whether an edit gives a key the name of another one, which no edit takes away or renames."""
    written = _KEY.match(edit.text)
    mapping = _mapping_of_key(root, edit.span.start) if written else None
    other = mapping.entries.get(written[2]) if written and mapping else None
    if other is None or other.merged or other.key.start == edit.span.start:
        return False
    return not any(it.span.start <= other.key.start < it.span.end for it in edits)


def _mapping_of_key(node: Node | None, start: int) -> Mapping | None:
    """Return the mapping in which a key starts at an offset."""
    while isinstance(node, Mapping | Sequence):
        if isinstance(node, Mapping):
            entries = [it for it in node.entries.values() if not it.merged]
            if any(it.key.start == start for it in entries):
                return node
            node = next(
                (it.value for it in entries if it.value.start <= start < it.value.end), None
            )
        else:
            node = child_at(node, start)
    return None


def _placed(found: _Found, piece: Piece, failures: list[RuleFailure]) -> Iterator[ReportedFinding]:
    """Yield the findings of a part with their places in the document; note what failed, once."""
    for failure in found.failures:
        if all(it.rule is not failure.rule for it in failures):
            failures.append(failure)
    if piece.gap_at is None:
        start = piece.start
        yield from (_shifted(it, start) for it in found.findings) if start else found.findings
    else:
        yield from (_in_document(it, piece) for it in found.findings)


def _shifted(found: ReportedFinding, by: int) -> ReportedFinding:
    """Return a finding of a case with its places in the document."""
    if found.elsewhere is not None:
        named = found.elsewhere.named.shifted(by)
        return replace(found, elsewhere=Elsewhere(found.elsewhere.path, named))
    fix, related = found.fix, found.related
    if fix is not None:
        edits = [Edit(it.span.shifted(by), it.text) for it in fix.edits]
        fix = Fix(fix.title, tuple(edits), fix.safe)
    if related:
        related = tuple(
            it if it.path is not None else Related(it.message, it.span.shifted(by))
            for it in related
        )
    return ReportedFinding(
        *(found.rule, found.span.shifted(by), found.message, fix, related),
        was_ended=found.was_ended,
        origin=found.origin,
    )


def _in_document(found: ReportedFinding, piece: Piece) -> ReportedFinding:
    if found.elsewhere is not None:
        named = piece.absolute(found.elsewhere.named)
        return replace(found, elsewhere=Elsewhere(found.elsewhere.path, named))
    fix = found.fix and Fix(
        found.fix.title,
        tuple(Edit(piece.absolute(it.span), it.text) for it in found.fix.edits),
        found.fix.safe,
    )
    related = tuple(
        it if it.path is not None else Related(it.message, piece.absolute(it.span))
        for it in found.related
    )
    span = piece.absolute(found.span)
    return ReportedFinding(
        *(found.rule, span, found.message, fix, related), was_ended=found.was_ended
    )
