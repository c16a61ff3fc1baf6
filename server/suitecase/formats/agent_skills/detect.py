"""Whether a file has the evals of an Agent Skill."""

from __future__ import annotations

from pathlib import Path

from suitecase.syntax.document import Document
from suitecase.syntax.node import Mapping, Node, Sequence

#: Names of such files, whatever they contain; a name with a folder is that of a file in it.
NAMES = ("evals/evals.json",)
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
    listed = root.get("evals") if isinstance(root, Mapping) else root
    return isinstance(listed, Sequence) and any(map(is_eval, listed.items))


def is_eval(node: Node | None) -> bool:
    """Whether a node asks something and says what is expected, in the words of such evals."""
    return (
        isinstance(node, Mapping)
        and any(it in node for it in _ASKS)
        and any(it in node for it in _EXPECTS)
    )
