"""Files that are not certain to be of any format that is read: they are neither checked nor changed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from suitecase.format.dataset_lines import is_result
from suitecase.format.other_tools import tool_of
from suitecase.formats.names import is_named as is_named_by_dialect
from suitecase.text.document import Document
from suitecase.text.lines import Lines
from suitecase.text.node import Mapping, Sequence, Span
from suitecase.text.parsing import parse

#: The ends of names that say that a file is a suite, in any case one of ours or of another tool.
NAMED = (".eval.yaml", ".eval.yml")
_NOT_READ = "which Suitecase does not read"


@dataclass(frozen=True, slots=True, eq=False)
class OtherFile:
    """A file that is not certain to be of a format that is read.

    Attributes:
        path: its path, if it has one.
        document: its text and trees.
        tool: what it looks like, with its article; None if it looks like nothing that is known.
    """

    path: Path | None
    document: Document
    tool: str | None = None

    @property
    def what(self) -> str:
        """What it is, as the end of a sentence: `it looks like a suite of Vally, which ...`."""
        if self.tool is not None:
            return f"it looks like {self.tool}, {_NOT_READ}"
        if self.path is not None and self.path.suffix == ".jsonl":
            first = self.document.lines.text(0) if len(self.document.lines) else ""
            if is_result(first):
                return "it is a results file"
            return (
                "it is not a data set: none of its first lines is a case with `id`, `input` and "
                "`expected_outcome`, and no suite beside it names it"
            )
        node = self.document.head.node
        if isinstance(node, Mapping):
            return (
                "nothing in it shows that it is a suite: a suite has a list of cases, `evalcases`, "
                "each with `id`, `input` and `expected_outcome`"
            )
        listed = "a list" if isinstance(node, Sequence) else "a text"
        return (
            f"it is {listed}, not a suite: a suite is a mapping with a list of cases, `evalcases`"
        )

    @property
    def is_named_as_suite(self) -> bool:
        """Whether it is named like a suite, so it is reported that it is not checked."""
        path = self.path
        return path is not None and (path.name.endswith(NAMED) or is_named_by_dialect(path))

    @property
    def place(self) -> Span:
        """The place that shows what it is: its first key, or its start."""
        root = self.document.root
        if root is None or not root.entries or self.document.head.content.broken:
            return Span(0, 0)
        first = next(iter(root.entries.values())).key.span
        return self.document.head.absolute(first)


def other_lines(path: Path, text: str | Lines) -> OtherFile:
    """Return lines of JSON that are not a data set; they are not parsed."""
    lines = text if isinstance(text, Lines) else Lines(text)
    return OtherFile(path, replace(parse("", (), segmented=False), lines=lines))


def other_file(path: Path | None, document: Document) -> OtherFile:
    """Return a document that is of no format that is read."""
    return OtherFile(path, document, tool_of(document))
