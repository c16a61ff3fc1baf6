"""The index of a document whose trees are not kept."""

from __future__ import annotations

from suitecase.format.case_list_keys import CASE_LIST_KEYS
from suitecase.text.case_index import Change
from suitecase.text.document import Content
from suitecase.text.parsing import parse
from suitecase.text.passing import Expected

TEXT = "evalcases:\n" + "".join(f"  - id: case-{it}\n    input: Hi\n" for it in range(100))


def length(content: Content) -> int:
    return len(content.text)


def test_a_later_version_is_asked_anew() -> None:
    index = parse(TEXT, CASE_LIST_KEYS, expected=Expected()).case_index
    before = list(index.where(length))
    longer = parse(TEXT.replace("case-7\n", "case-seven\n"), CASE_LIST_KEYS).cases.contents
    after = index.changed(longer, Change(7, 8, 8)).where(length)
    assert [number for number, _ in after] == [number for number, _ in before]
    assert [at for at, it in enumerate(before) if it not in after] == [7]
