"""The export of a prompt library: prompts with how they are evaluated, and their test cases.

It is JSON: a list of prompts, or `{"prompts": [...]}`, or one prompt, or the test cases of one. A
prompt has `name`, `content`, `expected_schema`, `evaluation_mode`, `evaluation_criteria` and
`test_cases`; a test case `input`, `expected_output`, `expected_output_type` and
`evaluation_schema`. Keys may also be in camel case.
"""

from __future__ import annotations

import re

from suitecase.text.document import Content
from suitecase.text.node import Entry, Mapping, Node, Scalar, Sequence

#: What a case made of a test case says it is expected to do: a library has no such text.
MEETS_CRITERIA = "Meets the suite's evaluation_criteria"
MEETS_SCHEMA = "Meets the case's evaluation_schema"

#: One of these makes an object a prompt, or a test case.
_PROMPT_MARKS = frozenset({"content", "evaluation_mode", "evaluation_criteria", "test_cases"})
_CASE_MARKS = frozenset({"expected_output", "expected_output_type", "evaluation_schema"})
#: These make it a case of a suite, which a library knows nothing of.
_SUITE_MARKS = frozenset({"expected_outcome", "input_messages", "rubrics", "execution"})
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def is_library(content: Content) -> bool:
    """Whether JSON is the export of a prompt library."""
    root = content.node
    if isinstance(root, Mapping) and isinstance(root.get("prompts"), Sequence):
        return True
    items = root.items if isinstance(root, Sequence) else [root] if root is not None else []
    return bool(items) and all(_is_prompt(item) or _is_test_case(item) for item in items)


def _is_prompt(node: Node) -> bool:
    return isinstance(node, Mapping) and not _PROMPT_MARKS.isdisjoint(map(snake, node.entries))


def _is_test_case(node: Node) -> bool:
    if not isinstance(node, Mapping) or "input" not in node:
        return False
    keys = {snake(entry) for entry in node.entries}
    if not _SUITE_MARKS.isdisjoint(keys):
        return False
    return not _CASE_MARKS.isdisjoint(keys) or keys <= {"input", "id", "name"}


def snake(key: str) -> str:
    """Return a key in snake case."""
    return _CAMEL.sub("_", key).lower()


def prompts_of(root: Node | None) -> list[Node]:
    """Return the prompts of a library; test cases on their own as those of one."""
    if isinstance(root, Mapping):
        listed = root.get("prompts")
        return listed.items if isinstance(listed, Sequence) else [root]
    items = root.items if isinstance(root, Sequence) else []
    if items and not any(_is_prompt(item) for item in items):
        # The test cases of one prompt, as a library exports them on their own.
        listed = Sequence(items[0].start, items[-1].end, items, flow=True)
        key = Scalar(listed.start, listed.start, "test_cases", '"')
        entries = {"test_cases": Entry(key, listed)}
        return [Mapping(listed.start, listed.end, entries, flow=True)]
    return items


def reads_as_messages(value: object) -> bool:
    """Whether an expected output would be read as messages."""
    items = value if isinstance(value, list) else [value]
    return any(isinstance(item, dict) and "role" in item for item in items)
