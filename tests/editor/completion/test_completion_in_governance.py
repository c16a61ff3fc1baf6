"""Completion of what `governance` names: licenses, slices, cases and sources."""

from __future__ import annotations

from suitecase.editor.completion import CompletionContext
from support.ide.completions import Offer

CASES = """
slices:
  words: {id: word-*}
evalcases:
  - id: word-1
    input: Hi
    expected_outcome: Says hello
    tags: [thesaurus]
  - id: other
    input: Hi
    expected_outcome: Says hello
    metadata: {language: de, source: SOURCE}
"""


def labels(governance: str, source: str = "letters") -> list[str]:
    text = f"governance:\n{governance}{CASES.replace('SOURCE', source)}"
    return Offer(text, CompletionContext()).labels


def test_licenses_are_identifiers_of_spdx() -> None:
    for place in ("  license: ▮\n", "  sources:\n    words:\n      license: ▮\n"):
        found = labels(place)
        assert found[0] == "CC-BY-4.0"
        assert {"MIT", "GPL-3.0-only", "LicenseRef-NAME"} <= {*found}
        assert "GPL-3.0" not in found, "it is deprecated"


def test_a_source_has_a_slice_or_a_tag() -> None:
    assert labels("  sources:\n    words:\n      slice: ▮\n") == ["words", "thesaurus"]


def test_a_deprecated_case_is_replaced_by_another() -> None:
    entry = "  deprecated:\n    - id: gone\n      reason: Old\n      replacement: ▮\n"
    assert labels(entry) == ["word-1", "other"]


def test_a_case_is_of_a_declared_source() -> None:
    declared = "  sources:\n    letters: {license: MIT}\n    forum: {license: MIT}\n"
    assert labels(declared, "▮") == ["letters", "forum"]
