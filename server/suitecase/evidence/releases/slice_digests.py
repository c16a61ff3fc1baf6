"""What slices and groups depend on of a case, as a digest."""

from __future__ import annotations

from collections.abc import Collection

from suitecase.evidence.releases.case_digests import digest_of
from suitecase.formats.suitecase.model import Case, SuiteHead

_METADATA = "metadata."


def used_metadata(head: SuiteHead) -> list[str]:
    """Return the keys of `metadata` that the slices and the intervals of a suite use."""
    keys: set[str] = set()
    for it in (head.slices or {}).values():
        keys.update(it.metadata or ())
        if it.by is not None:
            keys.add(it.by.removeprefix(_METADATA))
    if head.intervals is not None and head.intervals.groups.startswith(_METADATA):
        keys.add(head.intervals.groups.removeprefix(_METADATA))
    return sorted(keys)


def slices_digest(case: Case, keys: Collection[str]) -> str:
    """Return the digest of what slices and groups depend on of a case.

    Args:
        case: the case.
        keys: the keys of its metadata that are used.
    """
    metadata = case.metadata or {}
    used = {key: metadata[key] for key in keys if key in metadata}
    return digest_of([sorted(case.tags or ()), case.conversation_id, used])
