"""Hashes of what a case and the head of its suite say: whether a result still belongs to them."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from suitecase.editor.dialect_tests import DialectTests, TestElsewhere
from suitecase.editor.runnable_cases import RunnableCases, RunnableHead
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.text.cache import Cache
from suitecase.text.node import Node, plain

#: The keys of a head that affect how its cases are answered and graded.
_GRADING_KEYS = ("execution", "prompt", "evaluation_mode", "evaluation_criteria", "expected_schema")
#: The keys of the heads of other tools' suites that affect no grade.
_UNGRADED_KEYS = frozenset({"description", "outputPath", "output_path", "sharing", "tags"})
#: Further keys that affect figures.
_FIGURE_KEYS = ("slices", "metrics", "intervals")
#: The digest of a head's or a case's grading inputs.
_GRADING: Cache[str] = Cache()
_FIGURES: Cache[str] = Cache()


def grading_hash(suite: RunnableCases, number: int) -> str | None:
    """Return a hash that tells whether a case is still the one that was run.

    It covers the values of the case, and those of the head that affect its grade, but no comments,
    blank lines or quotes. None for a case that does not parse.
    """
    case, head = suite.cases[number], suite.head
    if case.node is None:
        return None
    of_head = _GRADING.of(head.content, _digest_of_head, head)
    return f"{of_head}-{_GRADING.of(case.content, _digest_of_case, case.node)}"


def grading_of(suite: RunnableCases, name: str) -> str | None:
    """Return the `grading_hash` of a case by name, and of a test that is written in another file."""
    number = suite.case_named(name)
    if number is not None:
        return grading_hash(suite, number)
    test = suite.elsewhere.get(name) if isinstance(suite, DialectTests) else None
    if test is None:
        return None
    of_head = _GRADING.of(suite.head.content, _digest_of_head, suite.head)
    return f"{of_head}-{_digest_of_test(test)}"


def same_head(one: str | None, other: str | None) -> bool:
    """Whether two `grading_hash` values come from cases with the same head."""
    return (one or "").partition("-")[0] == (other or "").partition("-")[0]


def _digest_of_case(node: Node) -> str:
    return _digest(plain(node))


def _digest_of_test(test: TestElsewhere) -> str:
    if test.content is None or test.content.node is None:
        return _digest(test.said)
    return _GRADING.of(test.content, _digest_of_case, test.content.node)


def _digest_of_head(head: RunnableHead) -> str:
    values = plain(head.node) if head.node is not None else {}
    if not isinstance(head, ParsedHead):
        # Other tools have keys of their own, nearly all of which affect the answers.
        return _digest({key: it for key, it in values.items() if key not in _UNGRADED_KEYS})
    grading = {key: values.get(key) for key in _GRADING_KEYS}
    execution = grading["execution"]
    if isinstance(execution, dict):
        # How often a case is asked changes none of its answers.
        grading["execution"] = {key: it for key, it in execution.items() if key != "repeats"}
    return _digest(grading)


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


#: What the grades of a suite's cases depend on: the head, and each case.
GradingFingerprint = tuple[str, tuple[str, ...]]


def grading_fingerprint(suite: ParsedSuite) -> GradingFingerprint:
    """Return a fingerprint of a suite's cases and slices, to detect changes since a run."""
    of_head = _FIGURES.of(suite.head.content, _digest_of_figures, suite.head)
    return of_head, tuple(suite.case_index.values(_digest_or_text))


def _digest_or_text(case: ParsedCase) -> str:
    """Return the digest of a case, also of one that does not parse: a look for `case_index`."""
    if case.node is None:
        return _digest(case.content.text)
    return _GRADING.of(case.content, _digest_of_case, case.node)


def _digest_of_figures(head: ParsedHead) -> str:
    """Return a digest of what grades and figures depend on in a head, but for its gates."""
    values = plain(head.node) if head.node is not None else {}
    return _digest([_digest_of_head(head), *(values.get(key) for key in _FIGURE_KEYS)])
