"""Quick fixes that create missing files and targets."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from suitecase.checking.analysis import Analysis
from suitecase.checking.rules.invalid_targets import invalid_targets_file
from suitecase.checking.rules.judging_targets import undefined_judge
from suitecase.checking.rules.prompts import prompt_file_missing
from suitecase.checking.rules.references import (
    file_missing,
    missing_targets_file,
    suite_prompt_missing,
    target_names,
    unknown_target,
)
from suitecase.checking.rules.scripts import script_missing
from suitecase.checking.rules.target_definitions import unknown_judge_target
from suitecase.editor.refactoring.part import NewFile
from suitecase.editor.starting_texts import judge_prompt, script
from suitecase.format.rewriting.lines import appended_items, newline
from suitecase.format.rewriting.names import plain_name
from suitecase.format.rule import Edit, Finding, Fix, Rule
from suitecase.format.target_files import EMBEDDED, ParsedTargets, find_targets, parse_targets
from suitecase.format.target_places import PLACES
from suitecase.format.workspace import Folder, NotFound
from suitecase.formats.suitecase.elements import ParsedEvaluator, ParsedMessage
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.formats.suitecase.prompts import prompts_of, references_of
from suitecase.formats.suitecase.scripts import scripts_of
from suitecase.formats.suitecase.sent_files import sent_references
from suitecase.text.emitting import in_quotes
from suitecase.text.node import Scalar, Sequence, Span
from suitecase_evaluators.system.path_kinds import is_folder

#: Endings of binary files, for which an empty file would be useless.
_NO_TEXT = re.compile(
    r"\.(avif|bmp|docx|flac|gif|gz|heic|ico|jpe?g|mov|mp[34]|ogg|parquet|pdf|png|pptx|tar|tiff?"
    r"|wav|web[mp]|xlsx?|zip)",
    re.IGNORECASE,
)
#: The user has to choose the model: until then the entry is an error.
_COMMENT = "# the model as litellm names it, such as openai/gpt-4o"


#: The rules about missing targets, including those about an empty targets file.
_TARGETS = frozenset({unknown_target, missing_targets_file, undefined_judge, invalid_targets_file})


@dataclass(frozen=True, slots=True)
class Creation:
    """A fix that creates a file, or edits an existing one.

    `edited` is the file and its edits, with spans in its current text.
    """

    title: str
    finding: Finding
    created: NewFile | None = None
    edited: tuple[Path, tuple[Edit, ...]] | None = None


def creations(
    parsed: ParsedSuite | ParsedTargets,
    analysis: Analysis,
    folder: Folder,
    span: Span,
    *,
    creates_files: bool,
) -> Iterator[Creation]:
    """Yield the fixes that create what findings in a span report as missing.

    Args:
        parsed: the parsed document.
        analysis: its findings.
        folder: its folder.
        span: a span of the document.
        creates_files: whether the editor can create files.
    """
    for finding in analysis.touching(span):
        if finding.external:
            continue
        if isinstance(parsed, ParsedTargets):
            if finding.rule is unknown_judge_target:
                name = next((e.text for e in _judges(parsed) if e.span == finding.span), None)
                yield from _defined(name, parsed, finding, folder)
            continue
        number = parsed.document.case_at(finding.span.start)
        part = parsed.head if number is None else parsed.cases[number]
        place = _Place(parsed, number, finding.span)
        if finding.rule in _MISSING and creates_files:
            new_file = _MISSING[finding.rule](parsed, part, place, folder)
            if new_file is not None and _can_be_created(new_file.path, folder):
                yield Creation(f"Create `{folder.shown(new_file.path)}`", finding, created=new_file)
        elif finding.rule in _TARGETS:
            yield from _target(parsed, part, place, finding, folder, creates_files=creates_files)


@dataclass(frozen=True, slots=True)
class _Place:
    """The position of a finding, for comparison with nodes of its part."""

    suite: ParsedSuite
    number: int | None
    span: Span

    def is_at(self, node: Scalar) -> bool:
        if self.number is None:
            return self.suite.head_place(node.span) == self.span
        return self.suite.place(self.number, node.span) == self.span


_Part = ParsedCase | ParsedHead


def _evaluators(part: _Part) -> Iterable[ParsedEvaluator]:
    return (element for element in part.elements() if isinstance(element, ParsedEvaluator))


def _prompt(suite: ParsedSuite, part: _Part, place: _Place, folder: Folder) -> NewFile | None:
    prompts = ((it, prompt) for it in _evaluators(part) for prompt in prompts_of(it, folder))
    for evaluator, prompt in prompts:
        if not place.is_at(prompt.node) or not isinstance(prompt.text, NotFound):
            continue
        path = _nearest(prompt.text, prompt.reference)
        if path is None:
            return None
        parts: tuple[_Part, ...] = (suite.head, *suite.cases)
        having = {
            other.has_rubrics
            for other_part in parts
            if not other_part.content.broken
            for other in _evaluators(other_part)
            if any(
                candidate.reference == prompt.reference for candidate in prompts_of(other, folder)
            )
        }
        if len(having) > 1:
            return None  # no text suits both judges with and judges without rubrics
        text = judge_prompt(prompt.role, rubrics=evaluator.has_rubrics)
        return NewFile(path, text)
    for reference in (node for it in _evaluators(part) for node in references_of(it)):
        found = folder.find(reference.text.strip())
        if place.is_at(reference) and isinstance(found, NotFound):
            path = _nearest(found, reference.text)
            return NewFile(path, "") if path is not None else None
    return None


def _sent(_: ParsedSuite, part: _Part, place: _Place, folder: Folder) -> NewFile | None:
    senders: list[ParsedHead | ParsedMessage] = [
        element for element in part.elements() if isinstance(element, ParsedMessage)
    ]
    if isinstance(part, ParsedHead):
        senders.append(part)
    for sender in senders:
        for reference in sent_references(sender):
            if place.is_at(reference):
                lookup = folder.find(reference.text)
                path = _nearest(lookup, reference.text) if isinstance(lookup, NotFound) else None
                return NewFile(path, "") if path is not None else None
    return None


def _script(_: ParsedSuite, part: _Part, place: _Place, folder: Folder) -> NewFile | None:
    for evaluator in _evaluators(part):
        for node, name, start in scripts_of(evaluator, folder):
            if place.is_at(node):
                path = Path(os.path.normpath(start / name))
                text = script(path.suffix, evaluator.type or "")
                return NewFile(path, text) if text is not None else None
    return None


_MISSING: dict[Rule, Callable[[ParsedSuite, _Part, _Place, Folder], NewFile | None]] = {
    prompt_file_missing: _prompt,
    suite_prompt_missing: _sent,
    file_missing: _sent,
    script_missing: _script,
}


def _nearest(missing: NotFound, reference: str) -> Path | None:
    """Return the first path a missing file is looked up at; None if it would not be a text."""
    is_text = not _NO_TEXT.fullmatch(PurePosixPath(reference.strip()).suffix)
    if missing.why != "missing" or not missing.tried or reference.endswith("/") or not is_text:
        return None
    return missing.tried[0]


def _can_be_created(path: Path, folder: Folder) -> bool:
    """Whether a file can be created at a path: in the workspace, without overwriting."""
    if not folder.workspace.holds(path) or os.path.lexists(path):
        return False
    existing = next((parent for parent in path.parents if os.path.lexists(parent)), None)
    return existing is not None and is_folder(existing)


def _target(
    suite: ParsedSuite,
    part: _Part,
    place: _Place,
    finding: Finding,
    folder: Folder,
    *,
    creates_files: bool,
) -> Iterator[Creation]:
    target_name = next((name.text for name in target_names(part) if place.is_at(name)), None)
    targets = find_targets(folder.workspace, folder.path)
    if target_name is None:
        return
    if targets is None:
        path = folder.path / PLACES[0]
        if creates_files and _can_be_created(path, folder):
            # Once there is a targets file, targets missing from it are errors.
            every = (
                name.text for one in (part, suite.head, *suite.cases) for name in target_names(one)
            )
            names = [it for it in dict.fromkeys((target_name, *every)) if it != EMBEDDED]
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            text = "targets:\n" + "".join(f"  - {_entry(name, '    ')}" for name in names)
            title = f"Create `{folder.shown(path)}` with `{target_name}`{more}"
            yield Creation(title, finding, created=NewFile(path, text))
    elif finding.rule is undefined_judge:
        config = targets.config(target_name)
        yield from _defined(config.judge_target if config else None, targets, finding, folder)
    else:
        yield from _defined(target_name, targets, finding, folder)


def _judges(targets: ParsedTargets) -> Iterator[Scalar]:
    for item in targets.items:
        if item.judge_target is not None:
            yield item.judge_target


def _defined(
    name: str | None, targets: ParsedTargets, finding: Finding, folder: Folder
) -> Iterator[Creation]:
    """Yield a fix that adds an entry to a targets file, if the others are unchanged."""
    edit = _added(name, targets) if name and targets.unreadable is None else None
    if name is None or edit is None:
        return
    after = parse_targets(targets.path, Fix("", (edit,)).apply(targets.text))
    if after.wrong is None and {*after.spans} == {*targets.spans, name}:
        title = f"Define `{name}` in `{folder.shown(targets.path)}`"
        yield Creation(title, finding, edited=(targets.path, (edit,)))


def _added(name: str, targets: ParsedTargets) -> Edit | None:
    listed = targets.node.get("targets") if targets.node else None
    if not isinstance(listed, Sequence):
        return None
    if not listed.flow:
        edit = appended_items(targets.text, listed, [_entry(name, "").rstrip("\n")])
        if edit is None:
            return None
        br = newline(targets.text)
        return Edit(edit.span, edit.text.replace("\r\n", "\n").replace("\n", br))
    quoted = in_quotes(name)
    entry = f'{{"name": {quoted}, "provider": "litellm", "model": ""}}'
    end = listed.items[-1].end if listed.items else listed.end - 1
    return Edit(Span(end, end), f", {entry}" if listed.items else entry)


def _entry(name: str, lead: str) -> str:
    """Return an entry of a targets file, with the model left empty."""
    return f"name: {plain_name(name)}\n{lead}provider: litellm\n{lead}model:  {_COMMENT}\n"
