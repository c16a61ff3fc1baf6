"""Texts that js-yaml 5.2.2 refuses, or reads as dates, as it does: what it says was recorded from running it."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.checking.check import check_text
from suitecase.format.rule import Severity
from suitecase.format.workspace import Workspace

HEAD = "prompts: [x]\nproviders: [echo]\ndescription:"
#: Values of a key at the left, and whether js-yaml reads them.
VALUES = {
    ' "x\ny"\n': False,
    ' "x\n y"\n': True,
    " 'x\ny'\n": False,
    ' "x\n  \ny"\n': False,
    ' "x\\\ny"\n': False,
    ' "x\n# y"\n': False,
    ' !!str "x\ny"\n': False,
    ' &q "x\ny"\n': False,
    "\n  x\n  y\n": True,
    " >\n x\n": True,
}
TESTS = "prompts: [x]\nproviders: [echo]\ntests:"
#: The same for lists of tests, whose items and keys stand deeper.
LISTS = {
    " [{vars: {a: b}},\n{vars: {a: c}}]\n": False,
    " [{vars: {a: b}},\n {vars: {a: c}}]\n": True,
    " [\n  {vars: {a: b}}\n]\n": False,
    " [\n  {vars: {a: b}}\n  ]\n": True,
    " [{vars: {a: b}}, # c\n# d\n {vars: {a: c}}]\n": True,
    "\n  [{vars: {a: b}},\n {vars: {a: c}}]\n": True,
    '\n- description: "x\n  y"\n': False,
    '\n- description: "x\n   y"\n': True,
    '\n- description: x\n  metadata: {a: "x\n  y"}\n': False,
    "\n- {description: x,\n  metadata: {}}\n": True,
    "\n- {description: x\n}\n": False,
    "\n  - {description: x,\n  metadata: {}}\n": False,
    "\n  - &x {description: x,\n   metadata: {}}\n": True,
    '\n    - file://a.yaml\n    - "file://b\n    .yaml"\n': False,
    ' "file://a\n.csv"\n': False,
}


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        *((HEAD + value, is_read) for value, is_read in VALUES.items()),
        *((TESTS + value, is_read) for value, is_read in LISTS.items()),
    ],
)
def test_a_text_that_promptfoo_refuses_has_an_error(
    text: str, is_read: bool, tmp_path: Path
) -> None:
    found = check_text(tmp_path / "promptfooconfig.yaml", text, Workspace(tmp_path)).findings
    refused = [it for it in found if "promptfoo refuses the file" in it.message]
    assert bool(refused) is not is_read
    assert all(it.severity is Severity.ERROR and it.fix is not None for it in refused)


@pytest.mark.parametrize(
    ("value", "is_date"),
    [
        ("2024-01-01", True),
        ("2024-1-1", False),
        ("2024-01-01 10:00", False),
        ("2024-01-01 10:00:00", True),
        ("2024-01-01T10:00:00+01:00", True),
        ("2024-01-01T10:00:00.5 Z", True),
        ('"2024-01-01"', False),
        ("!!str 2024-01-01", False),
        ("in 2024-01-01", False),
    ],
)
def test_a_text_that_promptfoo_reads_as_a_date_has_a_warning(
    value: str, is_date: bool, tmp_path: Path
) -> None:
    text = (
        'prompts: ["{{day}}"]\nproviders: [echo]\ntests:\n'
        f"  - vars: {{day: {value}}}\n    assert: [{{type: contains, value: a}}]\n"
    )
    found = check_text(tmp_path / "promptfooconfig.yaml", text, Workspace(tmp_path)).findings
    assert any("as a date" in it.message for it in found) is is_date
