"""Suites of an older or another format, and the prompt files they name, written in the current one.

Migrating is applying the safe fixes of the rules on other formats. What these rules leave is for a
person to decide.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from suitecase.checking.analysis import Analysis
from suitecase.checking.check import check, is_certain
from suitecase.checking.fixing import Fixed, fix_text
from suitecase.checking.options import CheckOptions
from suitecase.format.dialect import DialectFile
from suitecase.format.other_file import OtherFile
from suitecase.format.reading import parse_document
from suitecase.format.rule import Edit, Finding, Fix, Rule, Severity
from suitecase.format.target_files import ParsedTargets
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.legacy.detect import Era, era_of
from suitecase.formats.suitecase.model import Case
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.formats.suitecase.prompts import prompt_files
from suitecase.formats.suitecase.rules.decisions import unsupported_setting
from suitecase.formats.suitecase.sent_files import files_sent
from suitecase.text.document import Document
from suitecase.text.node import Span
from suitecase.text.taken_names import TakenNames
from suitecase_evaluators.answers.rubric import TOP
from suitecase_evaluators.grade.judge.template import find_variables

#: The codes of the rules on older and other formats start with this.
LEGACY = "SC6"


@dataclass(frozen=True, slots=True)
class Migration:
    """What became of a suite.

    Attributes:
        before: its text.
        after: its text in the current format; the same as before where nothing could be written.
        changes: how many findings were fixed.
        decisions: what is left of other formats, with places in `after`.
        errors: what else is wrong with it, also in other files that it names: until it is fixed
            nothing runs.
        era: the format it was written in; None where that was the current one.
        document: that of `after`.
        bug: why the result was thrown away: it would not have been the same suite.
    """

    before: str
    after: str
    changes: int
    decisions: tuple[Finding, ...]
    document: Document
    errors: tuple[Finding, ...] = ()
    era: Era | None = None
    bug: str = ""

    @property
    def is_done(self) -> bool:
        """Whether nothing is left of other formats, and what came of it runs."""
        return not (self.decisions or self.errors)

    @property
    def changed(self) -> bool:
        return self.after != self.before


def is_legacy(rule: Rule) -> bool:
    """Whether a rule is on an older or another format."""
    return rule.code.startswith(LEGACY)


def migrate(text: str, path: Path, workspace: Workspace) -> Migration | None:
    """Write a suite in the current format; None for a file that is not a suite for certain.

    Applied to what it returns it changes nothing.

    Args:
        text: the suite's text.
        path: where it lies.
        workspace: the files around it.
    """

    def analyze(current: str) -> Analysis:
        found = _analyzed(SuiteFile(path, current, workspace))
        return replace(found, findings=[_to_fix(finding) for finding in found.findings])

    if path.suffix == ".json":
        return None
    before = parse_document(path, text, workspace)
    if isinstance(before, DialectFile | OtherFile) or not is_certain(before):
        return None
    fixed = fix_text(text, analyze)
    after = parse_document(path, fixed.text, workspace)
    bug = ""
    if isinstance(after, DialectFile | OtherFile) or not same_meaning(before, after):
        bug = "the result would not have been graded as the suite was"
        fixed, after = Fixed(text, analyze(text)), before
    left = tuple(
        replace(finding, configured=None)
        for finding in fixed.analysis.findings
        if _to_decide(finding)
    )
    checked = check(after, Folder(workspace, path.parent), path).everything
    errors = tuple(it for it in checked if it.severity is Severity.ERROR and not _to_decide(it))
    return Migration(text, fixed.text, fixed.count, left, after.document, errors, _era(before), bug)


def _era(before: ParsedSuite | ParsedTargets) -> Era | None:
    if isinstance(before, ParsedTargets):
        return era_of(None, before.legacy_syntax)
    key = before.document.list_key
    parts: list[ParsedHead | ParsedCase] = [*before.cases]
    if before.kind != "dataset":  # the head of which is another file
        parts.append(before.head)
    return era_of(key.text if key else None, (it for part in parts for it in part.legacy_syntax))


@dataclass(frozen=True, slots=True)
class SuiteFile:
    """A suite in its workspace, with its text as it is or as it is after its migration."""

    path: Path
    text: str
    workspace: Workspace

    @property
    def folder(self) -> Folder:
        return Folder(self.workspace, self.path.parent)


@dataclass(frozen=True, slots=True)
class PromptMigration:
    """What became of a prompt file that names variables as older and other formats do.

    Attributes:
        path: where it lies.
        before: its text.
        after: its text in the current format; the same as before where it is left alone.
        changes: how many variables are renamed.
        left: why it is left alone: the suite for which it would mean something else, and what
            that suite does with it.
    """

    path: Path
    before: str
    after: str
    changes: int
    left: tuple[Path, str] | None = None


def migrate_prompts(
    suites: Collection[SuiteFile], others: Callable[[], Iterable[SuiteFile]]
) -> Iterator[PromptMigration]:
    """Rename the variables in prompt files to the current names; yield the files that have older ones.

    A file is left alone where its text is more than the prompt of a judge, and where a suite that
    is not migrated along is itself of another format: what reads that suite may know only the
    names of its own time.

    Args:
        suites: the suites that are migrated, as they are afterwards.
        others: finds the other suites that may name the files; asked only where there are files
            to change.
    """
    fixes: dict[Path, dict[Span, Edit]] = {}
    texts: dict[Path, str] = {}
    for suite in suites:
        for path, found in _analyzed(suite).external_findings.items():
            text = suite.workspace.read(path)
            legacy = [it.fix for it in found if is_legacy(it.rule) and it.fix]
            if isinstance(text, str) and legacy:
                texts[path] = text
                of_this = {edit.span: edit for fix in legacy for edit in fix.edits}
                fixes.setdefault(path, {}).update(of_this)
    if not fixes:
        return
    left = _left_alone(fixes.keys(), suites, others())
    for path in sorted(fixes):
        edits = tuple(fixes[path].values())
        after = texts[path] if path in left else Fix("", edits).apply(texts[path])
        yield PromptMigration(path, texts[path], after, len(edits), left.get(path))


def _left_alone(
    paths: Collection[Path], suites: Iterable[SuiteFile], others: Iterable[SuiteFile]
) -> dict[Path, tuple[Path, str]]:
    """Return the prompt files that are not to be changed, each with a suite that is why."""
    left: dict[Path, tuple[Path, str]] = {}
    migrated = {suite.path for suite in suites}
    for file in (*others, *suites):
        parsed = parse_document(file.path, file.text, file.workspace)
        if not isinstance(parsed, ParsedSuite):
            continue
        sent = files_sent(parsed, file.folder).intersection(paths)
        left.update(dict.fromkeys(sent, (file.path, "sends it as it stands")))
        named = prompt_files(parsed, file.folder).intersection(paths) - left.keys()
        is_current = file.path in migrated or not named
        if not is_current and any(is_legacy(found.rule) for found in _analyzed(file).findings):
            left.update(dict.fromkeys(named, (file.path, "names it too and is not migrated")))
    return left


def _analyzed(suite: SuiteFile) -> Analysis:
    parsed = parse_document(suite.path, suite.text, suite.workspace)
    return check(parsed, suite.folder, suite.path, options=CheckOptions(use_config=False))


def _to_fix(found: Finding) -> Finding:
    """Return a finding as the fixes of a migration are chosen by.

    What has no equal stays for a person to decide wherever it is written, and how often: a fix that
    writes evaluators out in each case is no worse for writing that out too.
    """
    if not is_legacy(found.rule):
        return replace(found, fix=None)
    undecided = found.rule is unsupported_setting
    return replace(found, configured=Severity.WARNING) if undecided else found


def _to_decide(found: Finding) -> bool:
    """Whether something is left of another format, or could not be read to see."""
    if found.rule.unreadable:
        return True
    return is_legacy(found.rule) and found.severity is not Severity.INFO


def same_meaning(before: ParsedSuite | ParsedTargets, after: ParsedSuite | ParsedTargets) -> bool:
    """Whether two versions of a file say the same, as far as both can be read."""
    if isinstance(before, ParsedTargets) or isinstance(after, ParsedTargets):
        return before.document.head.content.broken or (
            isinstance(before, ParsedTargets)
            and isinstance(after, ParsedTargets)
            and before.configs.items() <= after.configs.items()
        )
    if len(before.cases) != len(after.cases):
        return False
    pairs = zip(meanings(before), meanings(after), strict=True)
    return all(old is None or old == new for old, new in pairs)


def meanings(suite: ParsedSuite) -> Iterator[dict[str, Any] | None]:
    """Yield what each case is graded by, in one form whatever the format; None for a broken one."""
    head = suite.head.model
    for number, case in enumerate(suite.cases):
        if case.model is None or head is None:
            yield None
            continue
        defaults = head.execution.evaluators if head.execution else None
        own = _own(case.model)
        if own is None:
            evaluators = [_dumped(it) for it in defaults or ()]
        else:
            evaluators = [_dumped(it) for it in own]
            if suite.appended_to(number):
                taken = TakenNames(evaluator["name"] for evaluator in evaluators)
                for default in map(_dumped, defaults or ()):
                    name = taken.take(default["name"])
                    evaluators.append({**default, "name": name})
        target = case.model.execution.target if case.model.execution else None
        target = target or (head.execution.target if head.execution else None)
        values = _dumped(case.model)
        yield {
            **{key: it for key, it in values.items() if key not in ("evaluators", "execution")},
            "evaluators": evaluators,
            "target": target,
            "head": {
                key: default
                for key, default in _dumped(head).items()
                if key not in ("execution", "metadata", "version", "$schema")
            },
        }


def _own(case: Case) -> list[Any] | None:
    listed = case.execution.evaluators if case.execution else None
    return listed if listed is not None else case.evaluators


def _dumped(model: Any) -> dict[str, Any]:
    return _in_one_form(model.model_dump(mode="json", by_alias=True, exclude_none=True))


def _in_one_form(values: dict[str, Any]) -> dict[str, Any]:
    """Return values with the variables of prompts, and the gates of rubrics, in one form."""
    converted = {key: _each_in_one_form(it) for key, it in values.items()}
    if isinstance(converted.get("prompt"), str):
        text = converted["prompt"]
        for variable in reversed(find_variables(text)):
            text = f"{text[: variable.start]}{{{{ {variable.name} }}}}{text[variable.end :]}"
        converted["prompt"] = text
    if converted.get("required") is True and "score_ranges" in converted:
        del converted["required"]
        converted.setdefault("required_min_score", TOP)
    return converted


def _each_in_one_form(value: Any) -> Any:
    if isinstance(value, list):
        return [_each_in_one_form(it) for it in value]
    return _in_one_form(value) if isinstance(value, dict) else value
