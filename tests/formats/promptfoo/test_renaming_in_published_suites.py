"""Renaming in configurations that people have published: every use follows, and nothing else changes.

A third of the repositories are tried, other ones each time; by `make sweep`, all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from suitecase.editor.index.occurrence import LINKED
from suitecase.editor.index.summary import Summary, summary_of, summary_of_text
from suitecase.editor.index.workspace_index import WorkspaceIndex
from suitecase.editor.navigation.file_edits import CannotRenameError, FileEdits
from suitecase.editor.navigation.linked_suites import suites_with
from suitecase.editor.navigation.renaming import rename
from suitecase.editor.navigation.workspace_view import OpenFile, WorkspaceView
from suitecase.format.dialect import DialectFile
from suitecase.format.reading import parse_document
from suitecase.format.rule import Fix
from suitecase.format.workspace import Workspace
from support.samples import sample

CORPUS = Path(__file__).parents[4] / "shared/corpus"
NEW = "brand_new_1"
#: Of so many names of each kind in each repository.
MOST = 2
#: A file, and the kind of a name in it, the name, and whether it is defined there.
Names = Counter[tuple[Path | None, str, str, bool]]


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the suites are not on this machine")
@pytest.mark.parametrize("tree", ["promptfoo", "agentv-v5"])
def test_every_use_of_a_name_is_renamed(tree: str) -> None:
    renamed = 0
    for root in sample(sorted(path for path in (CORPUS / tree).iterdir() if path.is_dir())):
        index = WorkspaceIndex(root)
        view = WorkspaceView(index, {})
        before = names(view)
        for kind, name, edits in _renamings(view):
            renamed += 1
            touched = {it.path for it in edits}
            expected: Names = Counter()
            for (path, its_kind, its_name, defines), count in before.items():
                is_renamed = (its_kind, its_name) == (kind, name) and path in touched
                expected[path, its_kind, NEW if is_renamed else its_name, defines] += count
            opened = {it.path: _opened(root, it) for it in edits if it.path is not None}
            assert names(WorkspaceView(index, opened)) == expected, (root, kind, name)
    assert renamed > 0


def names(view: WorkspaceView) -> Names:
    """Return all names in the suites of a workspace and in the files that they name."""
    files: dict[tuple[Path | None, Path | None], Summary] = {}
    for summary in view.of_dialects():
        for suite in suites_with(view, summary):
            files |= {(suite.summary.path, it.path): it for it in suite.files}
    found = [
        (path, it.occurrence.kind.value, it.occurrence.name, it.occurrence.defines)
        for (_, path), summary in files.items()
        for it in summary
        if it.occurrence.kind in LINKED
    ]
    return Counter(found)


def _renamings(view: WorkspaceView) -> Iterator[tuple[str, str, list[FileEdits]]]:
    seen: set[tuple[str, str]] = set()
    for summary in view.of_dialects():
        for suite in suites_with(view, summary):
            for file in suite.files:
                for it in file:
                    name = (it.occurrence.kind.value, it.occurrence.name)
                    alike = [kind for kind, _ in seen if kind == name[0]]
                    if it.occurrence.kind not in LINKED or name in seen or len(alike) >= MOST:
                        continue
                    seen.add(name)
                    try:
                        yield (*name, rename(view, file, it.span.start, NEW))
                    except CannotRenameError:
                        continue


def _opened(root: Path, file: FileEdits) -> OpenFile:
    text = Fix("", file.edits).apply(file.text)
    assert file.path is not None
    if file.path.suffix in (".yaml", ".yml", ".json"):
        parsed = parse_document(file.path, text, Workspace(root))
        if isinstance(parsed, DialectFile):
            return OpenFile(text, summary_of(file.path, parsed), parsed)
    return OpenFile(text, summary_of_text(file.path, text), None)
