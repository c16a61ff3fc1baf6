"""Which format a document is of: a suite of ours, one of another tool, or no suite at all."""

from __future__ import annotations

from typing import Literal

from suitecase.syntax.document import Document, is_broken
from suitecase.syntax.node import Mapping, Node, Scalar

Format = Literal["suite", "foreign", "other"]

#: Names of the list of cases that no other kind of file has.
_OURS = ("evalcases", "eval_cases", "testcases")
#: What stands at the top of suites in the manner of promptfoo.
FOREIGN_KEYS = ("prompts", "providers", "default_test", "defaultTest", "scenarios")
#: What only one of the tools with such suites has at the top.
_AGENTV_5 = ("default_test", "environment", "evaluate_options", "governance", "requires")
_PROMPTFOO = ("defaultTest", "outputPath", "evaluateOptions", "redteam", "envPath", "sharing")
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


def format_of(document: Document) -> Format:
    """Return the format a document is of, as far as its keys can tell.

    A document under one of our own names for the list of cases is a suite whatever else it holds.
    `tests` and `cases` are words of many kinds of files: there a case must look like one, or the
    top must.
    """
    root = document.root
    name = document.list_key.text if document.list_key is not None else ""
    if root is None or name in _OURS:
        return "suite" if name else "other"
    if name == "tests" and any(key in root for key in FOREIGN_KEYS):
        return "foreign"
    if any(_like_ours(it.node) for it in document.cases.contents):
        return "suite"
    cases = [it.node for it in document.cases.contents]
    if _is_foreign(root, cases, has_list=bool(name)):
        return "foreign"
    if not name:
        return "other"
    if any(key in root for key in _TOP) or document.case_index.any(is_broken):
        return "suite"
    if isinstance(document.list_node, Scalar):
        return "suite" if names_case_file(document.list_node) else "other"
    return "suite" if cases and all(_is_begun(it) for it in cases) else "other"


def _like_ours(case: Node | None) -> bool:
    if not isinstance(case, Mapping):
        return False
    asks = any(key in case for key in _INPUTS)
    grades = any(key in case for key in _OUTCOMES)
    if asks:
        return grades or "id" in case
    return grades and "id" in case and "vars" not in case


def _is_foreign(root: Mapping, cases: list[Node | None], *, has_list: bool) -> bool:
    found = sum(key in root for key in FOREIGN_KEYS)
    if found > 1 or (found and has_list):
        return True
    return any(isinstance(it, Mapping) and "vars" in it and "assert" in it for it in cases)


def tool_of(root: Mapping) -> str:
    """Name the tool whose suite a foreign one is, as far as its keys can tell."""
    if any(key in root for key in _PROMPTFOO):
        return "promptfoo"
    if any(key in root for key in _AGENTV_5):
        return "AgentV from version 5 on"
    return "promptfoo, or of AgentV from version 5 on"


def _is_begun(case: Node | None) -> bool:
    """Whether an item has what a case that is being written has, and nothing else."""
    return isinstance(case, Mapping) and "id" in case and set(case.entries) <= _BEGUN


def names_case_file(node: Node | None) -> bool:
    """Whether a text stands where cases should, and names a file that holds them."""
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        return False
    text = node.text.strip().lower()
    return text.endswith((".jsonl", ".yaml", ".yml", ".json", ".csv")) or text.startswith("file:")
