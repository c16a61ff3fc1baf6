"""Assertions as a column `__expected` of a table has them: a type, a threshold and a value in one text."""

from __future__ import annotations

import re
from typing import Any, Final

from suitecase_evaluators.promptfoo.assertion import NEGATION
from suitecase_evaluators.promptfoo.comma_separated import NotSeparatedError, comma_separated
from suitecase_evaluators.promptfoo.ecmascript import trimmed
from suitecase_evaluators.promptfoo.types import NAMES
from suitecase_evaluators.promptfoo.unsupported import REASONS

#: What may follow a type.
_REST: Final = re.compile(
    r"(?:\((?P<threshold>[0-9]+(?:\.[0-9]+)?)\))?(?::(?P<value>.*))?", re.DOTALL
)
_JAVASCRIPT: Final = ("javascript:", "fn:", "eval:")
_RUBRICS: Final = ("grade:", "llm-rubric:")
_PYTHON: Final = "python:"
_FILE: Final = "file://"
_JAVASCRIPT_FILE: Final = re.compile(r"\.[cm]?[jt]s\Z", re.IGNORECASE)
#: Types that such a text cannot name.
_NOT_HERE: Final = frozenset(("assert-set", "human", "max-score", "select-best"))
_LISTS: Final = frozenset(("contains-all", "contains-any", "icontains-all", "icontains-any"))
_SCHEMAS: Final = frozenset(("contains-json", "is-json"))
#: Types that have a threshold here also where none is written.
_WITH_THRESHOLD: Final = frozenset((
    "answer-relevance", "classifier", "context-faithfulness", "context-recall", "context-relevance",
    "cost", "latency", "levenshtein", "perplexity", "perplexity-score", "rouge-n", "similar",
    "starts-with",
))  # fmt: skip
_THRESHOLD: Final = 0.75


def assertion_of_text(text: str) -> dict[str, Any]:
    """Return the assertion that the text of a column stands for; its value may have templates.

    A text that names no type is the answer that is expected, as with `equals`.
    """
    for start in _JAVASCRIPT:
        if text.startswith(start):
            return {"type": "javascript", "value": trimmed(text.removeprefix(start))}
    for start in _RUBRICS:
        if text.startswith(start):
            return {"type": "llm-rubric", "value": text.removeprefix(start)}
    if text.startswith(_PYTHON):
        return {"type": "python", "value": trimmed(text.removeprefix(_PYTHON))}
    if text.startswith(_FILE):
        if _JAVASCRIPT_FILE.search(text):
            return {"type": "javascript", "value": trimmed(text)}
        if text.endswith(".py") or ".py:" in text:
            return {"type": "python", "value": trimmed(text.removeprefix(_FILE))}
    return _by_type(text) or {"type": "equals", "value": text}


def _by_type(text: str) -> dict[str, Any] | None:
    # A type may have a colon, as `similar:dot` has, and so may a value.
    for name in sorted(_names(), key=len, reverse=True):
        for written in (name, NEGATION + name):
            found = _REST.fullmatch(text, len(written)) if text.startswith(written) else None
            if found is not None:
                return _assertion(written, name, found["threshold"], found["value"])
    return None


def _names() -> set[str]:
    return (NAMES | REASONS.keys()) - _NOT_HERE


def _assertion(written: str, name: str, threshold: str | None, value: str | None) -> dict[str, Any]:
    assertion: dict[str, Any] = {"type": written}
    if value is not None:
        assertion["value"] = value if name in _SCHEMAS else trimmed(value)
    if name in _LISTS and value:
        try:
            assertion["value"] = comma_separated(value)
        except NotSeparatedError:
            assertion["value"] = value  # which no answer can be graded by, and that is said then
    if name in _WITH_THRESHOLD:
        assertion["threshold"] = _THRESHOLD if threshold is None else float(threshold)
    return assertion
