"""Groups of cases that belong together: intervals resample groups, not the cases in them."""

from __future__ import annotations

import json

from suitecase.suite.model import Case

#: What cases are grouped by unless `intervals.groups` says otherwise.
CONVERSATION = "conversation_id"
NO_GROUPS = "none"
_METADATA = "metadata."


def group_of(case: Case, groups: str = CONVERSATION) -> str | None:
    """Return the name of a case's group; None if the case stands alone.

    Args:
        groups: `conversation_id`, `metadata.KEY` or `none`, as `intervals.groups` has it. A value
            that is not text counts as its JSON.
    """
    if groups == NO_GROUPS:
        return None
    if not groups.startswith(_METADATA):
        return case.conversation_id
    value = (case.metadata or {}).get(groups.removeprefix(_METADATA))
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
