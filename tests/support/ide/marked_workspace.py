"""Workspaces whose files are written with a `|` where the cursor is, and what is found there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from textwrap import dedent

from suitecase.editor.index.summary import Summary, summary_of, summary_of_text
from suitecase.editor.index.workspace_index import WorkspaceIndex
from suitecase.editor.navigation.definition import definition
from suitecase.editor.navigation.references import highlights, references
from suitecase.editor.navigation.renaming import rename
from suitecase.editor.navigation.workspace_view import OpenFile, Place, WorkspaceView
from suitecase.format.reading import parse_document
from suitecase.format.rewriting.lines import apply
from suitecase.format.workspace import Workspace
from suitecase.formats.suitecase.parsed import parse_suite
from support.ide.marked_suite import shown as set_off

MARK = "|"


class MarkedWorkspace:
    """A folder of files; the one whose text has a mark, the last `|` in it, is asked about.

    Args:
        folder: where the files are written; line breaks stay as they are.
        files: the texts by path.
        open_files: texts that an editor has and has not saved, by path.
    """

    def __init__(
        self,
        folder: Path,
        files: Mapping[str, str],
        *,
        at: str,
        open_files: Mapping[str, str] | None = None,
    ) -> None:
        self.folder = folder
        (folder / ".git").mkdir(parents=True, exist_ok=True)
        self.path = folder / at
        self.offset = 0
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(self._unmarked(name, text).encode())
        texts = {name: self._unmarked(name, text) for name, text in (open_files or {}).items()}
        self._opened = {folder / name: text for name, text in texts.items()}
        if self.path not in self._opened:
            self._opened[self.path] = self.path.read_bytes().decode().removeprefix("\ufeff")
            self.offset -= self.path.read_bytes().startswith(b"\xef\xbb\xbf")
        self.surroundings = self.again()

    def _unmarked(self, name: str, text: str) -> str:
        text = dedent(text)
        if self.folder / name == self.path and MARK in text:
            self.offset = text.rindex(MARK)
            text = text[: self.offset] + text[self.offset + 1 :]
        return text

    def again(self) -> WorkspaceView:
        """Return the surroundings as they are now, of an index that has seen nothing yet."""
        files = {path: _open_file(self.folder, path, it) for path, it in self._opened.items()}
        self.summary: Summary = files[self.path].summary
        return WorkspaceView(WorkspaceIndex(self.folder), files)

    def definition(self) -> list[str]:
        return self._shown(definition(self.surroundings, self.summary, self.offset))

    def references(self, *, with_definition: bool = True) -> list[str]:
        found = references(
            self.surroundings, self.summary, self.offset, with_definition=with_definition
        )
        return self._shown(found)

    def highlights(self) -> list[str]:
        found = highlights(self.surroundings, self.summary, self.offset)
        return self._shown(Place(self.path, it.span) for it in found)

    def rename(self, new: str) -> list[str]:
        """Rename on the disk; returns the files that changed, by path."""
        changed = []
        for it in rename(self.surroundings, self.summary, self.offset, new):
            assert it.path is not None
            text = apply(it.text, it.edits)
            bom = "\ufeff" if it.path.read_bytes().startswith(b"\xef\xbb\xbf") else ""
            it.path.write_bytes((bom + text).encode())
            changed.append(it.path.relative_to(self.folder).as_posix())
            if it.path == self.path:
                here = next(
                    edit.span
                    for edit in it.edits
                    if edit.span.start <= self.offset <= edit.span.end
                )
                before = [edit for edit in it.edits if edit.span < here]
                self.offset = here.start + sum(
                    len(edit.text) - (edit.span.end - edit.span.start) for edit in before
                )
            if it.path in self._opened:
                self._opened[it.path] = text
        self.surroundings = self.again()
        return sorted(changed)

    def bytes(self) -> dict[str, bytes]:
        """Return every file as it is on the disk."""
        paths = (it for it in sorted(self.folder.rglob("*")) if it.is_file())
        return {it.relative_to(self.folder).as_posix(): it.read_bytes() for it in paths}

    def _shown(self, places: Iterable[Place]) -> list[str]:
        found = []
        for it in places:
            assert it.path is not None
            text = self.surroundings.text(it.path)
            assert text is not None
            line = set_off(parse_suite(text), it.span)
            found.append(f"{it.path.relative_to(self.folder).as_posix()}: {line}")
        return found


def _open_file(folder: Path, path: Path, text: str) -> OpenFile:
    if path.suffix not in (".yaml", ".yml", ".jsonl"):
        return OpenFile(text, summary_of_text(path, text), None)
    written = parse_document(path, text, Workspace(folder))
    return OpenFile(text, summary_of(path, written), written)
