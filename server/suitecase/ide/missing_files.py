"""Quick fixes that make what a suite names and what is not there: files, and targets."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from suitecase.checking.analysis import Analysis
from suitecase.ide.quick_fixes import touches
from suitecase.ide.refactoring.part import NewFile
from suitecase.ide.starting_texts import judge_prompt, script
from suitecase.rewriting.lines import appended_items, newline
from suitecase.rewriting.names import plain_name
from suitecase.rule import Edit, Finding, Fix, Rule
from suitecase.rules.invalid_targets import invalid_targets_file
from suitecase.rules.judging_targets import undefined_judge
from suitecase.rules.prompts import prompt_file_missing
from suitecase.rules.references import (
    file_missing,
    missing_targets_file,
    suite_prompt_missing,
    target_names,
    unknown_target,
)
from suitecase.rules.scripts import script_missing
from suitecase.rules.target_definitions import unknown_judge_target
from suitecase.suite.elements import ParsedEvaluator, ParsedMessage
from suitecase.suite.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.suite.prompts import prompts_of
from suitecase.suite.scripts import scripts_of
from suitecase.suite.sent_files import sent_references
from suitecase.suite.target_files import (
    EMBEDDED,
    PLACES,
    ParsedTargets,
    find_targets,
    parse_targets,
)
from suitecase.suite.workspace import Folder, NotFound
from suitecase.syntax.node import Scalar, Sequence, Span

#: Endings of files that hold no text, for which an empty one would be no start.
_NO_TEXT = re.compile(
    r"\.(avif|bmp|docx|flac|gif|gz|heic|ico|jpe?g|mov|mp[34]|ogg|parquet|pdf|png|pptx|tar|tiff?"
    r"|wav|web[mp]|xlsx?|zip)",
    re.IGNORECASE,
)
#: What an entry is to be asked by is for the person to say: until then the entry is an error.
_COMMENT = "# the model as litellm names it, such as openai/gpt-4o"


#: The rules on targets that are missing; also from a file with an empty list of them.
_TARGETS = frozenset({unknown_target, missing_targets_file, undefined_judge, invalid_targets_file})


@dataclass(frozen=True, slots=True)
class Creation:
    """A fix that writes a new file, or edits one that is there, beside the document or it itself.

    `edited` is that file and its edits, with places in its text as the workspace has it.
    """

    title: str
    finding: Finding
    created: NewFile | None = None
    edited: tuple[Path, tuple[Edit, ...]] | None = None


def creations(
    written: ParsedSuite | ParsedTargets,
    analysis: Analysis,
    folder: Folder,
    span: Span,
    *,
    creates_files: bool,
) -> Iterator[Creation]:
    """Yield what would make that which findings in a stretch of a document say is missing.

    Args:
        written: the document.
        analysis: what was found in it.
        folder: where it lies.
        span: a stretch of the document.
        creates_files: whether the editor can make a file.
    """
    for it in analysis.findings:
        if it.external or not touches(it, span):
            continue
        if isinstance(written, ParsedTargets):
            if it.rule is unknown_judge_target:
                name = next((e.text for e in _judges(written) if e.span == it.span), None)
                yield from _defined(name, written, it, folder)
            continue
        number = written.document.case_at(it.span.start)
        part = written.head if number is None else written.cases[number]
        place = _Place(written, number, it.span)
        if it.rule in _MISSING and creates_files:
            made = _MISSING[it.rule](written, part, place, folder)
            if made is not None and _may_be_made(made.path, folder):
                yield Creation(f"Create `{folder.shown(made.path)}`", it, created=made)
        elif it.rule in _TARGETS:
            yield from _target(written, part, place, it, folder, creates_files=creates_files)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a finding lies, to be compared with places of the part that it lies in."""

    suite: ParsedSuite
    number: int | None
    span: Span

    def is_at(self, node: Scalar) -> bool:
        if self.number is None:
            return self.suite.head_place(node.span) == self.span
        return self.suite.place(self.number, node.span) == self.span


_Part = ParsedCase | ParsedHead


def _evaluators(part: _Part) -> Iterable[ParsedEvaluator]:
    return (it for it in part.elements() if isinstance(it, ParsedEvaluator))


