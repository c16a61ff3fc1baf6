"""Whether a document is a suite of ours, in the current format or an older form of it."""

from __future__ import annotations

from suitecase.syntax.document import Document, is_broken
from suitecase.syntax.node import Mapping, Node, Scalar

#: Names of the list of cases that no other kind of file has.
LIST_KEYS = ("evalcases", "eval_cases", "testcases")
_INPUTS = ("input", "input_messages", "messages")
_OUTCOMES = (
    "expected_outcome",
    "outcome",
    "criteria",
    "expected_output",
    "expected_messages",
    "rubrics",
    "assert",
    "assertions",
    "evaluators",
)
_BEGUN = frozenset(
    {"id", "description", "metadata", "tags", "note", "conversation_id", "sidecar", "execution"}
)
_TOP = ("execution", "evaluator", "assert", "assertions", "dataset")


def is_case(node: Node | None) -> bool:
    """Whether a node is a case of ours, and of no other tool."""
    if not isinstance(node, Mapping):
        return False
    asks = any(key in node for key in _INPUTS)
    grades = any(key in node for key in _OUTCOMES)
    if asks:
        return grades or "id" in node
    return grades and "id" in node and "vars" not in node


def may_be_suite(root: Mapping, document: Document) -> bool:
    """Whether a list of `tests` or `cases`, none of which is a case yet, may become a suite's.

    Args:
        root: the document's top.
        document: no suite of another tool.
    """
    if any(key in root for key in _TOP) or document.case_index.any(is_broken):
        return True
    if isinstance(document.list_node, Scalar):
        return names_case_file(document.list_node)
    cases = [it.node for it in document.cases.contents]
    return bool(cases) and all(_is_begun(it) for it in cases)


def _is_begun(case: Node | None) -> bool:
    """Whether an item has what a case that is being written has, and nothing else."""
    return isinstance(case, Mapping) and "id" in case and set(case.entries) <= _BEGUN


def names_case_file(node: Node | None) -> bool:
    """Whether a text stands where cases should, and names a file that holds them."""
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        return False
    text = node.text.strip().lower()
    return text.endswith((".jsonl", ".yaml", ".yml", ".json", ".csv")) or text.startswith("file:")
