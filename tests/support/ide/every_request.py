"""Everything an editor asks at a place of a text, asked of the features themselves, without a server.

What is answered has to lie where the cursor is, or at least within the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path

from suitecase.checking.analysis import Analysis
from suitecase.checking.check import check, check_configuration
from suitecase.editor.completion import (
    Completion,
    CompletionContext,
    complete_in_configuration,
    complete_in_prompt,
    complete_in_suite,
    complete_in_targets,
)
from suitecase.editor.dialect_features import features_of
from suitecase.editor.hover import (
    Hover,
    HoverContext,
    RenderedPrompt,
    hover_at,
    hover_in_prompt,
    hover_in_targets,
    setting_at,
)
from suitecase.editor.index.summary import summary_of, summary_of_text
from suitecase.editor.index.workspace_index import WorkspaceIndex
from suitecase.editor.navigation.definition import definition
from suitecase.editor.navigation.file_edits import CannotRenameError
from suitecase.editor.navigation.links import links, targets
from suitecase.editor.navigation.references import highlights, references
from suitecase.editor.navigation.renaming import rename, renameable
from suitecase.editor.navigation.workspace_view import OpenFile, WorkspaceView
from suitecase.editor.quick_fixes import quick_fixes, suppressions
from suitecase.editor.refactoring import refactorings
from suitecase.editor.results import DocumentResults
from suitecase.editor.selected_cases import case_at, cases_in
from suitecase.editor.selection import selections
from suitecase.format.configuration import OWN_FILE, PROJECT_FILE, read_configuration
from suitecase.format.dialect import DialectFile
from suitecase.format.other_file import OtherFile
from suitecase.format.reading import ParsedFile, parse_document
from suitecase.format.rule import Edit
from suitecase.format.target_files import ParsedTargets
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.node import Span
from support.ide.marked_suite import NOW


class AskedText:
    """A text of a file, as it stands in an editor.

    Args:
        path: the file; by its name and its text it is a suite, a data set, targets, a
            configuration or a prompt.
        text: all of it, or as far as it is typed.
        index: the folder around it.
        before: the same file with one edit less, of which is taken over what is the same.
    """

    def __init__(
        self, path: Path, text: str, index: WorkspaceIndex, before: AskedText | None = None
    ) -> None:
        self.path, self.text, self.index = path, text, index
        self._folder = Folder(Workspace(index.root, {path: text}), path.parent)
        self._written: ParsedSuite | ParsedTargets | None = None
        self._other: DialectFile | None = None
        if path.suffix in (".yaml", ".yml", ".jsonl", ".json"):
            reuse = before._file if before is not None else None
            reuse = reuse if isinstance(reuse, ParsedSuite | DialectFile) else None
            parsed = parse_document(path, text, self._folder.workspace, reuse=reuse)
            if isinstance(parsed, DialectFile):
                self._other = parsed
            elif path.suffix != ".json" and not isinstance(parsed, OtherFile):
                self._written = parsed
        self._configuration = None
        if path.name in (OWN_FILE, PROJECT_FILE):
            self._configuration = read_configuration(path, text)
        self._summary = (
            summary_of(path, self._file) if self._file is not None else summary_of_text(path, text)
        )
        here = OpenFile(text, self._summary, self._file)
        self._surroundings = WorkspaceView(index, {path: here}, here=here)
        self._analysis: Analysis | None = None

    @property
    def _file(self) -> ParsedFile | None:
        return self._written if self._written is not None else self._other

    @property
    def analysis(self) -> Analysis:
        """What is found in the text, or nothing where it is a prompt."""
        if self._analysis is None:
            self._analysis = Analysis([])
            if self._configuration is not None:
                self._analysis = check_configuration(self._configuration, self._folder.workspace)
            elif self._file is not None:
                self._analysis = check(self._file, self._folder)
            assert not self._analysis.failures, self._analysis.failures[0].trace
        return self._analysis

    def complete(self, offset: int) -> int:
        """Ask what may be written; returns how much is offered."""
        found = self._completion(offset)
        for it in found.items:
            start, end = it.span or found.span
            assert start <= offset <= end <= len(self.text), it
            assert not {"\n", "\r"} & set(self.text[start:end]), it
            assert it.label.strip(), it
        return len(found.items)

    def hover(self, offset: int) -> int:
        """Ask what something means; returns whether anything is said."""
        found = self._hover(offset)
        if found is not None:
            assert found.span.start <= offset <= found.span.end <= len(self.text)
            assert found.markdown.strip()
            assert found.markdown.count("```") % 2 == 0, found.markdown
        return found is not None

    def navigate(self, offset: int) -> int:
        """Ask where a name is given and used, and for another one; returns how many places name it."""
        around, summary = self._surroundings, self._summary
        for place in definition(around, summary, offset):
            assert 0 <= place.span.start <= place.span.end
        marks = highlights(around, summary, offset)
        assert all(0 <= it.span.start <= it.span.end <= len(self.text) for it in marks)
        if marks and summary.at(offset) is not None:
            assert any(it.span.start <= offset <= it.span.end for it in marks)
        if not marks:
            return 0
        places = references(around, summary, offset, with_definition=True)
        try:
            named = renameable(around, summary, offset)
            assert named.span.start <= offset <= named.span.end
            for file in rename(around, summary, offset, "another-name"):
                self._check_edits(file.edits, file.text)
        except CannotRenameError:
            pass  # as it may be: the name stands in what does not parse, or is free
        return len(places)

    def act(self, offset: int) -> int:
        """Ask what may be done; returns how much is offered."""
        here = Span(offset, offset)
        found = [it.edits for it in quick_fixes(self.text, self.analysis, here)]
        if isinstance(self._written, ParsedSuite):
            document = self._written.document
            found += [it.edits for it in suppressions(document, self.analysis, here)]
            found += [it.edits for it in refactorings(self._written, here, self._folder)]
            case = case_at(self._written, offset)
            assert case is None or case in cases_in(self._written, here)
        for edits in found:
            self._check_edits(edits, self.text)
        return len(found)

    def select(self, offset: int) -> int:
        """Ask what the selection grows to; returns in how many steps."""
        if self._file is None:
            return 0
        found = selections(self._file.document, offset)
        assert found[-1] == Span(0, len(self.text))
        assert all(it.start <= offset <= it.end for it in found)
        return len(found)

    def links(self) -> int:
        """Ask which files are named; returns how many."""
        found = list(links(self._summary, targets(self._surroundings, self._summary)))
        assert all(0 <= it.span.start < it.span.end <= len(self.text) for it in found)
        return len(found)

    def _completion(self, offset: int) -> Completion:
        around = CompletionContext(self._folder, lambda: self.analysis.findings)
        if self.path.name in (OWN_FILE, PROJECT_FILE):
            return complete_in_configuration(self.path, self.text, offset)
        if self._other is not None:
            return features_of(self._other.dialect).complete(self._other, offset, around)
        if self._written is None:
            return complete_in_prompt(self.text, offset)
        if isinstance(self._written, ParsedTargets):
            return complete_in_targets(self._written, offset, around)
        return complete_in_suite(self._written, offset, around)

    def _hover(self, offset: int) -> Hover | None:
        if self._configuration is not None:
            said = setting_at(self._configuration, offset)
            return Hover(*said) if said is not None else None
        if self._other is not None:
            return features_of(self._other.dialect).hover(self._other, offset, self._folder, {})
        if self._written is None:
            return hover_in_prompt(self.text, offset)
        if isinstance(self._written, ParsedTargets):
            return hover_in_targets(self._written, offset, self.path.name, {})
        around = HoverContext(
            self.path, self._folder, lambda _suite, _folder: RenderedPrompt("Hi", ())
        )
        return hover_at(self._written, offset, DocumentResults(), NOW, around)

    @staticmethod
    def _check_edits(edits: Iterable[Edit], text: str) -> None:
        spans = sorted(it.span for it in edits)
        assert all(0 <= it.start <= it.end <= len(text) for it in spans)
        assert all(one.end <= other.start for one, other in pairwise(spans))


#: What is asked at a place, by its name.
REQUESTS: dict[str, Callable[[AskedText, int], int]] = {
    "completion": AskedText.complete,
    "hover": AskedText.hover,
    "navigation": AskedText.navigate,
    "code actions": AskedText.act,
    "selection": AskedText.select,
}
