"""The pages about editors name tests and targets of make; these exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from suitecase.derived import ROOT

PAGES = sorted((ROOT / "docs" / "editors").glob("*.md"))
_TEST = re.compile(r"`(tests/[\w./-]+)(?:::(\w+))?`")
_MADE = re.compile(r"`make ([\w-]+)`")


@pytest.mark.parametrize("page", PAGES, ids=lambda it: it.name)
def test_what_a_page_names_exists(page: Path) -> None:
    text = page.read_text("utf-8")
    made = (ROOT / "Makefile").read_text("utf-8")
    gone = [
        it[0]
        for it in _TEST.finditer(text)
        if not (ROOT / it[1]).exists()
        or (it[2] and f"def {it[2]}(" not in (ROOT / it[1]).read_text("utf-8"))
    ]

    assert gone == []
    assert [it[1] for it in _MADE.finditer(text) if f"\n{it[1]}:" not in made] == []
