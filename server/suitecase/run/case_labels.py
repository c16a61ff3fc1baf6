"""The tags, metadata and group of a case, as its record has them: slices and intervals need them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from suitecase.figures.gates.slices import CaseFacts, group_of
from suitecase.format.figure_keys import Intervals
from suitecase.formats.suitecase.model import Case, SuiteHead
from suitecase.run.record_model import KEPT_OF_METADATA
from suitecase.run.unrecordable import problem_in

#: What groups cases where the suite does not say.
_GROUPS = Intervals().groups


def case_labels(case: Case, head: SuiteHead) -> dict[str, Any]:
    """Return the fields of a record that say which slices and which group its case belongs to."""
    groups = _GROUPS if head.intervals is None else head.intervals.groups
    facts = CaseFacts(case.id, metadata=case.metadata or {}, conversation_id=case.conversation_id)
    return {
        "tags": list(case.tags or ()),
        "metadata": None if case.metadata is None else recordable(case.metadata),
        "group": group_of(groups, facts),
    }


def recordable(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return metadata or variables without values that are not JSON, and without the longest if they are too long."""
    lengths = {
        key: len(json.dumps([key, value], ensure_ascii=False))
        for key, value in metadata.items()
        if problem_in(value) is None
    }
    room = KEPT_OF_METADATA
    if sum(lengths.values()) <= room:
        return {key: metadata[key] for key in lengths}
    kept: set[str] = set()
    for key in sorted(lengths, key=lengths.__getitem__):
        room -= lengths[key]
        if room < 0:
            break
        kept.add(key)
    return {key: metadata[key] for key in lengths if key in kept}
