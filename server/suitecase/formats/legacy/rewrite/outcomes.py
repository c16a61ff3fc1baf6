"""What a case achieves, written out where another format leaves it unsaid."""

from __future__ import annotations

from suitecase.formats.legacy.normalize.evaluators import ASSERTION_KEYS
from suitecase.rewriting.lines import added_before
from suitecase.rule import Edit
from suitecase.suite.parsed import ParsedCase, ParsedHead, ParsedSuite


def outcome_written(part: ParsedHead | ParsedCase, under: str | None = None) -> list[Edit] | None:
    """Write what a case is said to achieve; no edit where it says so itself.

    Args:
        under: the list of assertions that the case need not say it for; None where that follows
            from the name of the suite's list of cases.

    Returns:
        edits of the case, or None where it has to be done by hand.
    """
    for it in part.legacy_syntax:
        if it.kind == "implied_outcome":
            if it.name != under and (under is not None or it.name in ASSERTION_KEYS):
                continue
            entry = it.parent.entries[it.name]
            edit = added_before(part.source, it.parent, entry, f"expected_outcome: {it.new}")
            return [edit] if edit else None
    return []


def outcomes_written(suite: ParsedSuite) -> list[Edit] | None:
    """Write out what cases achieve that need not say it because their list is called `tests`.

    Returns:
        edits of the document, or None where it has to be done by hand.
    """
    edits: list[Edit] = []
    for number, case in suite.case_index.where(_unsaid):
        found = outcome_written(case)
        if found is None:
            return None
        edits += [Edit(suite.place(number, it.span), it.text) for it in found]
    return edits


def _unsaid(case: ParsedCase) -> ParsedCase | None:
    said = all(it.kind != "implied_outcome" for it in case.legacy_syntax)
    return None if said else case
