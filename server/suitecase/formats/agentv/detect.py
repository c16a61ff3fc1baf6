"""Whether a document is a suite of AgentV from version 5 on."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from suitecase.text.document import Content, Document
from suitecase.text.node import Mapping, Node, Scalar, Sequence
from suitecase_evaluators.system.path_kinds import folders_above, is_folder, is_there

#: What only this tool has at the top of a suite, beside keys that promptfoo has, too.
_MARKS = ("default_test", "environment", "evaluate_options", "governance", "requires")
_SHARED = ("prompts", "providers", "scenarios", "default_test")
#: Keys that promptfoo has and this tool has not.
_NOT_ITS = ("defaultTest", "outputPath", "evaluateOptions", "redteam", "envPath", "sharing")
#: What its suites are called, as those of others are, and the folder with its providers.
_ITS_NAMES = ("*.eval.yaml", "*.eval.yml", "eval.yaml", "eval.yml")
_FOLDER = ".agentv"
#: Names that promptfoo looks for.
_NOT_ITS_NAMES = ("promptfooconfig*", "*.promptfooconfig.y*ml")
#: What earlier versions, which our own format comes from, have in a case.
_EARLIER = ("input", "input_messages", "messages")
#: What a test has beside its variables that promptfoo does not know.
_TEST_MARKS = ("id", "turns", "depends_on", "conversation_id", "criteria")


def is_suite(document: Document, path: Path | None, *, has_our_cases: bool) -> bool:
    """Whether a document is such a suite.

    Args:
        document: the document.
        path: its path, if it has one.
        has_our_cases: whether it lists cases of ours, as the suites of earlier versions do.
    """
    root = document.root
    if root is None or any(it in root for it in _NOT_ITS) or _is_named_otherwise(path):
        return False
    shared = sum(it in root for it in _SHARED)
    is_tests = document.list_key is not None and document.list_key.text == "tests"
    if has_our_cases and not (is_tests and shared):
        return False
    has_tests = any(
        key in root for key in ("tests", "default_test", "evaluate_options", "scenarios")
    )
    if shared and has_tests and any(mark in root for mark in _MARKS):
        return True
    if shared and has_tests and _is_beside_providers(path):
        return True
    if not is_tests or has_our_cases:
        return False
    if document.case_index.any(_is_its):
        return True
    return not _has_prefixed_provider(root) and document.case_index.any(_has_rubric)


def _has_prefixed_provider(root: Mapping) -> bool:
    """Whether a provider is named as promptfoo's are: a prefix, a colon and a model."""
    providers = root.get("providers")
    listed = providers.items if isinstance(providers, Sequence) else [providers]
    return any(isinstance(item, Scalar) and ":" in item.text for item in listed)


def is_list_of_tests(document: Document) -> bool:
    """Whether a document is a list of tests, which a suite names."""
    if document.list_key is not None or document.root is not None:
        return False
    items = list(_items(document))
    return bool(items) and all(_is_test(item) for item in items)


def _is_named_otherwise(path: Path | None) -> bool:
    return path is not None and any(fnmatchcase(path.name, it) for it in _NOT_ITS_NAMES)


def _is_beside_providers(path: Path | None) -> bool:
    """Whether a file is named as its suites are, and lies in a repository that is set up for the tool."""
    if path is None or not any(fnmatchcase(path.name, name) for name in _ITS_NAMES):
        return False
    for folder in folders_above(path):
        if is_folder(folder / _FOLDER):
            return True
        if is_there(folder / ".git"):
            break
    return False


def _items(document: Document) -> Iterator[Node | None]:
    whole = document.head.node
    if isinstance(whole, Sequence):
        yield from whole.items
    elif whole is None:
        yield from (content.node for content in document.cases.contents)


def _is_its(content: Content) -> bool:
    return _is_test(content.node)


def _is_test(node: Node | None) -> bool:
    """Whether a node is a test of this tool, and of no other."""
    if not isinstance(node, Mapping) or any(it in node for it in _EARLIER):
        return False
    return "vars" in node and any(test_mark in node for test_mark in _TEST_MARKS)


def _has_rubric(content: Content) -> bool:
    """Whether a test has a text among its assertions, which is a rubric."""
    node = content.node
    if not isinstance(node, Mapping) or any(it in node for it in _EARLIER):
        return False
    asserted = node.get("assert")
    listed = asserted.items if isinstance(asserted, Sequence) else []
    return any(isinstance(item, Scalar) and _is_rubric(item) for item in listed)


def _is_rubric(item: Scalar) -> bool:
    return isinstance(item.value, str) and not item.text.startswith("file:")
