"""What selects the cases of slices: tags, ids, and keys and values of metadata that cases have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from suitecase.editor.completion.context import Context
from suitecase.figures.gates.names import suite_figures
from suitecase.figures.gates.slices import value_text
from suitecase.format.figure_keys import Intervals, Slice
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.node import Scalar, Sequence
from suitecase.text.plural import counted

_SLICES, _METADATA = "slices", "metadata"


def slice_values(context: Context, suite: ParsedSuite) -> Iterator[tuple[str, str]]:
    """Yield the names that a value of a slice or of `intervals` may refer to, with remarks."""
    if is_in_metadata(context):
        yield from _metadata_values(context, suite)
        return
    field = context.field
    if field is None:
        return
    if (field.model, field.name) in ((Slice, "by"), (Intervals, "groups")):
        if field.model is Intervals:
            yield "conversation_id", "default"
            yield "none", "resample cases one by one"
        for key, count in _metadata_keys(suite):
            yield f"{_METADATA}.{key}", f"of {counted(count, 'case')}"
    elif field.model is Slice and field.name in ("tags", "id"):
        siblings = context.parent.items if isinstance(context.parent, Sequence) else []
        taken = {sibling.text for sibling in siblings if isinstance(sibling, Scalar)}
        figures = suite_figures(suite)
        if field.name == "tags":
            found = [(it, f"tag of {counted(n, 'case')}") for it, n in figures.tags.most_common()]
        else:
            found = [(it, "case") for it in suite.case_ids]
        yield from (it for it in found if it[0] not in taken or it[0] == context.word)


def is_in_metadata(context: Context) -> bool:
    """Whether a cursor is at a key or value below the `metadata` of a slice."""
    path = context.path
    return path[:1] == (_SLICES,) and len(path) >= 4 and path[2] == _METADATA


def metadata_keys(context: Context, suite: ParsedSuite) -> Iterator[tuple[str, str]]:
    """Yield the keys that a slice may select by under `metadata`, with remarks."""
    path = context.holder if context.shape == "key" else context.path
    if len(path) == 3 and path[0] == _SLICES and path[2] == _METADATA:
        for key, count in _metadata_keys(suite):
            if key not in context.present or context.shape != "key":
                yield key, f"metadata of {counted(count, 'case')}"


def _metadata_keys(suite: ParsedSuite) -> list[tuple[str, int]]:
    profiles = suite_figures(suite).profiles
    return Counter(key for profile in profiles for key in profile.facts.metadata).most_common()


def _metadata_values(context: Context, suite: ParsedSuite) -> Iterator[tuple[str, str]]:
    key = str(context.path[3])
    values = (profile.facts.metadata.get(key) for profile in suite_figures(suite).profiles)
    texts = Counter(text for value in values if (text := value_text(value)) is not None)
    for text, count in texts.most_common():
        yield text, counted(count, "case")
