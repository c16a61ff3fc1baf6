"""`targets.yaml`: where it is found, and the targets it defines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from suitecase.suite.shape import Issue, validate
from suitecase.suite.spelling import Respelling, TargetSpeller
from suitecase.suite.workspace import Unreadable, Workspace
from suitecase.syntax.composed import Problem
from suitecase.syntax.document import Content, Document
from suitecase.syntax.node import Mapping, Scalar, Sequence, Span
from suitecase.syntax.parsing import parse
from suitecase_evaluators.targets.config import TargetConfig, TargetsFile

#: Looked for in each folder from the suite's up to the root of the workspace; the first counts.
PLACES = (
    "targets.yaml",
    "targets.yml",
    ".suitecase/targets.yaml",
    ".suitecase/targets.yml",
    ".agentv/targets.yaml",
    ".agentv/targets.yml",
)

#: Always there: answers by repeating the question, and judges by the words that occur.
EMBEDDED = "mock"


@dataclass(frozen=True, slots=True, eq=False)
class WrittenTarget:
    """An entry of a targets file that is a mapping."""

    node: Mapping

    @property
    def name(self) -> Scalar | None:
        written = self.node.get("name")
        return written if isinstance(written, Scalar) and written.text else None

    @property
    def provider(self) -> Scalar | None:
        written = self.node.get("provider")
        return written if isinstance(written, Scalar) and written.text else None

    @property
    def judge_target(self) -> Scalar | None:
        written = self.node.get("judge_target")
        return written if isinstance(written, Scalar) and written.text else None


@dataclass(frozen=True, slots=True, eq=False)
class WrittenTargets:
    """A targets file: what it defines, where, and what is wrong with it.

    `spans` has the place of each name, also where the target itself is not sound; `model` is None
    where anything is wrong. An `unreadable` file has an empty document.
    """

    path: Path
    document: Document
    node: Mapping | None
    model: TargetsFile | None
    issues: tuple[Issue, ...] = ()
    unreadable: str | None = None
    spans: dict[str, Span] = field(default_factory=dict)
    respelled: tuple[Respelling, ...] = ()

    @property
    def text(self) -> str:
        return self.document.text

    @property
    def content(self) -> Content:
        return self.document.head.content

    @property
    def source(self) -> str:
        return self.document.text

    @property
    def problems(self) -> tuple[Problem, ...]:
        return self.content.problems

    @property
    def items(self) -> list[WrittenTarget]:
        """The entries that are mappings."""
        return _entries(self.node) if self.node else []

    def elements(self) -> Iterator[WrittenTarget]:
        """Yield the entries, for rules."""
        yield from self.items

    def config(self, name: str) -> TargetConfig | None:
        """Return the target of that name, if the file is sound."""
        targets = self.model.targets if self.model else []
        return next((it for it in targets if it.name == name), None)


def find_targets(workspace: Workspace, folder: Path) -> WrittenTargets | None:
    """Return the targets file that holds for the suites of a folder."""
    key = ("targets", folder)
    if key not in workspace.memo:
        workspace.memo[key] = _find_targets(workspace, folder)
    found = workspace.memo[key]
    return found if isinstance(found, WrittenTargets) else None


def _find_targets(workspace: Workspace, folder: Path) -> WrittenTargets | None:
    path = targets_path(workspace, folder)
    return read_targets(path, workspace) if path is not None else None


def targets_path(workspace: Workspace, folder: Path) -> Path | None:
    """Return where the targets file lies that holds for the suites of a folder."""
    # A suite outside the workspace has its own folder; inside, a link must not lead out.
    alone = not folder.is_relative_to(workspace.root)
    for up in workspace.folders_up(folder):
        for place in PLACES:
            if (up / place).is_file() and (alone or workspace.holds(up / place)):
                return up / place
    return None


def read_targets(path: Path, workspace: Workspace) -> WrittenTargets:
    """Read a targets file; never raises."""
    text = workspace.read(path)
    if isinstance(text, Unreadable):
        return WrittenTargets(
            path, parse("", (), segmented=False), None, None, unreadable=text.reason
        )
    return written_targets(path, text)


def written_targets(path: Path, text: str) -> WrittenTargets:
    """Read a text as a targets file; never raises."""
    document = parse(text, (), segmented=False)
    root = document.root
    if document.head.content.broken or root is None:
        return WrittenTargets(path, document, None, None)
    speller = TargetSpeller()
    root = speller.targets(root)
    model, issues = validate(root, TargetsFile)
    spans = {it.name.text: it.name.span for it in _entries(root) if it.name is not None}
    respelled = tuple(speller.respelled)
    return WrittenTargets(
        path, document, root, model, tuple(issues), spans=spans, respelled=respelled
    )


def _entries(root: Mapping) -> list[WrittenTarget]:
    listed = root.get("targets")
    items = listed.items if isinstance(listed, Sequence) else []
    return [WrittenTarget(item) for item in items if isinstance(item, Mapping)]


def looks_like_targets(document: Document) -> bool:
    """Whether a document has a list of targets at its top and none of cases."""
    listed = document.root.get("targets") if document.root and document.list_key is None else None
    return isinstance(listed, Sequence) and any(
        isinstance(it, Mapping) and "provider" in it for it in listed.items
    )
