"""The fix that adds an entry under `governance.deprecated`."""

from __future__ import annotations

from suitecase.evidence.governed import GovernedSuite
from suitecase.format.case_list_keys import CASE_LIST_KEYS
from suitecase.format.rewriting.inserting import entry_added as entry_written
from suitecase.format.rewriting.lines import added_before, newline
from suitecase.format.rewriting.listing import item_added
from suitecase.format.rule import Edit, Fix
from suitecase.text.document import Content
from suitecase.text.emitting import in_quotes
from suitecase.text.node import Mapping, Sequence, Span

#: What the author of the suite replaces by the reason.
REASON = "say why"


def entry_added(suite: GovernedSuite, case_id: str, version: str) -> Fix | None:
    """Return the fix that adds the entry of a removed case; None where the text allows none.

    Args:
        suite: the suite, whose head is in the file that is checked.
        case_id: the id of the case.
        version: the last version that had it.
    """
    edit = _edit(suite.head.content, f"{{{_fields(case_id, version)}}}")
    if edit is None:
        return None
    fix = Fix(f"Add an entry for `{case_id}` under `governance.deprecated`", (edit,), safe=False)
    return fix.moved(suite.head_span)


def _fields(case_id: str, version: str) -> str:
    quoted = (in_quotes(text) for text in (case_id, version, REASON))
    written = case_id if case_id.isidentifier() and case_id.casefold() not in _WORDS else None
    first, *others = quoted
    return f"id: {written or first}, version: {others[0]}, reason: {others[1]}"


#: Names that YAML reads as something else.
_WORDS = ("y", "n", "yes", "no", "on", "off", "true", "false", "null")


def _edit(content: Content, entry: str) -> Edit | None:
    root = content.node
    if not isinstance(root, Mapping) or root.flow:
        return None
    governance = root.get("governance")
    if governance is None:
        before = next((it for name, it in root if name in CASE_LIST_KEYS), None)
        before = before or root.entries.get("version")
        end = newline(content.text)
        text = f"governance:{end}  deprecated:{end}    - {entry}"
        return added_before(content.text, root, before, text) if before is not None else None
    if not isinstance(governance, Mapping):
        return None
    listed = governance.get("deprecated")
    if listed is None:
        return entry_written(content, governance, f"deprecated: [{entry}]")
    if isinstance(listed, Sequence) and listed.flow and listed.items:
        end_of_last = listed.items[-1].end
        return Edit(Span(end_of_last, end_of_last), f", {entry}")
    return item_added(content.text, listed, entry)
