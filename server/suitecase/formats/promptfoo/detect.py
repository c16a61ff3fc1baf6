"""Whether a file is a suite in the manner of promptfoo, and of which tool."""

from __future__ import annotations

from collections.abc import Iterable

from suitecase.syntax.node import Mapping, Node

#: What stands at the top of such suites.
TOP_KEYS = ("prompts", "providers", "default_test", "defaultTest", "scenarios")
#: What only one of the tools with such suites has at the top.
_AGENTV_5 = ("default_test", "environment", "evaluate_options", "governance", "requires")
_PROMPTFOO = ("defaultTest", "outputPath", "evaluateOptions", "redteam", "envPath", "sharing")


def is_suite(root: Mapping, cases: Iterable[Node | None], *, has_list: bool) -> bool:
    """Whether a document is such a suite.

    Args:
        root: its top.
        cases: the cases it lists.
        has_list: it has a list of cases, under any name.
    """
    found = sum(key in root for key in TOP_KEYS)
    return found > 1 or bool(found and has_list) or any(map(_is_test, cases))


def _is_test(node: Node | None) -> bool:
    return isinstance(node, Mapping) and "vars" in node and "assert" in node


def may_be_test(node: Node | None) -> bool:
    """Whether a node, in a list that is not of a suite, is a test of one."""
    return isinstance(node, Mapping) and ("vars" in node or "assert" in node)


def tool_of(root: Mapping) -> str:
    """Name the tool whose suite it is, as far as its keys can tell."""
    if any(key in root for key in _PROMPTFOO):
        return "promptfoo"
    if any(key in root for key in _AGENTV_5):
        return "AgentV from version 5 on"
    return "promptfoo, or of AgentV from version 5 on"
