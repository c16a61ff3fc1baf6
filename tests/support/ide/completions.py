"""Completion in texts with a `▮` where the cursor is: what is offered, and what comes of it."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from suitecase.editor.completion import (
    Completion,
    CompletionContext,
    Item,
    complete_in_configuration,
    complete_in_suite,
    complete_in_targets,
    rendered,
)
from suitecase.format.target_files import ParsedTargets, parse_targets
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import ParsedSuite, parse_dataset, parse_suite

CURSOR = "▮"
NOWHERE = CompletionContext()


class Offer:
    """What is offered in a text.

    Args:
        text: the text with the mark of the cursor; lines may be indented as a whole.
        around: what there is around it.
        name: the file's name, by which it is a suite, a data set, targets or a configuration.
    """

    def __init__(
        self, text: str, around: CompletionContext = NOWHERE, *, name: str = "a.eval.yaml"
    ) -> None:
        text = dedent(text)
        self.at = text.index(CURSOR)
        self.text = text.replace(CURSOR, "")
        self.completion = _complete(self.text, self.at, around, name)

    @property
    def labels(self) -> list[str]:
        return [it.label for it in self.completion.items]

    def item(self, label: str) -> Item:
        found = [it for it in self.completion.items if it.label == label]
        assert found, f"`{label}` is not among {self.labels}"
        return found[0]

    def accepted(self, label: str) -> str:
        """Return the text after an item was accepted by an editor without snippets."""
        return accepted(self.text, self.completion, self.item(label))

    def snippet(self, label: str) -> str:
        """Return what is written as a snippet."""
        return rendered(self.item(label).template, newline="\n", snippet=True)


def accepted(text: str, completion: Completion, item: Item) -> str:
    start, end = item.span or completion.span
    newline = "\r\n" if "\r\n" in text else "\n"
    return text[:start] + rendered(item.template, newline=newline) + text[end:]


def complete(
    written: ParsedSuite | ParsedTargets, offset: int, around: CompletionContext = NOWHERE
) -> Completion:
    if isinstance(written, ParsedTargets):
        return complete_in_targets(written, offset, around)
    return complete_in_suite(written, offset, around)


def in_folder(folder: Path, root: Path) -> CompletionContext:
    return CompletionContext(Folder(Workspace(root), folder))


def _complete(text: str, at: int, around: CompletionContext, name: str) -> Completion:
    if name.endswith(".toml"):
        return complete_in_configuration(Path("/workspace", name), text, at)
    if name.startswith("targets."):
        return complete(parse_targets(Path("/workspace", name), text), at, around)
    suite = parse_dataset(text, None) if name.endswith(".jsonl") else parse_suite(text)
    return complete(suite, at, around)
