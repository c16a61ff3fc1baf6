"""Assertions in a table's column `__expected`: a type, a threshold and a value in one string."""

from __future__ import annotations

import re
from typing import Any, Final

from suitecase_evaluators.promptfoo.assertion import NEGATION
from suitecase_evaluators.promptfoo.comma_separated import NotSeparatedError, comma_separated
from suitecase_evaluators.promptfoo.ecmascript import trimmed
from suitecase_evaluators.promptfoo.types import NAMES
from suitecase_evaluators.promptfoo.unsupported import REASONS

#: The threshold and the value that may follow a type.
_REST: Final = re.compile(
    r"(?:\((?P<threshold>[0-9]+(?:\.[0-9]+)?)\))?(?::(?P<value>.*))?", re.DOTALL
)
_JAVASCRIPT_PREFIXES: Final = ("javascript:", "fn:", "eval:")
_RUBRIC_PREFIXES: Final = ("grade:", "llm-rubric:")
_PYTHON_PREFIX: Final = "python:"
_FILE_SCHEME: Final = "file://"
_JAVASCRIPT_FILE: Final = re.compile(r"\.[cm]?[jt]s\Z", re.IGNORECASE)
#: Types that a column cannot name.
_EXCLUDED: Final = frozenset(("assert-set", "human", "max-score", "select-best"))
_WITH_LIST: Final = frozenset(("contains-all", "contains-any", "icontains-all", "icontains-any"))
_WITH_SCHEMA: Final = frozenset(("contains-json", "is-json"))
#: Types that get a default threshold in a column.
_WITH_THRESHOLD: Final = frozenset((
    "answer-relevance", "classifier", "context-faithfulness", "context-recall", "context-relevance",
    "cost", "latency", "levenshtein", "perplexity", "perplexity-score", "rouge-n", "similar",
    "starts-with",
))  # fmt: skip
_THRESHOLD: Final = 0.75


def assertion_of_text(text: str) -> dict[str, Any]:
    """Parse the text of a column as an assertion, whose value may have templates.

    A text without a type is the expected answer, as with `equals`.
    """
    for start in _JAVASCRIPT_PREFIXES:
        if text.startswith(start):
            return {"type": "javascript", "value": trimmed(text.removeprefix(start))}
    for start in _RUBRIC_PREFIXES:
        if text.startswith(start):
            return {"type": "llm-rubric", "value": text.removeprefix(start)}
    if text.startswith(_PYTHON_PREFIX):
        return {"type": "python", "value": trimmed(text.removeprefix(_PYTHON_PREFIX))}
    if text.startswith(_FILE_SCHEME):
        if _JAVASCRIPT_FILE.search(text):
            return {"type": "javascript", "value": trimmed(text)}
        if text.endswith(".py") or ".py:" in text:
            return {"type": "python", "value": trimmed(text.removeprefix(_FILE_SCHEME))}
    return _by_type(text) or {"type": "equals", "value": text}


def _by_type(text: str) -> dict[str, Any] | None:
    # Types, such as `similar:dot`, and values may contain colons.
    for name in sorted(_names(), key=len, reverse=True):
        for written in (name, NEGATION + name):
            found = _REST.fullmatch(text, len(written)) if text.startswith(written) else None
            if found is not None:
                return _assertion(written, name, found["threshold"], found["value"])
    return None


def _names() -> set[str]:
    return (NAMES | REASONS.keys()) - _EXCLUDED


def _assertion(written: str, name: str, threshold: str | None, value: str | None) -> dict[str, Any]:
    assertion: dict[str, Any] = {"type": written}
    if value is not None:
        assertion["value"] = value if name in _WITH_SCHEMA else trimmed(value)
    if name in _WITH_LIST and value:
        try:
            assertion["value"] = comma_separated(value)
        except NotSeparatedError:
            assertion["value"] = value  # grading fails, with the reason
    if name in _WITH_THRESHOLD:
        assertion["threshold"] = _THRESHOLD if threshold is None else float(threshold)
    return assertion
