"""Whether a file has the evals of an Agent Skill."""

from __future__ import annotations

from pathlib import Path

from suitecase.text.document import Content, Document
from suitecase.text.near_names import nearest
from suitecase.text.node import Mapping, Node, Sequence

#: Where skills are in hidden folders, such as `.claude/skills`.
HIDDEN_FOLDER = "skills"
_ASKS = ("prompt", "query", "input")
#: How much of a misspelt key has to be right.
_LIKENESS = 0.8
_EXPECTS = ("expect", "expected_output", "expectations", "assertions", "expected_behavior")


def is_named(path: Path) -> bool:
    """Whether a file is named as those with such evals are; other programs have files of that name, too."""
    return path.name == "evals.json" and path.parent.name == "evals"


def is_evals(document: Document, path: Path | None) -> bool:
    """Whether a document has the evals of a skill.

    Args:
        document: the document.
        path: its path, if it has one.
    """
    if path is None or path.suffix != ".json":
        return False
    if is_named(path) and _may_be_evals(document):
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


def _may_be_evals(document: Document) -> bool:
    """Whether a document with the name of such a file holds evals, or may be going to."""
    content, root, key = document.head.content, document.head.node, document.list_key
    if content.broken or root is None:
        # The evals of a list at the root stand apart.
        return not document.cases or document.case_index.any(_is_like_eval)
    if isinstance(root, Sequence):
        return not root.items or any(map(is_eval, root.items))
    if not isinstance(root, Mapping):
        return False
    if not root.entries or any(
        nearest(entry, ("skill_name",), _LIKENESS) for entry in root.entries
    ):
        return True
    if key is not None and key.text == "evals":
        return not document.cases or document.case_index.any(_is_like_eval)
    names = (entry for entry in root.entries if nearest(entry, ("evals",), _LIKENESS))
    listed = root.get(next(names, ""))
    if not isinstance(listed, Sequence):
        return listed is not None
    return not listed.items or any(map(_asks_or_expects, listed.items))


def _is_like_eval(content: Content) -> bool:
    return content.broken or _asks_or_expects(content.node)


def _asks_or_expects(node: Node | None) -> bool:
    """Whether a node has a key of such evals, however much it lacks."""
    if not isinstance(node, Mapping):
        return False
    return any(ask in node for ask in (*_ASKS, *_EXPECTS, "should_trigger"))


def is_eval(node: Node | None) -> bool:
    """Whether a node asks something and says what is expected, in the words of such evals."""
    if not isinstance(node, Mapping):
        return False
    expects = is_trigger_eval(node) or any(expect in node for expect in _EXPECTS)
    return expects and any(ask in node for ask in _ASKS)


def is_trigger_eval(node: Node | None) -> bool:
    """Whether a node only asks whether an agent takes up the skill."""
    return isinstance(node, Mapping) and "should_trigger" in node and "query" in node


def _is_certainly_eval(node: Node | None) -> bool:
    """Whether a node is an eval of a skill wherever it stands: other tools ask and expect, too."""
    if not isinstance(node, Mapping):
        return False
    asserts = "assertions" in node or "expectations" in node
    return is_trigger_eval(node) or (asserts and "prompt" in node)
