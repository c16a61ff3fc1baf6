"""The files of a workspace at one moment, for one request."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from suitecase.editor.index.summary import Found, Parsed, Summary, summary_of_text
from suitecase.editor.index.workspace_index import (
    GivenUpError,
    WorkspaceIndex,
    summary_of_file,
    text_of,
)
from suitecase.format.dataset_files import dataset_of, sidecar_of
from suitecase.format.reading import parse_document
from suitecase.format.target_files import targets_path
from suitecase.format.workspace import Folder, Workspace
from suitecase.format.workspace import Found as FoundFile
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.formats.suitecase.prompts import prompt_text
from suitecase.formats.suitecase.scripts import start_folder
from suitecase.schema.key_roles import Kind
from suitecase.text.node import Scalar, Span
from suitecase_evaluators.system.path_kinds import is_file, real_path


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A file as an editor has it; `written` is None if it is not part of a suite itself."""

    text: str
    summary: Summary
    written: Parsed | None


class WorkspaceView:
    """The files a request sees: open files with unsaved text, all others from disk.

    Args:
        index: the workspace.
        open_files: the editor's files, by each of their paths.
        is_over: returns whether the answer is no longer needed.
        here: the document of the request, which may not be a file.
    """

    def __init__(
        self,
        index: WorkspaceIndex,
        open_files: Mapping[Path, OpenFile],
        is_over: Callable[[], bool] = lambda: False,
        *,
        here: OpenFile | None = None,
    ) -> None:
        texts = {path: it.text for path, it in open_files.items()}
        self.workspace = Workspace(index.root, texts)
        self._index = index
        self._open = open_files
        self._is_over = is_over
        self._here = (here,) if here is not None else ()
        self._homes: dict[Path, Path | None] = {}
        self._sidecars: dict[Path, Path] = {}
        self._texts: dict[Path, str] = {}
        self._starts: dict[Path, Path] = {}

    @property
    def is_complete(self) -> bool:
        """Whether all files of the workspace are known."""
        return self._index.is_complete

    def all(self) -> Iterator[Summary]:
        """Yield the summary of each file of the workspace that belongs to suites.

        Raises:
            GivenUpError: the answer is no longer needed.
        """
        seen: set[int] = set()
        homes: set[Path] = set()
        # Finally, files that are new or excluded by a configuration: open files, and the targets
        # files of suites, count anyway.
        for summary in (*self._listed(), *(it.summary for it in self._open.values())):
            if summary.kind != "text" and id(summary) not in seen:
                seen.add(id(summary))
                yield summary
                home = self.targets_for(summary)
                if home is not None:
                    homes.add(home)
        for home in sorted(homes):
            targets = self.summary(home)
            if targets is not None and id(targets) not in seen:
                seen.add(id(targets))
                yield targets

    def of_dialects(self) -> Iterator[Summary]:
        """Yield the summary of each file of another tool.

        Raises:
            GivenUpError: the answer is no longer needed.
        """
        seen: set[int] = set()
        for summary in (*self._listed(), *(it.summary for it in self._open.values())):
            if summary.kind == "dialect" and id(summary) not in seen:
                seen.add(id(summary))
                yield summary

    def _listed(self) -> Iterator[Summary]:
        for path in self._index.files(self._is_over):
            if self._is_over():
                raise GivenUpError
            summary = self.summary(path)
            if summary is not None:
                yield summary

    def summary(self, path: Path) -> Summary | None:
        """Return the summary of a file; None if it cannot be read."""
        opened = self._opened(path)
        return opened.summary if opened is not None else self._index.summary(path)

    def text(self, path: Path) -> str | None:
        """Return the text of a file, without a byte order mark if it is read from disk."""
        opened = self._opened(path)
        if opened is not None:
            return opened.text
        if path not in self._texts:
            text = text_of(path, self.workspace.root)
            if text is None:
                return None
            self._texts[path] = text
        return self._texts[path]

    def text_of(self, summary: Summary) -> str | None:
        """Return the current text of a summary's file."""
        if summary.path is None:
            return next((it.text for it in self._here if it.summary is summary), None)
        return self.text(summary.path)

    def current(self, summary: Summary) -> Summary:
        """Return the summary of the text that `text` returns."""
        text = self.text(summary.path) if summary.path is not None else None
        if summary.path is None or text is None or hash(text) == summary.digest:
            return summary
        return summary_of_file(summary.path, text, self._index.root)

    def written(self, summary: Summary) -> Parsed | None:
        """Return the parsed suite or targets file of a summary."""
        if summary.path is None:
            return next((it.written for it in self._here if it.summary is summary), None)
        opened = self._opened(summary.path)
        if opened is not None:
            return opened.written
        text = self.text(summary.path)
        return parse_document(summary.path, text, self.workspace) if text is not None else None

    def dataset_of(self, sidecar: Summary) -> tuple[Summary, ParsedSuite] | None:
        """Return the data set of a sidecar."""
        path = dataset_of(sidecar.path) if sidecar.path is not None else None
        summary = self.summary(path) if path is not None else None
        parsed = self.written(summary) if summary is not None else None
        if summary is None or not isinstance(parsed, ParsedSuite):
            return None
        return summary, parsed

    def prompt(self, path: Path) -> Summary | None:
        """Return the summary of a prompt file."""
        text = self.text(path)
        return summary_of_text(path, text) if text is not None else None

    def targets_for(self, summary: Summary) -> Path | None:
        """Return the targets file for the names in a file."""
        if summary.kind == "targets" and summary.path is not None:
            return summary.path
        folder = self._folder(summary)
        if folder not in self._homes:
            self._homes[folder] = targets_path(self.workspace, folder)
        return self._homes[folder]

    def suite_home(self, summary: Summary) -> Path | None:
        """Return the file that stands for the whole suite of a file: of a data set, its sidecar."""
        path = summary.path
        if path is None or summary.kind != "dataset":
            return path
        if path not in self._sidecars:
            self._sidecars[path] = sidecar_of(path) or path
        return self._sidecars[path]

    def beside(self, summary: Summary) -> Summary | None:
        """Return the other file of a suite: the sidecar of a data set, or its data set."""
        if summary.kind == "dataset":
            home = self.suite_home(summary)
            return self.summary(home) if home is not None and home != summary.path else None
        path = dataset_of(summary.path) if summary.kind == "sidecar" and summary.path else None
        return self.summary(path) if path is not None else None

    def answered_cases(self, targets: Summary) -> tuple[str, ...]:
        """Return the ids of the cases whose suites use a targets file, without duplicates.

        Raises:
            GivenUpError: the answer is no longer needed.
        """
        ids: dict[str, None] = {}
        for summary in self.all():
            if summary.kind in ("suite", "dataset") and self.targets_for(summary) == targets.path:
                cases = (it.occurrence for it in summary if it.occurrence.kind is Kind.CASE)
                ids.update(dict.fromkeys(case.name for case in cases if case.defines))
        return tuple(ids)

    def file_at(self, summary: Summary, reference: Found) -> Path | None:
        """Return the file a reference resolves to; None if there is none in the workspace."""
        occurrence = reference.occurrence
        if summary.path is None or not occurrence.kind.is_file:
            return None
        start = self._folder(summary)
        is_part = summary.kind == "dialect" and all(part.number != "head" for part in summary.parts)
        if is_part and occurrence.starts_in is not None:
            start = self._naming_folder(summary.path)
        folder = Folder(self.workspace, start)
        if occurrence.kind is Kind.PROMPT:
            return prompt_text(occurrence.name, folder)[1]
        if occurrence.starts_in is None:
            lookup = folder.find(occurrence.name.strip())
            return lookup.path if isinstance(lookup, FoundFile) else None
        cwd = Scalar(0, 0, occurrence.starts_in, "'")
        working_folder = start_folder(cwd, folder)
        if working_folder is None or "\0" in occurrence.name:
            return None
        path = Path(os.path.normpath(working_folder / occurrence.name))
        return path if self.workspace.holds(path) and is_file(path) else None

    def _naming_folder(self, part: Path) -> Path:
        """Return the folder of the suite of another tool that names a part: its paths start there."""
        if part not in self._starts:
            self._starts[part] = next(
                (
                    suite.path.parent
                    for suite in self.of_dialects()
                    if suite.path is not None and suite.path != part
                    for found in suite
                    if found.occurrence.kind is Kind.FILE
                    and found.occurrence.name.endswith(part.name)
                    and Path(os.path.normpath(suite.path.parent / found.occurrence.name)) == part
                ),
                part.parent,
            )
        return self._starts[part]

    def is_open(self, path: Path) -> bool:
        """Whether an editor has a file open."""
        return self._opened(path) is not None

    def _opened(self, path: Path) -> OpenFile | None:
        if not self._open:
            return None
        return self._open.get(path) or self._open.get(real_path(path))

    def _folder(self, summary: Summary) -> Path:
        return summary.path.parent if summary.path is not None else self.workspace.root


@dataclass(frozen=True, slots=True)
class Place:
    """A span of a file; `path` is None for the request's document if it is not a file."""

    path: Path | None
    span: Span
