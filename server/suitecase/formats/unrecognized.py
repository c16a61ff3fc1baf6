"""What a file is that is not a suite, in words: for who named it where a suite was expected."""

from __future__ import annotations

from pathlib import Path

from suitecase.formats.detection import format_of
from suitecase.formats.promptfoo.detect import may_be_test
from suitecase.suite.dialect import dialect_of
from suitecase.suite.model import CASE_LIST_KEYS
from suitecase.suite.reading import DATASET, is_result
from suitecase.syntax.node import Sequence
from suitecase.syntax.parsing import parse


def described(path: Path, text: str) -> str:
    """Say what a file is that is not a suite; `not a suite` if unknown."""
    if path.name.endswith(DATASET):
        first = next((line for line in text.splitlines() if line.strip()), "")
        if is_result(first):
            return "a results file"
        return "not a data set: its first line is not a case"
    if path.suffix == ".toml":
        return "a configuration" if path.name == "suitecase.toml" else "not a suite"
    document = parse(text, CASE_LIST_KEYS, segmented=False)
    node = document.head.content.node
    if isinstance(node, Sequence) and any(map(may_be_test, node.items)):
        return "a list of tests in the manner of promptfoo"
    dialect = dialect_of(path, document)
    if dialect is not None:
        return dialect.title
    if format_of(document) == "suite" and path.suffix == ".json":
        return "JSON; a suite is YAML, or a data set in lines of JSON"
    if path.name.startswith("config.") and path.parent.name == ".agentv":
        return "a configuration of AgentV"
    return "not a suite"
