"""A case written a second time, under an id of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from suitecase.ide.refactoring.case_text import case_text
from suitecase.ide.refactoring.meaning import meaning
from suitecase.ide.refactoring.part import Part
from suitecase.rule import Edit
from suitecase.suite.parsed import case_id_text

_NUMBERED = re.compile(r"(?P<base>.*?)-(?P<number>[1-9][0-9]{0,8})", re.DOTALL)


def case_copies(part: Part) -> Iterator[tuple[str, Edit]]:
    """Yield, where a case's id is touched, the title and the edit of the document that copy it."""
    written = case_text(part)
    if written is None or not part.touches_entry(written.node.entries["id"]):
        return
    new = _free_id(part, written.id.text)
    meant = meaning(written.model)
    edit = written.become([written.copy(None), written.copy(new)], [meant, {**meant, "id": new}])
    if edit is not None:
        yield f"Duplicate the case as `{new}`", edit


def _free_id(part: Part, id_: str) -> str:
    """Return the id with the next number behind it that no case has yet."""
    counted = _NUMBERED.fullmatch(id_)
    base, number = (counted["base"], int(counted["number"])) if counted else (id_, 1)
    taken = set(part.suite.case_index.values(case_id_text))
    while True:
        number += 1
        if f"{base}-{number}" not in taken:
            return f"{base}-{number}"
