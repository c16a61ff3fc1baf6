"""The differences of a suite from its lock, each with its place and the message about it.

Rules, `suitecase lock` and whoever decides about a release say the same about them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from suitecase.evidence.releases.file_digests import named_file
from suitecase.evidence.releases.lock_state import LockState
from suitecase.format.workspace import Folder, Found
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.text.cache import Cache
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span
from suitecase.text.plural import counted

#: What is under these keys is a command line, whose words may be paths.
_COMMANDS = ("script", "command")
#: Longer texts are not paths.
_LONGEST = 1024


class Place(NamedTuple):
    """A place in a suite: in a case, or in its head where `number` is None."""

    number: int | None
    span: Span


def place_of_key(head: ParsedHead, key: str) -> Place:
    """Return the place of a key of a head, given as a path with dots.

    It is that of the last key on the path that there is, and of `version` if there is none.
    """
    node: Node | None = head.node
    found: Span | None = None
    for name in key.split("."):
        entry = node.entries.get(name) if isinstance(node, Mapping) else None
        if entry is None:
            break
        found, node = entry.key.span, entry.value
    if found is None and head.node is not None and key != "version":
        other = {"prompt": "expected_schema", "evaluation_mode": "evaluation_criteria"}
        return place_of_key(head, other.get(key, "version"))
    return Place(None, found or Span(0, 0))


def place_of_judge(head: ParsedHead, name: str, key: str | None) -> Place:
    """Return the place of a key of a judge's protocol, or that of the protocol."""
    judges = head.node.get("judges") if head.node is not None else None
    entry = judges.entries.get(name) if isinstance(judges, Mapping) else None
    if entry is None:
        return place_of_key(head, "judges")
    inner = entry.value.entries.get(key) if key and isinstance(entry.value, Mapping) else None
    return Place(None, (inner or entry).key.span)


def place_of_case(suite: ParsedSuite, number: int) -> Place:
    """Return the place of the id of a case."""
    id_node = suite.cases[number].id
    return Place(number, id_node.span if id_node is not None else Span(0, 0))


def place_of_file(suite: ParsedSuite, path: Path, folder: Folder) -> Place:
    """Return the first place that names a file, in the head or in a case; else that of `version`."""
    for span in _naming(_paths_in(suite.head.node), path, folder):
        return Place(None, span)
    for number, texts in suite.case_index.where(_texts_of):
        for span in _naming(texts, path, folder):
            return Place(number, span)
    return place_of_key(suite.head, "version")


class _Text(NamedTuple):
    text: str
    span: Span
    is_command: bool


def _naming(texts: list[_Text], path: Path, folder: Folder) -> Iterator[Span]:
    for text, span, is_command in texts:
        if path.name not in text:
            continue
        found = folder.find(text.strip())
        words = text.split() if is_command else []
        if (isinstance(found, Found) and found.path == path) or any(
            os.path.normpath(folder.path / word) == str(path) for word in words if "\0" not in word
        ):
            yield span


def _texts_of(case: ParsedCase) -> list[_Text]:
    """Return the texts of a case that may name files."""
    return _paths_in(case.node)


def _paths_in(node: Node | None) -> list[_Text]:
    return list(_walk(node, is_command=False)) if node is not None else []


def _walk(node: Node, *, is_command: bool) -> Iterator[_Text]:
    if isinstance(node, Mapping):
        for name, entry in node:
            yield from _walk(entry.value, is_command=is_command or name in _COMMANDS)
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _walk(item, is_command=is_command)
    elif isinstance(node, Scalar) and isinstance(node.value, str) and len(node.text) < _LONGEST:
        # A path has no line breaks, and a command line may have some.
        may_name = is_command or "\n" not in node.text.strip()
        yield from [_Text(node.text, node.span, is_command)] if may_name else ()


Kind = Literal["changed", "added", "removed", "head", "file", "judge", "version"]

