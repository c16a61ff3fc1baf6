"""Whether a file is a configuration of promptfoo, or a list of its tests."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from suitecase.format.other_tools import tool_of
from suitecase.formats.promptfoo.names import NAMES, TOP_KEYS
from suitecase.text.document import Content, Document
from suitecase.text.near_names import nearest
from suitecase.text.node import Mapping, Node, Sequence

#: What only promptfoo has at the top.
_ONLY_ITS = ("defaultTest", "outputPath", "evaluateOptions", "commandLineOptions", "redteam")
#: What shows, in a file with the name of a configuration, that it is one; and what has no say in it.
_TELLING = (*TOP_KEYS, *_ONLY_ITS, "tests", "assertionTemplates", "derivedMetrics")
_SAY_NOTHING = frozenset(
    ["description", "env", "extensions", "metadata", "sharing", "tags", "$schema"]
)
_TEST_KEYS = frozenset(
    [
        "vars",
        "assert",
        "description",
        "provider",
        "providers",
        "prompts",
        "options",
        "metadata",
        "threshold",
        "providerOutput",
        "assertScoringFunction",
        "disableDefaultAsserts",
        "prefix",
        "suffix",
    ]
)
#: Of these, those that lists of other programs hardly have.
_MARKS_OF_TESTS = ("vars", "assert", "options", "threshold", "provider", "prompts", "providers")
_SCHEMA = re.compile(
    r"^#(?>[^\n]*?\$schema[=:])(?>[^\n]*?promptfoo)[^\n]*config-schema\.json", re.MULTILINE
)
#: What a file has on one of its lines, in YAML, if it may be a configuration or a list of tests.
MARKS = (
    rb"^(?:prompts|providers|defaultTest|default_test|redteam|scenarios|tests)[ \t]*:"
    rb"|^-[ ]+(?:vars|assert|description|provider|metadata|options|threshold)[ \t]*:"
    rb"|^#(?>.*?\$schema[=:]).*promptfoo"
)


def is_configuration(document: Document, path: Path | None, *, has_our_cases: bool) -> bool:
    """Whether a document is a configuration: by its name, its `$schema` comment, or its keys.

    Args:
        document: the document.
        path: its path, if it has one.
        has_our_cases: whether it lists cases of ours.
    """
    root = document.root
    if path is not None and any(fnmatchcase(path.name, name) for name in NAMES):
        # Other files may have such a name by chance; what is being written has it before any key.
        if tool_of(document) is not None:
            return root is not None and any(top_key in root for top_key in TOP_KEYS)
        return root is None or _may_be_written(root.entries) or _has_schema(document)
    if root is None:
        return False
    if _has_schema(document):
        return True
    key = document.list_key.text if document.list_key is not None else ""
    found = sum(top_key in root for top_key in TOP_KEYS)
    if found < 2 and "prompts" not in root and _lists_others(document):
        return False
    if key == "tests" and any(top_key in root for top_key in TOP_KEYS if top_key != "targets"):
        return True
    if has_our_cases:
        return False
    if found > 1 and ("prompts" in root or any(it in root for it in _ONLY_ITS)):
        return True
    return bool(found and key) or document.case_index.any(_is_test)


def _has_schema(document: Document) -> bool:
    """Whether a comment at the top names the schema of configurations."""
    return _SCHEMA.search(document.head.content.text, 0, 2_000) is not None


def _may_be_written(keys: Collection[str]) -> bool:
    """Whether a configuration may begin with some keys: one is its own, or nearly, or all say nothing."""
    return _SAY_NOTHING.issuperset(keys) or any(
        key in _TELLING or nearest(key, _TELLING) is not None for key in keys
    )


def _lists_others(document: Document) -> bool:
    """Whether a document lists mappings none of which has a key that only tests have."""
    nodes = [
        content.node for content in document.cases.contents if isinstance(content.node, Mapping)
    ]
    return bool(nodes) and not any(
        name in node for node in nodes if isinstance(node, Mapping) for name in _MARKS_OF_TESTS
    )


def is_list_of_tests(document: Document) -> bool:
    """Whether a document is a list of tests, which a configuration names."""
    if document.list_key is not None or document.root is not None:
        return False
    items = list(_items(document))
    if any(map(_has_assertions, items)):
        return True
    return (
        bool(items)
        and all(isinstance(item, Mapping) and _TEST_KEYS.issuperset(item.entries) for item in items)
        and any(
            isinstance(item, Mapping) and ("vars" in item or "assert" in item) for item in items
        )
    )


def _has_assertions(node: Node | None) -> bool:
    """Whether an item is a test whatever other keys it has: variables, and assertions with a type."""
    if not isinstance(node, Mapping) or not isinstance(node.get("vars"), Mapping):
        return False
    listed = node.get("assert")
    return isinstance(listed, Sequence) and any(
        isinstance(item, Mapping) and "type" in item for item in listed.items
    )


def _items(document: Document) -> Iterator[Node | None]:
    whole = document.head.node
    if isinstance(whole, Sequence):
        yield from whole.items
    elif whole is None:
        yield from (content.node for content in document.cases.contents)


def _is_test(content: Content) -> bool:
    node = content.node
    return isinstance(node, Mapping) and "vars" in node and "assert" in node


def may_be_test(node: Node | None) -> bool:
    """Whether a node, in a list that is not of a suite, is a test of one."""
    return isinstance(node, Mapping) and ("vars" in node or "assert" in node)
