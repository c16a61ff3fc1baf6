"""`targets.yaml`: where it is found, and the targets it defines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from suitecase.suite.shape import Issue, validate
from suitecase.suite.workspace import Unreadable, Workspace
from suitecase.syntax.compose import Problem, compose
from suitecase.syntax.node import Mapping, Scalar, Sequence, Span
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


@dataclass(frozen=True, slots=True)
class WrittenTargets:
    """A targets file: what it defines, where, and what is wrong with it.

    `spans` has the place of each name, also where the target itself is not sound; `model` is None
    where anything is wrong.
    """

    path: Path
    text: str
    model: TargetsFile | None
    spans: dict[str, Span]
    problems: tuple[Problem, ...] = ()
    issues: tuple[Issue, ...] = ()
    unreadable: str | None = None

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
    # A suite outside the workspace has its own folder; inside, a link must not lead out.
    alone = not folder.is_relative_to(workspace.root)
    for up in workspace.folders_up(folder):
        for place in PLACES:
            if (up / place).is_file() and (alone or workspace.holds(up / place)):
                return read_targets(up / place, workspace)
    return None


def read_targets(path: Path, workspace: Workspace) -> WrittenTargets:
    """Read a targets file; never raises."""
    text = workspace.read(path)
    if isinstance(text, Unreadable):
        return WrittenTargets(path, "", None, {}, unreadable=text.reason)
    composed = compose(text)
    root = composed.root
    problems = tuple(composed.problems)
    if composed.broken or not isinstance(root, Mapping):
        return WrittenTargets(path, text, None, {}, problems)
    model, issues = validate(root, TargetsFile)
    return WrittenTargets(path, text, model, _names(root), problems, tuple(issues))


def _names(root: Mapping) -> dict[str, Span]:
    listed = root.get("targets")
    items = listed.items if isinstance(listed, Sequence) else []
    names = [item.get("name") for item in items if isinstance(item, Mapping)]
    return {it.text: it.span for it in names if isinstance(it, Scalar)}
