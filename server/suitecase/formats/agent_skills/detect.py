"""Whether a file has the evals of an Agent Skill."""

from __future__ import annotations

from pathlib import Path

from suitecase.syntax.document import Document
from suitecase.syntax.node import Mapping, Node, Sequence

#: Where skills are in hidden folders, such as `.claude/skills`.
HIDDEN_FOLDER = "skills"
_ASKS = ("prompt", "query", "input")
_EXPECTS = ("expect", "expected_output", "expectations", "assertions", "expected_behavior")


def is_named(path: Path) -> bool:
    """Whether the name of a file says that it has such evals, whatever it contains."""
    return path.name == "evals.json" and path.parent.name == "evals"


def is_evals(document: Document, path: Path | None) -> bool:
    """Whether a document has the evals of a skill.

    Args:
        document: the document.
        path: its path, if it has one.
    """
    if path is None or path.suffix != ".json":
        return False
    if is_named(path):
        return True
    root = document.head.node
    if isinstance(root, Mapping):
        if "skill_name" in root and "evals" in root:
            return True
        lists = [it.value for name, it in root if name == "evals" or "skill_name" in root]
        return any(isinstance(it, Sequence) and any(map(is_eval, it.items)) for it in lists)
    if isinstance(root, Sequence):
        is_one = is_eval if path.parent.name == "evals" else _is_certainly_eval
        return any(map(is_one, root.items))
    return False


def is_eval(node: Node | None) -> bool:
    """Whether a node asks something and says what is expected, in the words of such evals."""
    if not isinstance(node, Mapping):
        return False
    expects = is_trigger_eval(node) or any(it in node for it in _EXPECTS)
    return expects and any(it in node for it in _ASKS)


def is_trigger_eval(node: Node | None) -> bool:
    """Whether a node only asks whether an agent takes up the skill."""
    return isinstance(node, Mapping) and "should_trigger" in node and "query" in node


def _is_certainly_eval(node: Node | None) -> bool:
    """Whether a node is an eval of a skill wherever it stands: other tools ask and expect, too."""
    if not isinstance(node, Mapping):
        return False
    asserts = "assertions" in node or "expectations" in node
    return is_trigger_eval(node) or (asserts and "prompt" in node)
