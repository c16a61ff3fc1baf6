"""The effective hash of a case, which changes whenever its answer or grade might.

`case_hash` covers only the text of the case. The effective hash covers everything that determines
the prompt, the target and the grading, wherever it is defined:

- the case: id, input, expected outcome, expected messages, sidecar, and the content of its files;
- the suite's prompt, `expected_schema` and seed;
- its evaluators, including inherited ones and their settings under `judges`, with the text of prompt
  files and references, the content of scripts
  in the workspace and of files that they compare answers with, and the version of the package that provides an evaluator;
- the settings of the target and of the judges, with placeholders filled in, but without secrets
  and settings that do not affect answers (`workers`, limits, retries); for programs, the content of
  the executed file in the workspace; for `replay`, the results file.

It does not cover comments and the order of keys, modules that a script imports, files passed to a
script (which it may write), people's labels, programs outside the workspace, or the model behind a model's name.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from suitecase.evidence.releases.case_digests import (
    CaseDigests,
    HeadDigests,
    case_digests,
    head_digests,
)
from suitecase.evidence.releases.executed_files import executed_files
from suitecase.evidence.releases.file_digests import FileDigests
from suitecase.format.workspace import Found
from suitecase.formats.suitecase.effective_suite import EffectiveCase
from suitecase.formats.suitecase.model import PromptFile
from suitecase.run.case_store import Cases
from suitecase.run.jobs import Job, Jobs
from suitecase.run.plan import Plan
from suitecase.run.target_pool import TargetPool
from suitecase.run.target_settings import settings
from suitecase_evaluators.answers.records.case_version import CaseVersion
from suitecase_evaluators.answers.row import Row
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.grade.registry import (
    description_of,
    is_third_party,
    judge_calls,
    with_members,
)
from suitecase_evaluators.grade.row_code import row_commands
from suitecase_evaluators.grade.third_party import providers
from suitecase_evaluators.system.path_kinds import is_file
from suitecase_evaluators.targets.environment import resolve
from suitecase_evaluators.targets.target import TargetError
from suitecase_evaluators.text.written_number import encoded

#: Made once: `json.dumps` would make one for each value.
_encode = json.JSONEncoder(sort_keys=True, default=str, check_circular=False).encode
#: The version of the hashed data; changing it changes every hash.
_FORM = 1
#: The number of evaluators, and of cases, whose digests are kept; versions are kept of all cases.
_KEPT = 1024

K = TypeVar("K")
V = TypeVar("V")


class EffectiveHashes:
    """The effective hashes of the cases of a suite.

    Caches the content of files, so an object is valid for one run.

    Attributes:
        files: absolute paths of the files that the hashes so far depend on.
        on_disk: those of them that programs execute or read, so their content on disk counts.
    """

    def __init__(self, planned: Plan, pool: TargetPool, environ: Mapping[str, str]) -> None:
        self._plan = planned
        self._pool = pool
        self._environ = environ
        self._versions: dict[str, _Versions] = {}
        #: By the identity of each: the latest evaluators, which are not freed here, their digests, and
        #: the judges that they name; None is that of the target.
        self._evaluators: dict[int, tuple[EvaluatorConfig, str, frozenset[str | None]]] = {}
        #: The same by what the evaluators say: many cases have one of the same content.
        self._equal_evaluators: dict[
            tuple[type[EvaluatorConfig], str], tuple[str, frozenset[str | None]]
        ] = {}
        self._targets: dict[str, str] = {}
        #: The digests of files as prompts have them, and as they are on disk.
        self._texts: dict[Path, str | None] = {}
        self._contents: dict[Path, str | None] = {}
        self._file_digests = FileDigests(planned.folder)
        self._head_digests: HeadDigests | None = None
        self._case_digests: dict[str, CaseDigests] = {}
        self._gradings: dict[tuple[bool, str], str] = {}
        self.files: set[Path] = {planned.suite.path}
        self.on_disk: set[Path] = set()
        prompt = planned.suite.head.prompt
        if isinstance(prompt, PromptFile):
            self._file_digest(prompt.file)
        if planned.targets is not None:
            self.files.add(planned.targets.path)
        head = planned.suite.head
        seed = head.execution.seed if head.execution is not None else None
        seeded = [] if seed is None else [seed]
        self._head = _digest([_FORM, planned.suite.prompt, head.expected_schema, *seeded])

    def changed_since_passed(self, target_of: Callable[[int], str]) -> list[str]:
        """Return the ids of cases that passed in the previous run but have changed since.

        Answers of other targets and records without an effective hash are ignored.

        Args:
            target_of: returns the target of a case of the suite, by its index.
        """
        failed = self._plan.failed
        if failed is None:
            return []
        changed: list[str] = []
        cases = self._plan.sound
        for index, case_id in enumerate(cases.ids):
            passed = failed.passed.get(case_id, ())
            if not passed:
                continue
            target = target_of(index)
            graded = [CaseVersion(None, effective) for name, effective in passed if name == target]
            if graded and all(map(self.version_at(cases, index, target).changed_since, graded)):
                changed.append(case_id)
        return changed

    def version(self, job: Job) -> CaseVersion:
        """Return the current version of a job's case, for the job's target."""
        return self.version_of(job.case, job.target)

    def version_of(self, case: EffectiveCase, target: str) -> CaseVersion:
        """Return the current version of a case, for a target."""
        versions = self._versions_for(target)
        known = versions.get(case.position)
        if known is None:
            known = CaseVersion.of_text(case.text, self._of_case(case, target))
            versions.put(case.position, known)
        return known

    def version_at(self, cases: Cases, index: int, target: str) -> CaseVersion:
        """Return what `version_of` does, and read the case only if that is not known yet."""
        known = self._versions_for(target).get(cases.position(index))
        return self.version_of(cases[index], target) if known is None else known

    def versions(self, jobs: Jobs) -> Iterator[CaseVersion]:
        """Yield the current version of each case for its target; from then on, `files` are known."""
        for index in range(len(jobs.cases)):
            yield self.version_at(jobs.cases, index, jobs.target(index))

    def _versions_for(self, target: str) -> _Versions:
        if target not in self._versions:
            self._versions[target] = _Versions(self._plan.all_cases)
        return self._versions[target]

    def digests(self, case: EffectiveCase) -> CaseDigests:
        """Return the digests of a case that do not depend on targets, as a lock file has them."""
        known = self._case_digests.get(case.id)
        if known is not None:
            return known
        head = self._plan.suite.head
        if self._head_digests is None:
            self._head_digests = head_digests(head, self._file_digests)
        appended = any(evaluator.reason == "suite" for evaluator in case.evaluators)
        digests = case_digests(
            case.case,
            head,
            self._head_digests,
            self._file_digests,
            appended=appended,
            asked=case.input_messages,
            gradings=self._gradings,
        )
        if len(self._case_digests) < _KEPT:
            self._case_digests[case.id] = digests
        return digests

    def of_case(self, case: EffectiveCase, target: str) -> str:
        """Return the hash of a case for a target: 64 hexadecimal digits."""
        return self.version_of(case, target).effective or ""

    def _of_case(self, case: EffectiveCase, target: str) -> str:
        for evaluator in case.evaluators:
            self.files.update(evaluator.prompt_files)
        return _digest(
            [
                self._head,
                self._case(case, handed=self._pool.takes_files(target)),
                [self._evaluator(it.config)[1] for it in case.evaluators],
                self._target(target),
                self._judges(case, target),
            ]
        )

    def _case(self, case: EffectiveCase, *, handed: bool) -> list[Any]:
        messages = (*case.input_messages, *case.expected_messages)
        parts = [message for message in messages if isinstance(message.content, list)]
        references = [
            part.value
            for it in parts
            for part in (it.content if isinstance(it.content, list) else ())
            if part.type == "file"
        ]
        return [
            case.id,
            case.case.expected_outcome,
            [input_message.values() for input_message in case.input_messages],
            [message.values() for message in case.expected_messages],
            case.case.sidecar,
            [self._file_digest(reference, on_disk=handed) for reference in references],
            *(() if case.row is None else (asdict(case.row), self._code(case.row))),
        ]

    def _code(self, row: Row) -> list[list[str]]:
        folder = self._plan.folder.path
        return [self._named_files(row_command.line, folder) for row_command in row_commands(row)]

    def _file_digest(self, reference: str, *, on_disk: bool = False) -> str | None:
        file = self._plan.folder.find(reference)
        if not isinstance(file, Found):
            return None
        return self._content_on_disk(file.path) if on_disk else self._content(file.path)

    def _evaluator(
        self, config: EvaluatorConfig
    ) -> tuple[EvaluatorConfig, str, frozenset[str | None]]:
        # Cases that inherit the suite's evaluators share the same objects.
        known = self._evaluators.get(id(config))
        if known is None:
            values = config.model_dump()
            content = (type(config), repr(values))
            equal = self._equal_evaluators.get(content)
            if equal is None:
                equal = self._of_evaluator(config, values)
                _keep(self._equal_evaluators, content, equal)
            known = (config, *equal)
            _keep(self._evaluators, id(config), known)
        return known

    def _of_evaluator(
        self, config: EvaluatorConfig, values: dict[str, Any]
    ) -> tuple[str, frozenset[str | None]]:
        """Return the digest of an evaluator, and the judges that it names.

        Args:
            values: its values.
        """
        described = [
            (with_member, description_of(with_member)) for with_member in with_members((config,))
        ]
        scripts = [
            [self._named_files(command.line, place)]
            for it, description in described
            for command in description.commands(it)
            if (place := self._plan.folder.start_folder(command.cwd)) is not None
        ]
        scripts += [
            [[self._content_on_disk(path) or ""]]
            for it, description in described
            for file in description.files(it)
            # Opening a named pipe might wait forever.
            if is_file(path := self._plan.folder.path / file)
            and self._plan.folder.workspace.holds(path)
        ]
        packages = [
            str(provider)
            for it, _ in described
            if is_third_party(it.type)
            for provider in providers()[it.type]
        ]
        judges = frozenset(judge_call.target for judge_call in judge_calls((config,)))
        return _digest([values, scripts, packages]), judges

    def _judges(self, case: EffectiveCase, target: str) -> list[str]:
        try:
            own = self._pool.judge_of(target)
        except TargetError:
            return []  # `_target` has hashed what is known of it
        judges = {
            judge or own
            for evaluator in case.evaluators
            for judge in self._evaluator(evaluator.config)[2]
        }
        return [self._target(judge) for judge in sorted(judges)]

    def _target(self, name: str) -> str:
        if name not in self._targets:
            self._targets[name] = self._settings(name)
        return self._targets[name]

    def _settings(self, name: str) -> str:
        try:
            config = self._pool.config(name)
        except TargetError:
            return _digest([name])  # the run reports that there is none
        try:
            filled = resolve(config, self._environ)
        except TargetError:
            filled = config  # the run reports the missing variable
        files: list[Any] = []
        if filled.command is not None:
            folder = self._pool.folder / (filled.command.cwd or ".")
            files = self._named_files(filled.command.line, folder)
        elif filled.answers is not None:
            files = [self._content_on_disk(self._pool.folder / filled.answers)]
        return _digest([name, settings(filled, self._environ), files])

    def _named_files(self, command: str | Sequence[str], folder: Path) -> list[str]:
        """Return the digests of the files in the workspace that a command line executes."""
        files = executed_files(command, folder, self._plan.folder.workspace)
        return [self._content_on_disk(path) or "" for path in files]

    def _content(self, path: Path) -> str | None:
        self.files.add(path)
        if path not in self._texts:
            # What prompts have of it, even if somebody writes to the file during the run.
            text = self._plan.folder.workspace.read(path)
            self._texts[path] = (
                hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
                if isinstance(text, str)
                else self._read(path)
            )
        return self._texts[path]

    def _content_on_disk(self, path: Path) -> str | None:
        self.files.add(path)
        self.on_disk.add(path)
        return self._read(path)

    def _read(self, path: Path) -> str | None:
        if path not in self._contents:
            try:
                with path.open("rb") as file:
                    self._contents[path] = hashlib.file_digest(file, "sha256").hexdigest()
            except OSError:
                self._contents[path] = None
        return self._contents[path]


class _Versions:
    """The versions of cases for a target, in 64 bytes each."""

    def __init__(self, cases: int) -> None:
        self._hashes = bytearray(64 * cases)
        self._known = bytearray(cases)

    def get(self, position: int) -> CaseVersion | None:
        """Return the version of the case at a position, from 1; None if it is not known."""
        if not self._known[position - 1]:
            return None
        text = self._hashes[64 * position - 64 : 64 * position - 32].hex()
        return CaseVersion(text, self._hashes[64 * position - 32 : 64 * position].hex())

    def put(self, position: int, version: CaseVersion) -> None:
        """Set the version of a case."""
        hashes = bytes.fromhex(f"{version.text}{version.effective}")
        self._hashes[64 * position - 64 : 64 * position] = hashes
        self._known[position - 1] = 1


def _keep(kept: dict[K, V], key: K, value: V) -> None:
    """Keep a value, in place of the first one if there are too many."""
    if len(kept) >= _KEPT:
        kept.pop(next(iter(kept)))
    kept[key] = value


def _digest(value: Any) -> str:
    text = encoded(value, _encode)
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()
