"""Making the lock of a suite: what its version consists of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from suitecase import __version__
from suitecase.evidence.releases.case_digests import digest_of, evaluator_digest
from suitecase.evidence.releases.file_digests import FileDigests
from suitecase.evidence.releases.head_parts import figure_parts
from suitecase.evidence.releases.lock_file import LockedCase, LockedHead, LockFile
from suitecase.evidence.releases.locked_judges import locked_judges
from suitecase.evidence.releases.slice_digests import slices_digest, used_metadata
from suitecase.evidence.releases.suite_digests import SuiteDigests
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.model import SuiteHead
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedSuite
from suitecase.formats.suitecase.resolve import dataset_name
from suitecase_evaluators.answers.records.case_version import case_hash
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.grade.registry import with_members


def make_lock(
    suite: ParsedSuite, head: SuiteHead, version: str, path: Path, folder: Folder, at: str
) -> LockFile:
    """Return the lock of a suite, whose cases have no errors.

    Args:
        suite: the suite or the data set.
        head: its head.
        version: its version.
        path: its path.
        folder: its folder.
        at: the time, in ISO 8601.
    """
    files = FileDigests(folder)
    digests = SuiteDigests(suite, head, files)
    keys = used_metadata(head)
    cases: dict[str, LockedCase] = {}
    for number, case in enumerate(suite.cases):
        of_case = digests.of(number)
        if case.model is None or of_case is None:
            continue
        cases[case.model.id] = LockedCase(
            question=of_case.question,
            expected=of_case.expected,
            grading=of_case.grading,
            slices=slices_digest(case.model, keys),
            text=text_digest(case) if suite.document.segmented else "",
        )
    inherited, parts = digests.inherited, figure_parts(head)
    return LockFile(
        suite=path.name,
        dataset=head.dataset or dataset_name(path),
        version=version,
        suitecase=__version__,
        at=at,
        head=LockedHead(
            question=inherited.question,
            mode=inherited.mode,
            evaluators=inherited.evaluators,
            names=list(inherited.names),
            metadata=keys,
        ),
        **parts._asdict(),
        graders=_graders(suite, head, files),
        files={name: it for name in sorted(files.used) if (it := files.of(files.used[name]))},
        judges=locked_judges(suite, head, inherited.judges, folder),
        cases=cases,
        deprecated=sorted(deprecated_ids(head)),
    )


def deprecated_ids(head: SuiteHead) -> frozenset[str]:
    """Return the ids of the cases that a suite lists as deprecated."""
    listed = head.governance.deprecated if head.governance is not None else None
    return frozenset(item.id for item in listed or ())


def text_digest(case: ParsedCase) -> str:
    """Return a digest of the text of a case."""
    return case_hash(case.source)[:16]


def _graders(suite: ParsedSuite, head: SuiteHead, files: FileDigests) -> dict[str, str]:
    """Return a digest for each name of an evaluator, of all entries that have it."""
    found: dict[str, set[str]] = {}
    for config in with_members(_listed(suite, head)):
        found.setdefault(config.name, set()).add(evaluator_digest(config, files))
    return {name: digest_of(sorted(it)) for name, it in sorted(found.items())}


def _listed(suite: ParsedSuite, head: SuiteHead) -> Iterator[EvaluatorConfig]:
    models = [it.model for it in suite.cases if it.model is not None]
    for execution in (head.execution, *(model.execution for model in models)):
        if execution is not None:
            yield from execution.evaluators or ()
    for case in models:
        yield from case.evaluators or ()