#: The keys that the path of a difference of the head stands for, in messages.
_KEYS = {
    "prompt": "the system prompt or `expected_schema`",
    "evaluation_mode": "`evaluation_mode` or `evaluation_criteria`",
}


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference from the lock.

    Attributes:
        kind: what differs.
        name: the id of the case, the path of the key or of the file, or the name of the judge.
        place: where to report it.
        message: what to report.
        parts: what of a case has changed.
    """

    kind: Kind
    name: str
    place: Place
    message: str
    parts: tuple[str, ...] = ()


#: The differences of a state.
_FOUND: Cache[tuple[LockState, tuple[Difference, ...]]] = Cache()


def differences(suite: ParsedSuite, state: LockState, folder: Folder) -> tuple[Difference, ...]:
    """Return the differences of a suite from its lock that its version does not allow.

    Where the version was raised, these are only the removed cases that have no entry under
    `governance.deprecated`: all else may differ until the suite is locked again.
    """
    known = _FOUND.get(suite.head.content)
    if known is None or known[0] is not state:
        known = state, tuple(_differences(suite, state, folder))
        _FOUND.set(suite.head.content, known)
    return known[1]


def _differences(suite: ParsedSuite, state: LockState, folder: Folder) -> Iterator[Difference]:
    yield from _removed(suite, state)
    if state.is_raised:
        return
    frozen = f"version {state.lock.version}, which is locked"
    if state.version != state.lock.version:
        now = "the suite has no `version`" if state.version is None else f"this is {state.version}"
        yield Difference(
            "version",
            "version",
            place_of_key(suite.head, "version"),
            f"version {state.lock.version} is locked, but {now}; give it a later version, or restore it",
        )
        return
    for key in state.keys:
        what = _KEYS.get(key, f"`{key}`")
        yield Difference(
            "head",
            key,
            place_of_key(suite.head, key),
            f"{what} is not that of {frozen}; restore it, or raise `version` and lock again",
        )
    for name in state.files:
        place = place_of_file(suite, named_file(name, folder), folder)
        message = (
            f"`{name}` is not the file of {frozen}; restore it, or raise `version` and lock again"
        )
        yield Difference("file", name, place, message)
    for judge in state.judges:
        yield Difference(
            "judge",
            judge.name,
            place_of_judge(suite.head, judge.name, judge.key),
            f"in {frozen}, the judge `{judge.name}` {judge.in_words}; restore it, or raise `version` "
            "and lock again",
        )
    for case in state.cases:
        verb = "differs" if len(case.changed) == 1 and case.changed[0] != "slices" else "differ"
        yield Difference(
            "changed",
            case.id,
            place_of_case(suite, case.number),
            f"this is not the case `{case.id}` of {frozen}: {case.in_words} {verb}; restore it, or "
            "raise `version` and lock again",
            case.changed,
        )
    for number, case_id in state.added:
        yield Difference(
            "added",
            case_id,
            place_of_case(suite, number),
            f"`{case_id}` is not in {frozen}; raise `version` and lock again to add it",
        )


def _removed(suite: ParsedSuite, state: LockState) -> Iterator[Difference]:
    """Yield the cases that were removed without an entry under `governance.deprecated`."""
    place = _place_of_cases(suite)
    restore = "" if state.is_raised else "restore it, or "
    also = "" if state.is_raised else ", and raise `version`"
    for case_id in state.undocumented:
        message = (
            f"version {state.lock.version} lists the case `{case_id}` under `governance.deprecated`; "
            "keep its entry"
            if case_id in state.dropped
            else f"version {state.lock.version} had the case `{case_id}`; {restore}list it under "
            f"`governance.deprecated` with the reason why it was removed{also}"
        )
        yield Difference("removed", case_id, place, message)
    if not state.is_raised and state.version == state.lock.version:
        for case_id in state.removed:
            if case_id in state.documented:
                yield Difference(
                    "removed",
                    case_id,
                    place,
                    f"version {state.lock.version}, which is locked, has the case `{case_id}`; "
                    "raise `version` and lock again to remove it",
                )


def _place_of_cases(suite: ParsedSuite) -> Place:
    """Return the place of the key of the list of cases; of a data set, that of `version`."""
    key = suite.document.list_key
    if key is not None and suite.kind == "suite":
        return Place(None, key.span)
    return place_of_key(suite.head, "version")


def summary(state: LockState) -> str:
    """Return how many things differ from the lock, in words: `3 cases changed, 1 added`."""
    deprecated = [it for it in state.removed if it in state.documented]
    parts = ((state.cases, "changed"), (state.added, "added"), (state.removed, "removed"))
    words = [f"{counted(len(it), 'case')} {what}" for it, what in parts if it]
    if deprecated:
        words[-1] += f" (deprecated: {', '.join(deprecated)})"
    words += [f"`{key}` changed" for key in state.keys]
    words += [f"`{file}` changed" for file in state.files]
    words += [f"the judge `{judge.name}` changed" for judge in state.judges]
    return ", ".join(words)
