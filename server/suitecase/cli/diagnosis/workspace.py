"""What a workspace has: how many files of which kind, and which rules find something in them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from suitecase.cli.checking.file_checker import FileChecker, FileCheckOptions, Job
from suitecase.cli.checking.files import configurations, jobs_for
from suitecase.cli.checking.findings import Unread
from suitecase.format.dialect import DialectFile
from suitecase.format.other_file import OtherFile
from suitecase.format.reading import ParsedFile, parse_document
from suitecase.format.target_files import ParsedTargets
from suitecase.format.workspace import Unreadable, read_text
from suitecase_evaluators.targets.config.file import PROVIDERS


@dataclass(slots=True)
class WorkspaceFacts:
    """Numbers about a workspace. No names, texts or paths of it.

    Attributes:
        files: how many there are of each kind.
        cases: in all suites.
        providers: how many targets each kind of provider has.
        findings: by the code of their rule.
        configurations: how many configurations apply.
        unread: why files could not be read, with how many.
        bugs: rules that failed, with the kind of error: bugs of Suitecase.
    """

    files: Counter[str] = field(default_factory=Counter)
    cases: int = 0
    providers: Counter[str] = field(default_factory=Counter)
    findings: Counter[str] = field(default_factory=Counter)
    configurations: int = 0
    unread: Counter[str] = field(default_factory=Counter)
    bugs: Counter[str] = field(default_factory=Counter)


def workspace_facts(folder: Path) -> WorkspaceFacts:
    """Check the suites in a folder and return numbers about them, without quoting them."""
    facts = WorkspaceFacts()
    checker = FileChecker(FileCheckOptions())
    jobs: list[Job] = []
    for job in jobs_for(folder, checker, named_too=False):
        if isinstance(job, Unread):
            facts.unread[job.reason] += 1
            continue
        jobs.append(job)
        checked = checker.check(job)
        if isinstance(checked, Unread):
            facts.unread[checked.reason] += 1
            continue
        facts.cases += checked.cases
        for file in (checked, *checked.others):
            facts.findings.update(finding.code for finding in file.findings)
            facts.bugs.update(
                f"{failure.rule.code}: {failure.trace.strip().splitlines()[-1].partition(':')[0]}"
                for failure in file.analysis.failures
            )
        _add_kind(facts, job, checker)
    facts.configurations = sum(1 for _ in configurations(jobs, checker))
    return facts


def _add_kind(facts: WorkspaceFacts, job: Job, checker: FileChecker) -> None:
    text = read_text(job.path, within=job.root)
    if isinstance(text, Unreadable):
        return
    parsed = parse_document(job.path, text, checker.workspace(job.root))
    facts.files[_kind(parsed)] += 1
    if isinstance(parsed, ParsedTargets):
        for entry in parsed.entries:
            name = entry.provider.text if entry.provider is not None else ""
            facts.providers[PROVIDERS.get(name, "another provider")] += 1


def _kind(parsed: ParsedFile) -> str:
    if isinstance(parsed, ParsedTargets):
        return "targets file"
    if isinstance(parsed, DialectFile):
        return parsed.title.removeprefix("a ").removeprefix("an ")
    if isinstance(parsed, OtherFile):
        return "file that is not read"
    return parsed.kind
