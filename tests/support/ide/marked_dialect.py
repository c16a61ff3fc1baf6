"""Files of other tools with a `▮` where the cursor is, and what an editor is answered there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import dedent

from suitecase.editor.completion import Completion, CompletionContext, Item, rendered
from suitecase.editor.dialect_features import DialectFeatures, features_of
from suitecase.editor.inlay_hints import HintKinds
from suitecase.format.dialect import DialectFile
from suitecase.format.reading import parse_document
from suitecase.format.rule import Finding
from suitecase.format.workspace import Folder, Workspace
from suitecase.text.node import Span

CURSOR = "▮"


class MarkedFile:
    """A file of another tool with a cursor in it, in a folder of its own.

    Args:
        folder: the folder.
        text: its text, in which only the first mark counts; lines may be indented as a whole.
        files: texts of other files, by their path in the folder.
        name: the file's name.
    """

    def __init__(
        self,
        folder: Path,
        text: str,
        files: Mapping[str, str] | None = None,
        *,
        name: str = "promptfooconfig.yaml",
    ) -> None:
        text = dedent(text)
        self.offset = max(text.find(CURSOR), 0)
        self.text = text.replace(CURSOR, "")
        for other, content in (files or {}).items():
            (folder / other).parent.mkdir(parents=True, exist_ok=True)
            (folder / other).write_text(dedent(content))
        path = folder / name
        workspace = Workspace(folder, {path: self.text})
        parsed = parse_document(path, self.text, workspace)
        assert isinstance(parsed, DialectFile), f"{parsed!r} is not of another tool"
        self.file = parsed
        self.folder = Folder(workspace, path.parent, self.text)

    @property
    def features(self) -> DialectFeatures:
        return features_of(self.file.dialect)

    def hover(self, environ: Mapping[str, str] | None = None) -> str:
        """Return what a hover says; empty if there is none."""
        found = self.features.hover(self.file, self.offset, self.folder, environ or {})
        return found.markdown if found is not None else ""

    def hovered(self) -> str:
        """Return the text that a hover is about."""
        found = self.features.hover(self.file, self.offset, self.folder, {})
        assert found is not None
        return self.text[found.span.start : found.span.end]

    def completion(self, trigger: str = "", findings: Sequence[Finding] = ()) -> Completion:
        around = CompletionContext(self.folder, lambda: findings, trigger, path=self.file.path)
        return self.features.complete(self.file, self.offset, around)

    def labels(self, trigger: str = "") -> list[str]:
        """Return what is offered."""
        return [it.label for it in self.completion(trigger).items]

    def item(self, label: str) -> Item:
        found = [it for it in self.completion().items if it.label == label]
        assert found, f"`{label}` is not among {self.labels()}"
        return found[0]

    def accepted(self, label: str) -> str:
        """Return the text after an item was accepted by an editor without snippets."""
        item = self.item(label)
        start, end = item.span or self.completion().span
        return self.text[:start] + rendered(item.template, newline="\n") + self.text[end:]

    def hints(self, kinds: HintKinds | None = None) -> list[str]:
        """Return the hints, each as its line with the label in `«»`."""
        found = self.features.hints(
            self.file, Span(0, len(self.text)), self.folder, kinds or HintKinds()
        )
        lines: list[str] = []
        for it in found:
            start = self.text.rfind("\n", 0, it.offset) + 1
            end = self.text.find("\n", it.offset)
            end = len(self.text) if end < 0 else end
            before, after = self.text[start : it.offset], self.text[it.offset : end]
            lines.append(f"{before} «{it.label}»{after}".strip())
        return lines
