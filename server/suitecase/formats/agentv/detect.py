"""Whether a document is a suite of AgentV from version 5 on."""

from __future__ import annotations

from suitecase.syntax.document import Document

#: What only this tool has at the top of a suite, beside keys that promptfoo has, too.
_MARKS = ("default_test", "environment", "evaluate_options", "governance", "requires")
_SHARED = ("prompts", "providers", "scenarios", "default_test")
#: Keys that promptfoo has and this tool has not.
_NOT_ITS = ("defaultTest", "outputPath", "evaluateOptions", "redteam", "envPath", "sharing")


def is_suite(document: Document, *, has_our_cases: bool) -> bool:
    """Whether a document is such a suite.

    Args:
        document: the document.
        has_our_cases: whether it lists cases of ours, as the suites of earlier versions do.
    """
    root = document.root
    if root is None or any(it in root for it in _NOT_ITS):
        return False
    shared = sum(it in root for it in _SHARED)
    if has_our_cases and not (document.list_key and document.list_key.text == "tests" and shared):
        return False
    has_tests = "tests" in root or "default_test" in root or "evaluate_options" in root
    return bool(shared) and has_tests and any(it in root for it in _MARKS)