def _prompt(suite: ParsedSuite, part: _Part, place: _Place, folder: Folder) -> NewFile | None:
    found = ((it, prompt) for it in _evaluators(part) for prompt in prompts_of(it, folder))
    for it, prompt in found:
        if not place.is_at(prompt.node) or not isinstance(prompt.text, NotFound):
            continue
        path = _nearest(prompt.text, prompt.reference)
        if path is None:
            return None
        parts: tuple[_Part, ...] = (suite.head, *suite.cases)
        having = {
            other.has_rubrics
            for one in parts
            if not one.content.broken
            for other in _evaluators(one)
            if any(also.reference == prompt.reference for also in prompts_of(other, folder))
        }
        if len(having) > 1:
            return None  # no text is right for judges with rubrics and for judges without
        text = judge_prompt(rubrics=it.has_rubrics, aggregates=prompt.aggregates)
        return NewFile(path, text)
    return None


def _sent(_: ParsedSuite, part: _Part, place: _Place, folder: Folder) -> NewFile | None:
    senders: list[ParsedHead | ParsedMessage] = [
        it for it in part.elements() if isinstance(it, ParsedMessage)
    ]
    if isinstance(part, ParsedHead):
        senders.append(part)
    for sender in senders:
        for reference in sent_references(sender):
            if place.is_at(reference):
                found = folder.find(reference.text)
                path = _nearest(found, reference.text) if isinstance(found, NotFound) else None
                return NewFile(path, "") if path is not None else None
    return None


def _script(_: ParsedSuite, part: _Part, place: _Place, folder: Folder) -> NewFile | None:
    for it in _evaluators(part):
        for node, name, start in scripts_of(it, folder):
            if place.is_at(node):
                path = Path(os.path.normpath(start / name))
                text = script(path.suffix, it.type or "")
                return NewFile(path, text) if text is not None else None
    return None


_MISSING: dict[Rule, Callable[[ParsedSuite, _Part, _Place, Folder], NewFile | None]] = {
    prompt_file_missing: _prompt,
    suite_prompt_missing: _sent,
    file_missing: _sent,
    script_missing: _script,
}


def _nearest(found: NotFound, reference: str) -> Path | None:
    """Return where a missing file is looked for first; None where nobody would write a text."""
    is_text = not _NO_TEXT.fullmatch(PurePosixPath(reference.strip()).suffix)
    if found.why != "missing" or not found.tried or reference.endswith("/") or not is_text:
        return None
    return found.tried[0]


def _may_be_made(path: Path, folder: Folder) -> bool:
    """Whether a file can come to be at a path: in the workspace, and over nothing."""
    if not folder.workspace.holds(path) or os.path.lexists(path):
        return False
    there = next((it for it in path.parents if os.path.lexists(it)), None)
    return there is not None and there.is_dir()


def _target(
    suite: ParsedSuite,
    part: _Part,
    place: _Place,
    finding: Finding,
    folder: Folder,
    *,
    creates_files: bool,
) -> Iterator[Creation]:
    named = next((it.text for it in target_names(part) if place.is_at(it)), None)
    targets = find_targets(folder.workspace, folder.path)
    if named is None:
        return
    if targets is None:
        path = folder.path / PLACES[0]
        if creates_files and _may_be_made(path, folder):
            # Once there is a file, a target that it does not define is an error.
            every = (
                it.text for one in (part, suite.head, *suite.cases) for it in target_names(one)
            )
            names = [it for it in dict.fromkeys((named, *every)) if it != EMBEDDED]
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            text = "targets:\n" + "".join(f"  - {_entry(it, '    ')}" for it in names)
            title = f"Create `{folder.shown(path)}` with `{named}`{more}"
            yield Creation(title, finding, created=NewFile(path, text))
    elif finding.rule is undefined_judge:
        config = targets.config(named)
        yield from _defined(config.judge_target if config else None, targets, finding, folder)
    else:
        yield from _defined(named, targets, finding, folder)


def _judges(targets: ParsedTargets) -> Iterator[Scalar]:
    for it in targets.items:
        if it.judge_target is not None:
            yield it.judge_target


def _defined(
    name: str | None, targets: ParsedTargets, finding: Finding, folder: Folder
) -> Iterator[Creation]:
    """Yield a fix that adds an entry to a targets file, if the others stay what they are."""
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
    quoted = json.dumps(name, ensure_ascii=False)
    entry = f'{{"name": {quoted}, "provider": "litellm", "model": ""}}'
    end = listed.items[-1].end if listed.items else listed.end - 1
    return Edit(Span(end, end), f", {entry}" if listed.items else entry)


def _entry(name: str, lead: str) -> str:
    """Return an entry of a targets file, of which the model is left to be filled in."""
    return f"name: {plain_name(name)}\n{lead}provider: litellm\n{lead}model:  {_COMMENT}\n"
